import { join } from "node:path";
import type { Bytes } from "../../contract/answer.ts";
import { Problem } from "../../contract/problem.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { rootsOf } from "../cameras/roots.ts";
import { drawPreview, inTurnOf, type Preview, previewWidth } from "../images/preview.ts";
import { type DetectionSource, previewPathOf } from "./detection.ts";
import { noPicture, readPictureOf } from "./picture.ts";
import { notePreview } from "./previews-repository.ts";
import { exists, type NewFile, storeOnce } from "./stored-file.ts";

/**
 * Returns the preview of a detection's picture, created on the first request and stored in the data folder, and its blur hash in the
 * database. Throws `Problem("not_found")` as `pictureOf` does, and `Problem("unavailable")` when too many are requested.
 */
export async function storedPreview({ config, db, log, caller }: OperationContext, source: DetectionSource): Promise<Bytes> {
  const file = join(config.dataDir, previewPathOf(source));
  const stored: Bytes = { mediaType: "image/webp", content: { file } };
  if (await exists(file)) return stored;
  return await inTurnOf(caller, async () => {
    // The same client may have requested it twice.
    if (await exists(file)) return stored;
    const create = async (): Promise<NewFile> => {
      const { webp, picture } = await draw(source, await readPictureOf(source, rootsOf(config)));
      return { bytes: webp, note: () => db.query((sql) => notePreview(sql, source, picture)) };
    };
    return await storeOnce({ file, mediaType: stored.mediaType, create }, log);
  });
}

async function draw(source: DetectionSource, picture: Buffer): Promise<Preview> {
  try {
    return await drawPreview(picture, previewWidth);
  } catch (error) {
    if (error instanceof Problem) throw error;
    throw noPicture(source, `cannot be decoded: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}
