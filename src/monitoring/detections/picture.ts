import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Bytes } from "../../contract/answer.ts";
import { Problem } from "../../contract/problem.ts";
import { NoAnswer } from "../../platform/disk/files.ts";
import { readWithTimeout, statWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { openReal } from "../../platform/disk/open-real.ts";
import { resolveInside } from "../cameras/roots.ts";
import { versionOf } from "../images/inspect-file.ts";
import { type Outgoing, outgoing } from "../images/outgoing.ts";
import { extractFrames, VideoError } from "../images/video.ts";
import type { DetectionSource } from "./detection.ts";

/** Limits concurrent decoding of videos for picture requests: each takes a core. The pipeline has a separate limit. */
const decoding = createSemaphore({
  max: 2,
  timeout: {
    ms: 30_000,
    error: () => new Problem("unavailable", "Too many ask for pictures out of videos just now; try again"),
  },
});

/**
 * Returns the picture of a detection as it may leave homesec: the file itself, or the frame of a video as a JPEG, or a JPEG of either whose
 * private zones are black. Throws `Problem`: `not_found` with the reason
 * if it is unavailable (deleted, moved out of the allowed roots, overwritten), `unavailable` if its disk does not answer or too many
 * video frames are requested; and the reason of the signal, which also ends the decoding.
 */
export async function pictureOf(source: DetectionSource, roots: readonly string[], signal?: AbortSignal): Promise<Bytes> {
  const file = await fileOf(source, roots);
  if (source.videoOffsetSeconds === null) {
    const mediaType = source.fileType ?? "image/jpeg";
    if (source.privateParts.length === 0) return { mediaType, content: { file, isReal: true } };
    return await withoutPrivateParts(source, { bytes: await readFileOf(source, file), mediaType });
  }
  const bytes = await decoding.run(() => frameOf(source, file, signal), signal);
  return await withoutPrivateParts(source, { bytes, mediaType: "image/jpeg" });
}

async function withoutPrivateParts(source: DetectionSource, picture: Outgoing): Promise<Bytes> {
  const { bytes, mediaType } = await outgoing(picture, source.privateParts).catch((cause: unknown) => {
    throw noPicture(source, "cannot be decoded, so its private zones cannot be blacked out", cause);
  });
  return { mediaType, content: { buffer: bytes } };
}

/** Returns the same as bytes. Throws as `pictureOf` does. */
export async function readPictureOf(source: DetectionSource, roots: readonly string[], signal?: AbortSignal): Promise<Buffer> {
  const { content } = await pictureOf(source, roots, signal);
  return "buffer" in content ? content.buffer : await readFileOf(source, content.file);
}

async function readFileOf(source: DetectionSource, path: string): Promise<Buffer> {
  const bytes = await readWithTimeout(dirname(path), () => readReal(path)).catch((cause: unknown) => {
    throw cause instanceof NoAnswer ? silentDisk(source, cause) : noPicture(source, "is gone from the disk", cause);
  });
  if (!bytes) throw noPicture(source, "is gone from the disk");
  return bytes;
}

async function readReal(path: string): Promise<Buffer | undefined> {
  const file = await openReal(path);
  try {
    return await file?.readFile();
  } finally {
    await file?.close();
  }
}

/**
 * Returns the video of a detection as a file. Throws `Problem`: `bad_request` for a detection outside a video, `not_found` as `pictureOf`
 * does, and if the camera has private zones: homesec cannot black them out in a video.
 */
export async function videoOf(source: DetectionSource, roots: readonly string[]): Promise<Bytes> {
  requireVideo(source);
  if (source.privateParts.length > 0) {
    throw noPicture(source, `stays here, because its camera has private zones; its frame is at /api/detections/${source.id}/image`);
  }
  return { mediaType: source.fileType ?? "video/mp4", content: { file: await fileOf(source, roots), isReal: true } };
}

/** Throws `Problem("bad_request")` for a detection outside a video. */
export function requireVideo(source: DetectionSource): void {
  if (source.videoOffsetSeconds !== null) return;
  const message = `Detection ${source.id} is from a picture, not from a video; its picture is at /api/detections/${source.id}/image`;
  throw new Problem("bad_request", message);
}

async function fileOf(source: DetectionSource, roots: readonly string[]): Promise<string> {
  const resolved = await resolveInside(roots, source.filePath);
  switch (resolved.state) {
    case "outside":
      throw noPicture(source, "lies outside of CAMERA_ROOT and CAMERA_EXTRA_ROOTS; add its folder to CAMERA_EXTRA_ROOTS to see it");
    case "missing":
      throw noPicture(source, "is gone from the disk");
    case "unreadable":
      if (resolved.code === "ETIMEDOUT") throw silentDisk(source);
      throw noPicture(source, `cannot be reached (${resolved.code}); let the user that runs homesec read it`);
    case "inside":
      break;
  }
  const file = await statWithTimeout(dirname(resolved.path), () => stat(resolved.path, { bigint: true })).catch((cause: unknown) => {
    throw cause instanceof NoAnswer ? silentDisk(source, cause) : noPicture(source, "is gone from the disk", cause);
  });
  // A pipe would hold a decoder, and a device may never end.
  if (!file.isFile()) throw noPicture(source, "is not a regular file");
  const { sizeBytes, modifiedNs } = versionOf(file);
  // Some cameras pad each picture to a common size.
  const isOther = source.fileSize !== null && (sizeBytes !== source.fileSize || source.otherTimes.includes(modifiedNs));
  if (isOther) throw noPicture(source, "was written over since by another picture");
  return resolved.path;
}

/** Returns the frame at the offset of the detection. */
async function frameOf(source: DetectionSource, file: string, signal: AbortSignal | undefined): Promise<Buffer> {
  try {
    for await (const frame of extractFrames(file, signal && { signal })) {
      if (frame.offsetSeconds >= (source.videoOffsetSeconds ?? 0)) return frame.bytes;
    }
  } catch (error) {
    if (error instanceof VideoError) throw noPicture(source, `cannot be shown: ${error.message}`, error);
    throw error;
  }
  throw noPicture(source, "has no frame at the time of the detection any more");
}

function silentDisk(source: DetectionSource, cause?: unknown): Problem {
  const message = `The disk or share with the picture of detection ${source.id}, ${source.filePath}, does not answer; bring it back and try again`;
  return new Problem("unavailable", message, { cause });
}

/** Returns the problem for a missing picture, with its name and the reason. */
export function noPicture(source: DetectionSource, reason: string, cause?: unknown): Problem {
  return new Problem("not_found", `The picture of detection ${source.id}, ${source.filePath}, ${reason}`, { cause });
}
