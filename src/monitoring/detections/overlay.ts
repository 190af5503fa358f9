import type { Box } from "./detection.ts";
import { textHeight, textPath, textWidth } from "./label-font.ts";

const boxColour = "#ff3b30";
/** Between a label and the edge of its plate, in dots of the font. */
const padding = 2;

/** A detection on a picture, in pixels of the picture as it is shown. Without a box only its label is drawn, at the top left. */
export interface Mark {
  readonly box: Box | null;
  readonly label: string;
}

/** Returns the label of a detection: its class and confidence. */
export function labelOf({ objectType, confidence }: { readonly objectType: string; readonly confidence: number }): string {
  return `${objectType} ${Math.round(confidence * 100)}%`;
}

/** Returns a box of a picture that is shown at another size, and moved. */
export function scaledBox(box: Box, scale: number, left = 0, top = 0): Box {
  return { x: left + box.x * scale, y: top + box.y * scale, width: box.width * scale, height: box.height * scale };
}

/**
 * Renders boxes and labels as an SVG of the picture's size. A label is above its box, inside it if there is no space above, and always
 * within the picture. `dot` is the size of a dot of the font in pixels.
 */
export function overlay(size: { readonly width: number; readonly height: number }, marks: readonly Mark[], dot = 1): string {
  const frames = marks.map(({ box }) =>
    box
      ? `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" fill="none" stroke="${boxColour}" stroke-width="${dot + 1}"/>`
      : "",
  );
  const plates = marks.map(({ box, label }) => {
    const [width, height] = [(textWidth(label) + 2 * padding) * dot, (textHeight + 2 * padding) * dot];
    const { x, y } = box ?? { x: 0, y: 0 };
    const left = Math.round(clamp(x, 0, size.width - width));
    const top = Math.round(y >= height ? clamp(y - height, 0, size.height - height) : clamp(y, 0, size.height - height));
    return `<g transform="translate(${left} ${top}) scale(${dot})">
      <rect width="${width / dot}" height="${height / dot}" fill="${boxColour}"/>
      <path d="${textPath(label, padding, padding)}" fill="#fff" shape-rendering="crispEdges"/>
    </g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${frames.join("")}${plates.join("")}</svg>`;
}

function clamp(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(value, most));
}
