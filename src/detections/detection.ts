import type { z } from "zod";
import { Detection as DetectionRecord } from "../contract/routes/detections.ts";

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
  /** For a frame of a video. */
  readonly videoOffsetSeconds: number | null;
  readonly objectType: string;
  readonly confidence: number;
  readonly box: Box | null;
}

/** Where the thumbnail of a detection is kept, relative to the data folder: a thousand files in a folder, a thousand folders in a folder. */
export function thumbnailPathOf(id: number): string {
  const digits = String(id).padStart(9, "0");
  return `thumbnails/${digits.slice(0, -6)}/${digits.slice(-6, -3)}/${id}.jpg`;
}
