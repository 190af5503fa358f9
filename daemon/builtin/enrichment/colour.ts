/** Hue as a fraction of the colour wheel, saturation and value, each from 0 to 1. */
export interface Hsv {
  readonly hue: number;
  readonly saturation: number;
  readonly value: number;
}

/** Converts red, green and blue, each from 0 to 1. */
export function hsvOf(red: number, green: number, blue: number): Hsv {
  const value = Math.max(red, green, blue);
  const span = value - Math.min(red, green, blue);
  if (span === 0) return { hue: 0, saturation: 0, value };
  const sixth = value === red ? ((green - blue) / span + 6) % 6 : value === green ? (blue - red) / span + 2 : (red - green) / span + 4;
  return { hue: sixth / 6, saturation: span / value, value };
}

/** Upper limit of the hue for each colour name, in degrees. */
const hues = [
  [15, "red"],
  [42, "orange"],
  [70, "yellow"],
  [165, "green"],
  [200, "cyan"],
  [258, "blue"],
  [292, "purple"],
  [335, "pink"],
] as const;

/** Returns the everyday name of a colour. */
export function colourName({ hue, saturation, value }: Hsv): string {
  if (value < 0.2) return "black";
  if (saturation < 0.18) return value > 0.8 ? "white" : "grey";
  if (saturation < 0.3 && value < 0.45) return "grey";
  const degrees = hue * 360;
  const name = hues.find(([end]) => degrees < end)?.[1] ?? "red";
  // Brown is dark orange.
  return (name === "orange" || name === "red") && value < 0.6 && saturation < 0.75 && degrees >= 8 && degrees < 42 ? "brown" : name;
}
