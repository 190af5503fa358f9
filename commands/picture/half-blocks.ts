import type { Depth, PixelImage, Size } from "./terminal.ts";

type Colour = readonly [red: number, green: number, blue: number];

/** The size in cells of the largest picture that fits. A cell is twice as high as wide. */
export function cellsFor({ width, height }: Pick<PixelImage, "width" | "height">, { columns, rows }: Size): Size {
  const scale = Math.min(columns / width, (rows * 2) / height);
  // Rounding errors must not add a row
  return { columns: Math.max(1, Math.floor(width * scale)), rows: Math.max(1, Math.min(rows, Math.ceil((height * scale) / 2))) };
}

/** Draws the picture as large as fits. Each character shows two pixels, one above the other; without colours, a shade. */
export function halfBlocks(image: PixelImage, size: Size, depth: Depth): string[] {
  const { columns, rows } = cellsFor(image, size);
  const colourAt = sampler(image, columns, rows * 2);
  return Array.from({ length: rows }, (_, row) => {
    const cells = Array.from({ length: columns }, (_, column) => [colourAt(column, row * 2), colourAt(column, row * 2 + 1)] as const);
    return depth === "none" ? cells.map(shade).join("") : painted(cells, depth);
  });
}

/** Returns a function for the mean colour of the area of a pixel, when the picture has `columns` times `lines` of them. */
export function sampler({ width, height, data }: PixelImage, columns: number, lines: number): (x: number, y: number) => Colour {
  return (x, y) => {
    const [left, right] = [Math.floor((x * width) / columns), Math.max(Math.ceil(((x + 1) * width) / columns), 1)];
    const [top, bottom] = [Math.floor((y * height) / lines), Math.max(Math.ceil(((y + 1) * height) / lines), 1)];
    let [red, green, blue, count] = [0, 0, 0, 0];
    for (let line = top; line < Math.min(bottom, height); line += 1) {
      for (let at = (line * width + left) * 3; at < (line * width + Math.min(right, width)) * 3; at += 3) {
        red += data[at] ?? 0;
        green += data[at + 1] ?? 0;
        blue += data[at + 2] ?? 0;
        count += 1;
      }
    }
    return count === 0 ? [0, 0, 0] : [Math.round(red / count), Math.round(green / count), Math.round(blue / count)];
  };
}

/** Adds a colour code only where the colour changes, for slow connections. */
function painted(cells: readonly (readonly [Colour, Colour])[], depth: Depth): string {
  const name = depth === "24bit" ? trueColour : nearest256;
  let line = "";
  let [upper, lower] = ["", ""];
  for (const [top, bottom] of cells) {
    const [next, below] = [name(top), name(bottom)];
    if (next !== upper) line += `\u001b[38;${next}m`;
    if (below !== lower) line += `\u001b[48;${below}m`;
    [upper, lower] = [next, below];
    line += "▀";
  }
  return `${line}\u001b[39m\u001b[49m`;
}

function trueColour([red, green, blue]: Colour): string {
  return `2;${red};${green};${blue}`;
}

/** Uses the 6 x 6 x 6 colour cube and the 24 greys, which are the same on all terminals. */
function nearest256([red, green, blue]: Colour): string {
  const cube = [red, green, blue].map((value) => (value < 48 ? 0 : value < 115 ? 1 : Math.floor((value - 35) / 40)));
  const cubeColour = cube.map((step) => (step === 0 ? 0 : 55 + step * 40));
  const grey = Math.max(0, Math.min(23, Math.round(((red + green + blue) / 3 - 8) / 10)));
  const greyValue = 8 + grey * 10;
  const distance = (to: readonly number[]): number => [red, green, blue].reduce((sum, value, at) => sum + (value - (to[at] ?? 0)) ** 2, 0);
  const [r = 0, g = 0, b = 0] = cube;
  return distance([greyValue, greyValue, greyValue]) < distance(cubeColour) ? `5;${232 + grey}` : `5;${16 + 36 * r + 6 * g + b}`;
}

const shades = " .:-=+*#%@";

/** A character with the mean brightness of the two pixels. */
function shade([top, bottom]: readonly [Colour, Colour]): string {
  const light = ([red, green, blue]: Colour): number => 0.299 * red + 0.587 * green + 0.114 * blue;
  const mean = (light(top) + light(bottom)) / 2;
  return shades[Math.min(shades.length - 1, Math.floor((mean / 256) * shades.length))] ?? " ";
}
