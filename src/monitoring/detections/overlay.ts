import type { Box } from "./detection.ts";
import { textHeight, textPath, textWidth } from "./label-font.ts";
import { placeLabels } from "./label-places.ts";

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
 * Renders boxes and labels as an SVG of the picture's size. A label is above its box if there is space; no label covers another one.
 * `dot` is the size of a dot of the font in pixels.
 */
export function overlay(size: { readonly width: number; readonly height: number }, marks: readonly Mark[], dot = 1): string {
  const frames = marks.map(({ box }) =>
    box
      ? `<rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" fill="none" stroke="${boxColour}" stroke-width="${dot + 1}"/>`
      : "",
  );
  const height = textHeight + 2 * padding;
  const plates = marks.map(({ box, label }) => ({ box, width: (textWidth(label) + 2 * padding) * dot, height: height * dot }));
  const drawn = placeLabels(size, plates).map((place, index) => {
    const label = marks[index]?.label ?? "";
    return place === undefined
      ? ""
      : `<g transform="translate(${place.x} ${place.y}) scale(${dot})">
      <rect width="${textWidth(label) + 2 * padding}" height="${height}" fill="${boxColour}"/>
      <path d="${textPath(label, padding, padding)}" fill="#fff" shape-rendering="crispEdges"/>
    </g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">${frames.join("")}${drawn.join("")}</svg>`;
}
