import { join } from "node:path";
import type { Log } from "../../base/log/log.ts";
import type { Bytes } from "../../contract/answer.ts";
import { mostPixels } from "../images/picture.ts";
import { type Box, type DetectionSource, olderThumbnailPathOf, thumbnailPathOf } from "./detection.ts";
import { labelOf, type Mark, overlay, scaledBox } from "./overlay.ts";
import { noPicture, readPictureOf } from "./picture.ts";
import { exists, removeFile, storeOnce } from "./stored-file.ts";
import { thumbnailsOf } from "./thumbnail-files.ts";

const width = 320;
const height = 240;
const mediaType = "image/jpeg";

/**
 * Returns the thumbnail of a detection, created and stored in the data folder on the first request. Concurrent requests share one. `note`
 * stores its path relative to the data folder, and resolves to false if the detection has changed meanwhile: then the file is deleted. A
 * full disk prevents the storing, not the reply. Throws `Problem("not_found")` as `pictureOf` does.
 */
export async function thumbnailOf(
  source: DetectionSource,
  context: {
    readonly dataDir: string;
    readonly roots: readonly string[];
    readonly log: Log;
    readonly note: (path: string) => Promise<boolean>;
  },
): Promise<Bytes> {
  const path = thumbnailPathOf(source);
  const file = join(context.dataDir, path);
  if (await exists(file)) return { mediaType, content: { file } };
  // An older thumbnail is served as it is, since its picture may be deleted; one without a path in its row may belong to another detection,
  // and none shows what is private now.
  const older = olderThumbnailPathOf(source.id);
  const olderFile = join(context.dataDir, older);
  if (source.thumbnailPath === older && source.privateParts.length === 0 && (await exists(olderFile)))
    return { mediaType, content: { file: olderFile } };
  return await storeOnce(
    {
      file,
      mediaType,
      create: async () => ({
        bytes: await drawFor(source, await readPictureOf(source, context.roots)),
        note: () => context.note(path),
      }),
    },
    context.log,
  );
}

/** Deletes the stored thumbnails and previews of detections. Failures are logged. */
export async function removeThumbnails(
  ids: readonly number[],
  { dataDir, log }: { readonly dataDir: string; readonly log: Log },
): Promise<void> {
  try {
    for (const { path } of await thumbnailsOf(dataDir, ids)) await removeFile(path, log);
  } catch (err) {
    log.warn({ err, dataDir }, "unused thumbnails could not be listed");
  }
}

async function drawFor(source: DetectionSource, picture: Buffer): Promise<Buffer> {
  try {
    return await drawThumbnail(picture, { box: source.box, label: labelOf(source) });
  } catch (error) {
    throw noPicture(source, `cannot be decoded: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

/** Draws box and label on a picture, turned upright by its EXIF data, and fits it into a 320x240 JPEG with black bars. */
export async function drawThumbnail(
  picture: Buffer,
  { box, label }: { readonly box: Box | null; readonly label: string },
): Promise<Buffer> {
  const { sharp } = await import("../images/decoder.ts");
  const image = sharp(picture, { limitInputPixels: mostPixels, failOn: "none" });
  const { autoOrient } = await image.metadata();
  const scale = Math.min(width / autoOrient.width, height / autoOrient.height);
  const left = (width - autoOrient.width * scale) / 2;
  const top = (height - autoOrient.height * scale) / 2;
  const placed = box && scaledBox(box, scale, left, top);
  return await image
    .autoOrient()
    .resize(width, height, { fit: "contain", background: "#000" })
    .composite([{ input: Buffer.from(overlay({ width, height }, [{ box: placed, label }])) }])
    .jpeg({ quality: 80 })
    .toBuffer();
}

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
