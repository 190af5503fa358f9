import { createHash } from "node:crypto";
import type { z } from "zod";
import { Detection as DetectionRecord } from "../../contract/routes/detections.ts";
import type { PrivateParts } from "../cameras/cameras-repository.ts";

/** A detection as clients see it. */
export type Detection = z.output<typeof DetectionRecord>;

/** In pixels of the upright picture; origin at the top left. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Columns of a detection, named as in its record, with `enrichment` as stored in jsonb. */
export type DetectionRow = Omit<Detection, "enrichment"> & { readonly enrichment: unknown };

/** Converts a row to its record. Throws a `ZodError` if the stored enrichment is invalid. */
export function recordOf(row: DetectionRow): Detection {
  return { ...row, enrichment: DetectionRecord.shape.enrichment.parse(row.enrichment) };
}

/** The place of a detection, for drawing it and showing its picture. */
export interface DetectionSource {
  readonly id: number;
  readonly filePath: string;
  readonly fileType: string | null;
  /** File size when the detector processed it; null if unknown. */
  readonly fileSize: number | null;
  /** Times, in nanoseconds since 1970, when the file had another picture of the same size. */
  readonly otherTimes: readonly bigint[];
  /** For a frame of a video. */
  readonly videoOffsetSeconds: number | null;
  readonly objectType: string;
  readonly confidence: number;
  readonly box: Box | null;
  /** As stored in the row. */
  readonly thumbnailPath: string | null;
  /** Differs for each picture; see `previewVersion`. */
  readonly previewVersion: string;
  readonly privateParts: PrivateParts;
}

/** The content of a thumbnail. */
export type Drawn = Pick<DetectionSource, "id" | "filePath" | "videoOffsetSeconds" | "objectType" | "confidence" | "box" | "privateParts">;

/**
 * Returns the path of a detection's thumbnail relative to the data folder: a thousand ids per folder, a thousand folders per folder. Its
 * name depends on its content: after a restore the id may belong to another detection, and another daemon may have corrected this one.
 */
export function thumbnailPathOf({ id, filePath, videoOffsetSeconds, objectType, confidence, box, privateParts }: Drawn): string {
  const edges = box && [box.x, box.y, box.width, box.height];
  const shown = JSON.stringify([filePath, videoOffsetSeconds, objectType, confidence, edges, ...privateParts]);
  return `${thumbnailFolderOf(id)}/${id}-${createHash("sha256").update(shown).digest("hex").slice(0, 16)}.jpg`;
}

/** Returns the path of a detection's preview relative to the data folder, beside its thumbnail. */
export function previewPathOf({ id, previewVersion }: Pick<DetectionSource, "id" | "previewVersion">): string {
  return `${thumbnailFolderOf(id)}/${id}-${previewVersion}.webp`;
}

/** The path used by version 0.1.0. */
export function olderThumbnailPathOf(id: number): string {
  return `${thumbnailFolderOf(id)}/${id}.jpg`;
}

/** Returns the folder of a detection's thumbnails, relative to the data folder. */
export function thumbnailFolderOf(id: number): string {
  const digits = String(id).padStart(9, "0");
  return `thumbnails/${digits.slice(0, -6)}/${digits.slice(-6, -3)}`;
}
