import { join } from "node:path";
import { namesIn, type SizedFile, sizeOf } from "../../platform/disk/files.ts";
import { thumbnailFolderOf } from "./detection.ts";

/** A stored thumbnail or preview, or a partial file of one. */
export interface ThumbnailFile extends SizedFile {
  readonly detectionId: number;
}

/** Yields all thumbnails and previews in the data folder, by folders of at most a thousand. */
export async function* thumbnailFiles(dataDir: string): AsyncGenerator<readonly ThumbnailFile[]> {
  const root = join(dataDir, "thumbnails");
  for (const millions of await namesIn(root)) {
    for (const thousands of await namesIn(join(root, millions))) {
      const folder = join(root, millions, thousands);
      const files = await Promise.all((await filesIn(folder)).map(sized));
      yield files.flat();
    }
  }
}

/** Returns the stored thumbnails and previews of these detections. */
export async function thumbnailsOf(dataDir: string, detectionIds: readonly number[]): Promise<readonly ThumbnailFile[]> {
  const ids = new Set(detectionIds);
  const files: ThumbnailFile[] = [];
  for (const folder of new Set(detectionIds.map(thumbnailFolderOf))) {
    for (const file of await filesIn(join(dataDir, folder))) if (ids.has(file.detectionId)) files.push(...(await sized(file)));
  }
  return files;
}

type Named = Pick<ThumbnailFile, "path" | "detectionId">;

async function filesIn(folder: string): Promise<readonly Named[]> {
  return (await namesIn(folder)).flatMap((name) => {
    const id = /^(\d{1,16})(?:-[0-9a-f]{16})?\.(?:jpg|webp)(?:\.[0-9a-f-]+\.tmp)?$/.exec(name)?.[1];
    return id === undefined ? [] : [{ path: join(folder, name), detectionId: Number(id) }];
  });
}

/** Adds the size of a file; nothing if it is deleted already. */
async function sized(file: Named): Promise<readonly ThumbnailFile[]> {
  const bytes = await sizeOf(file.path);
  return bytes === undefined ? [] : [{ ...file, bytes }];
}
