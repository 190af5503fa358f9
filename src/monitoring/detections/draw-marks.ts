import { mostPixels } from "../images/picture.ts";
import { type Mark, overlay } from "./overlay.ts";

/** Width of a picture in pixels for each dot of the labels, so that they can be read in large pictures too. */
const pixelsPerDot = 600;

/** Draws boxes and labels on a picture, turned upright by its EXIF data, in its full size. Resolves to a JPEG. Throws if it cannot be decoded. */
export async function drawMarks(picture: Buffer, marks: readonly Mark[]): Promise<Buffer> {
  const { sharp } = await import("../images/decoder.ts");
  const image = sharp(picture, { limitInputPixels: mostPixels, failOn: "none" });
  const { autoOrient: size } = await image.metadata();
  const svg = overlay(size, marks, Math.max(1, Math.round(size.width / pixelsPerDot)));
  return await image
    .autoOrient()
    .composite([{ input: Buffer.from(svg) }])
    .jpeg({ quality: 90 })
    .toBuffer();
}
