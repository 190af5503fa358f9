import type { Corners } from "../boxes.ts";

/** A part of a picture that the model looks at, in shares of the picture. */
export type Region = Corners;

/** Width and height of the model's input in pixels. */
export const inputSide = 300;
/** Length of both tiles together, in pixels: they share a fifth of a tile. */
export const stripLength = 540;

export const wholePicture: Region = { left: 0, top: 0, right: 1, bottom: 1 };

const tile = inputSide / stripLength;

/** Returns the two halves of a picture along its longer side. */
export function tilesOf(isWide: boolean): readonly [Region, Region] {
  return isWide
    ? [
        { ...wholePicture, right: tile },
        { ...wholePicture, left: 1 - tile },
      ]
    : [
        { ...wholePicture, bottom: tile },
        { ...wholePicture, top: 1 - tile },
      ];
}
