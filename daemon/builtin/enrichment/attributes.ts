import { colourName, hsvOf } from "./colour.ts";
import { type Crop, cropPart } from "./crop.ts";
import type { ColourPicture } from "./picture.ts";
import type { Box } from "./request.ts";

/** Attributes of a part of a picture that do not depend on what it shows. */
export interface PartAttributes {
  /** Most frequent first. */
  readonly colors: readonly string[];
  readonly upper_color: string;
  readonly lower_color: string;
  readonly brightness: "dark" | "dim" | "bright";
  readonly size: "small" | "medium" | "large";
  readonly position: string;
}

const cropWidth = 24;
const cropHeight = 48;
/** Minimum share of the pixels for a colour to be listed. */
const minShare = 0.15;
const maxColours = 3;

/** Describes a part of a picture, without its edge, which shows the surroundings. Throws `Refusal` (400) if the part is outside. */
export function describePart(picture: ColourPicture, box: Box): PartAttributes {
  const crop = cropPart(picture, withoutEdge(box), cropWidth, cropHeight);
  const colours = countColours(crop, 0, 1);
  const byFrequency = [...colours].toSorted(([, a], [, b]) => b - a);
  const total = cropWidth * cropHeight;
  const colors = byFrequency.filter(([, count], at) => at === 0 || count / total >= minShare).slice(0, maxColours);
  return {
    colors: colors.map(([name]) => name),
    upper_color: mostFrequent(countColours(crop, 0, 0.5)),
    lower_color: mostFrequent(countColours(crop, 0.5, 1)),
    brightness: brightnessOf(crop),
    size: sizeOf((box.width * box.height) / (picture.fullWidth * picture.fullHeight)),
    position: positionOf((box.x + box.width / 2) / picture.fullWidth, (box.y + box.height / 2) / picture.fullHeight),
  };
}

function withoutEdge({ x, y, width, height }: Box): Box {
  return { x: x + width * 0.2, y: y + height * 0.1, width: width * 0.6, height: height * 0.8 };
}

function countColours({ values, width, height }: Crop, from: number, to: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (let at = Math.floor(height * from) * width; at < Math.floor(height * to) * width; at += 1) {
    const name = colourName(hsvOf(values[at * 3] ?? 0, values[at * 3 + 1] ?? 0, values[at * 3 + 2] ?? 0));
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  return counts;
}

function mostFrequent(counts: ReadonlyMap<string, number>): string {
  return [...counts].reduce((best, next) => (next[1] > best[1] ? next : best))[0];
}

function brightnessOf({ values }: Crop): PartAttributes["brightness"] {
  let sum = 0;
  for (let at = 0; at < values.length; at += 3) {
    sum += 0.299 * (values[at] ?? 0) + 0.587 * (values[at + 1] ?? 0) + 0.114 * (values[at + 2] ?? 0);
  }
  const mean = sum / (values.length / 3);
  if (mean < 0.2) return "dark";
  return mean < 0.45 ? "dim" : "bright";
}

function sizeOf(share: number): PartAttributes["size"] {
  if (share < 0.02) return "small";
  return share < 0.15 ? "medium" : "large";
}

/** In thirds of the picture. The middle of both directions is `center`. */
function positionOf(x: number, y: number): string {
  const across = x < 1 / 3 ? "left" : x > 2 / 3 ? "right" : "";
  const down = y < 1 / 3 ? "top" : y > 2 / 3 ? "bottom" : "";
  return `${down} ${across}`.trim() || "center";
}
