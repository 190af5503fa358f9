import type { FileHandle } from "node:fs/promises";
import { basename, dirname, extname } from "node:path";
import { Problem } from "../../contract/problem.ts";
import { rootsOf } from "../../monitoring/cameras/roots.ts";
import type { DetectionSource } from "../../monitoring/detections/detection.ts";
import { pictureOf, videoOf } from "../../monitoring/detections/picture.ts";
import { formatOf, headBytes } from "../../monitoring/images/format.ts";
import { largestEntry } from "../../platform/archive/zip.ts";
import type { Config } from "../../platform/config/config.ts";
import { readWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { openReal } from "../../platform/disk/open-real.ts";

const chunkBytes = 256 * 1024;

/** A picture or video to pack: its bytes as they may leave homesec. */
export interface Original {
  readonly size: number;
  /** Ending of its name, from its content. */
  readonly extension: string;
  /** Why the bytes are not those of the file; undefined if they are. */
  readonly altered?: string;
  /** Yields the bytes, at most `size`. Throws if the file ends before. */
  parts(): AsyncIterable<Uint8Array>;
  close(): Promise<void>;
}

const extensions: Readonly<Record<string, string>> = {
  "image/jpeg": ".jpg",
  "image/png": ".png",
  "image/webp": ".webp",
  "video/mp4": ".mp4",
  "video/quicktime": ".mov",
  "video/x-matroska": ".mkv",
  "video/x-msvideo": ".avi",
};

const blackened =
  "The private zones of the camera are black, so this is a new JPEG without metadata. The file of the camera stays in the home.";
const frameOnly = "A frame of the video, as a new JPEG with the private zones of the camera black. The video stays in the home.";

/**
 * Opens the original of a detection, by the same rules as the downloads of the page: with private zones a picture has them black, and of
 * a video only the frame leaves the home. Throws `Problem` with the reason if it is not available.
 */
export async function openOriginal(source: DetectionSource, config: Config, signal: AbortSignal | undefined): Promise<Original> {
  const roots = rootsOf(config);
  const isVideo = source.videoOffsetSeconds !== null;
  const isPrivate = source.privateParts.length > 0;
  const { content } = isVideo && !isPrivate ? await videoOf(source, roots) : await pictureOf(source, roots, signal);
  if ("file" in content) return await openFile(source, content.file);
  const { buffer } = content;
  return {
    size: buffer.length,
    extension: ".jpg",
    ...(isPrivate && { altered: isVideo ? frameOnly : blackened }),
    parts: () => inMemory(buffer),
    close: async () => {},
  };
}

async function* inMemory(buffer: Buffer): AsyncGenerator<Uint8Array> {
  yield buffer;
}

async function openFile(source: DetectionSource, path: string): Promise<Original> {
  const folder = dirname(path);
  const file = await readWithTimeout(folder, () => openReal(path)).catch((cause: unknown) => {
    throw gone(source, "cannot be read", cause);
  });
  if (!file) throw gone(source, "is no regular file");
  try {
    const { size } = await file.stat();
    const head = (await readWithTimeout(folder, () => file.read(Buffer.alloc(headBytes), 0, headBytes, 0))).buffer.subarray(0, size);
    const type = formatOf(head)?.mediaType;
    if (type === undefined || !/^(?:image|video)\//.test(type)) throw gone(source, "is neither a picture nor a video by its content");
    if (size > largestEntry) throw gone(source, "has more than 4 GiB, which a file in a ZIP may not have; hand it on beside the pack");
    const extension =
      extensions[type] ??
      (extname(basename(path))
        .toLowerCase()
        .replaceAll(/[^.a-z0-9]/g, "") ||
        ".bin");
    return { size, extension, parts: () => chunksOf(file, folder, size), close: () => file.close() };
  } catch (error) {
    await file.close();
    throw error;
  }
}

async function* chunksOf(file: FileHandle, folder: string, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < size; ) {
    const length = Math.min(chunkBytes, size - at);
    const { buffer, bytesRead } = await readWithTimeout(folder, () => file.read(Buffer.allocUnsafe(length), 0, length, at));
    if (bytesRead === 0) throw new Problem("unavailable", "A picture became shorter while it was packed; try again");
    at += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

function gone(source: DetectionSource, reason: string, cause?: unknown): Problem {
  return new Problem("not_found", `The file of detection ${source.id}, ${source.filePath}, ${reason}`, { cause });
}
