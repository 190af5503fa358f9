import { createSemaphore } from "../../base/async/semaphore.ts";
import { mostPixels } from "../images/picture.ts";
import type { Box } from "./detection.ts";

type Size = { readonly width: number; readonly height: number };

/** A crop shows this many times the width and height of its box: what an object is depends on what is around it. */
const boxesAround = 2.2;
/** And at least this share of the picture: a distant face alone says nothing. */
const leastShare = 0.35;
/** In pixels. Models scale larger pictures down, or take more time and tokens for them. */
const longestEdge = 768;
/** Of the JPEG. */
export const mostCropBytes = 250_000;
const qualities = [82, 65, 45, 25] as const;

/** Each picture is decoded as a whole. */
const decoding = createSemaphore({ max: 1 });

/** Returns the part of a picture around a box, inside of the picture, in whole pixels. Without a box it is the whole picture. */
export function areaAround(box: Box | null, { width, height }: Size): Box {
  if (box === null) return { x: 0, y: 0, width, height };
  const along = (start: number, length: number, edge: number): readonly [number, number] => {
    const size = Math.min(edge, Math.ceil(Math.max(length * boxesAround, edge * leastShare)));
    return [Math.round(Math.max(0, Math.min(start + length / 2 - size / 2, edge - size))), size];
  };
  const [x, w] = along(box.x, box.width, width);
  const [y, h] = along(box.y, box.height, height);
  return { x, y, width: w, height: h };
}

/**
 * Cuts the part around a box out of a picture that may leave homesec: a small JPEG, upright and without metadata, of at most
 * `mostCropBytes`. Throws the decoder's error.
 */
export async function cropAround(picture: Buffer, box: Box | null): Promise<Size & { readonly bytes: Buffer }> {
  return await decoding.run(async () => {
    const { sharp } = await import("../images/decoder.ts");
    const image = sharp(picture, { limitInputPixels: mostPixels, failOn: "none" });
    const { autoOrient } = await image.metadata();
    const area = areaAround(box, autoOrient);
    const { data, info } = await image
      .autoOrient()
      .extract({ left: area.x, top: area.y, width: area.width, height: area.height })
      .resize({ width: longestEdge, height: longestEdge, fit: "inside", withoutEnlargement: true })
      .flatten()
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    const { width, height, channels } = info;
    const small = sharp(data, { raw: { width, height, channels } });
    let bytes = Buffer.alloc(0);
    for (const quality of qualities) {
      bytes = await small.clone().jpeg({ quality }).toBuffer();
      if (bytes.length <= mostCropBytes) break;
    }
    return { bytes, width, height };
  });
}
