import { join } from "node:path";
import { namesIn, type SizedFile, sizeOf } from "../disk/files.ts";
import { thumbnailPathOf } from "./detection.ts";

/** A kept thumbnail, or what was left of one that was being written. */
export interface ThumbnailFile extends SizedFile {
  readonly detectionId: number;
}

/** All thumbnails in the data folder, folder by folder of at most a thousand. */
export async function* thumbnailFiles(dataDir: string): AsyncGenerator<readonly ThumbnailFile[]> {
  const root = join(dataDir, "thumbnails");
  for (const millions of await namesIn(root)) {
    for (const thousands of await namesIn(join(root, millions))) {
      const folder = join(root, millions, thousands);
      const files = await Promise.all(
        (await namesIn(folder)).map(async (name) => {
          const id = /^(\d{1,16})\.jpg(\.[0-9a-f-]+\.tmp)?$/.exec(name)?.[1];
          const path = join(folder, name);
          const bytes = id === undefined ? undefined : await sizeOf(path);
          return bytes === undefined ? [] : [{ path, bytes, detectionId: Number(id) }];
        }),
      );
      yield files.flat();
    }
  }
}

/** The thumbnails of these detections that are kept in the data folder. */
export async function thumbnailsOf(dataDir: string, detectionIds: readonly number[]): Promise<readonly SizedFile[]> {
  const files: SizedFile[] = [];
  for (const id of detectionIds) {
    const path = join(dataDir, thumbnailPathOf(id));
    const bytes = await sizeOf(path);
    if (bytes !== undefined) files.push({ path, bytes });
  }
  return files;
}
