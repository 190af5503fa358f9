import { createHash } from "node:crypto";
import type { z } from "zod";
import { Detection as DetectionRecord } from "../../contract/routes/detections.ts";

/** A detection as clients see it. */
export type Detection = z.output<typeof DetectionRecord>;

/** In pixels of the upright picture; top-left origin, right and down. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The columns of a detection, named as in its record; `enrichment` as it came out of jsonb. */
export type DetectionRow = Omit<Detection, "enrichment"> & { readonly enrichment: unknown };

/** The record of a row. Throws a `ZodError` when the stored enrichment is not what it should be. */
export function recordOf(row: DetectionRow): Detection {
  return { ...row, enrichment: DetectionRecord.shape.enrichment.parse(row.enrichment) };
}

/** Where a detection was seen, for drawing and for showing its picture. */
export interface DetectionSource {
  readonly id: number;
  readonly filePath: string;
  readonly fileType: string | null;
  /** Of the file when the detector looked at it; null when that is not known. */
  readonly fileSize: number | null;
  /** The times, in nanoseconds since 1970, that the file had with other pictures of that size in it. */
  readonly otherTimes: readonly bigint[];
  /** For a frame of a video. */
  readonly videoOffsetSeconds: number | null;
  readonly objectType: string;
  readonly confidence: number;
  readonly box: Box | null;
  /** As it was noted in the row. */
  readonly thumbnailPath: string | null;
}

/** What a thumbnail shows. */
export type Drawn = Pick<DetectionSource, "id" | "filePath" | "videoOffsetSeconds" | "objectType" | "confidence" | "box">;

/**
 * Where the thumbnail of a detection is kept, relative to the data folder: a thousand ids in a folder, a thousand folders in a folder. What it
 * shows is in its name: after a restore the number may be another detection's, and another daemon may have corrected this one.
 */
export function thumbnailPathOf({ id, filePath, videoOffsetSeconds, objectType, confidence, box }: Drawn): string {
  const shown = JSON.stringify([filePath, videoOffsetSeconds, objectType, confidence, box && [box.x, box.y, box.width, box.height]]);
  return `${thumbnailFolderOf(id)}/${id}-${createHash("sha256").update(shown).digest("hex").slice(0, 16)}.jpg`;
}

/** Where version 0.1.0 kept it. */
export function olderThumbnailPathOf(id: number): string {
  return `${thumbnailFolderOf(id)}/${id}.jpg`;
}

/** The folder of the thumbnails of a detection, relative to the data folder. */
export function thumbnailFolderOf(id: number): string {
  const digits = String(id).padStart(9, "0");
  return `thumbnails/${digits.slice(0, -6)}/${digits.slice(-6, -3)}`;
}
