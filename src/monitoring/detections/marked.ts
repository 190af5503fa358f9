import { mostPixels } from "../images/picture.ts";
import type { DetectionSource } from "./detection.ts";
import { labelOf, overlay, scaledBox } from "./overlay.ts";
import { readPictureOf } from "./picture.ts";

/** In pixels: enough to recognise a face, and small enough for any mailbox. */
const longestEdge = 960;
/** Labels are readable on a phone that shows the picture half as wide. */
const dotSize = 2;

/** A detection to draw. */
export type Seen = Pick<DetectionSource, "objectType" | "confidence" | "box">;

/**
 * Returns the picture of a detection as a JPEG for messages: upright, small, without metadata, with the boxes and labels of `seen`. Throws
 * as `readPictureOf` does, and other errors if the picture cannot be decoded.
 */
export async function markedPicture(
  source: DetectionSource,
  seen: readonly Seen[],
  roots: readonly string[],
  signal?: AbortSignal,
): Promise<Buffer> {
  const bytes = await readPictureOf(source, roots, signal);
  const { sharp } = await import("../images/decoder.ts");
  const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" });
  const { autoOrient } = await image.metadata();
  const scale = Math.min(1, longestEdge / Math.max(autoOrient.width, autoOrient.height));
  const [width, height] = [autoOrient.width, autoOrient.height].map((edge) => Math.max(1, Math.round(edge * scale)));
  const size = { width: width ?? 1, height: height ?? 1 };
  const marks = seen.flatMap((each) => (each.box ? [{ box: scaledBox(each.box, scale), label: labelOf(each) }] : []));
  const resized = image.autoOrient().resize({ ...size, fit: "fill" });
  const drawn = marks.length === 0 ? resized : resized.composite([{ input: Buffer.from(overlay(size, marks, dotSize)) }]);
  return await drawn.jpeg({ quality: 82 }).toBuffer();
}
