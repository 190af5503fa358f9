import { stat } from "node:fs/promises";
import { resolveInside } from "../cameras/roots.ts";
import { Problem } from "../contract/problem.ts";
import { extractFrames, VideoError } from "../images/video.ts";
import type { DetectionSource } from "./detection.ts";

/** A picture on the disk, or one that was taken out of a video. */
export interface Picture {
  readonly mediaType: string;
  readonly content: { readonly file: string } | { readonly buffer: Buffer };
}

/**
 * The picture on which something was detected: the file itself, or the frame of a video as a JPEG. Throws `Problem("not_found")`
 * with the reason when it is not to be had: gone, moved out of the allowed roots, or written over since.
 */
export async function pictureOf(source: DetectionSource, roots: readonly string[]): Promise<Picture> {
  const file = await fileOf(source, roots);
  if (source.videoOffsetSeconds !== null) return { mediaType: "image/jpeg", content: { buffer: await frameOf(source, file) } };
  return { mediaType: source.fileType ?? "image/jpeg", content: { file } };
}

/** The video in which something was detected, as a file. Throws `Problem`: `bad_request` when it was not in a video, `not_found` as `pictureOf` does. */
export async function videoOf(source: DetectionSource, roots: readonly string[]): Promise<Picture> {
  requireVideo(source);
  return { mediaType: source.fileType ?? "video/mp4", content: { file: await fileOf(source, roots) } };
}

/** Throws `Problem("bad_request")` for a detection that was not made in a video. */
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
      throw noPicture(source, `cannot be reached (${resolved.code}); let the user that runs homesec read it`);
    case "inside":
      break;
  }
  const { size } = await stat(resolved.path);
  if (source.fileSize !== null && size !== source.fileSize) throw noPicture(source, "was written over since by another picture");
  return resolved.path;
}

/** The frame at the offset at which the detector saw it. */
async function frameOf(source: DetectionSource, file: string): Promise<Buffer> {
  try {
    for await (const frame of extractFrames(file)) {
      if (frame.offsetSeconds >= (source.videoOffsetSeconds ?? 0)) return frame.bytes;
    }
  } catch (error) {
    if (error instanceof VideoError) throw noPicture(source, `cannot be shown: ${error.message}`, error);
    throw error;
  }
  throw noPicture(source, "has no frame at the time of the detection any more");
}

/** Names the picture and says what is the matter with it. */
export function noPicture(source: DetectionSource, reason: string, cause?: unknown): Problem {
  return new Problem("not_found", `The picture of detection ${source.id}, ${source.filePath}, ${reason}`, { cause });
}
