import type { ObjectType } from "../../../src/monitoring/detector-model/class-names.ts";

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface DetectedObject {
  readonly type: ObjectType;
  readonly confidence: number;
  /** In whole pixels of the picture, clipped to it. */
  readonly box: Box;
}

/** Detects objects in pictures: with the bundled model, or a custom one. */
export interface Detector {
  /** Additional fields for the health response, beyond the five that the contract requires. */
  readonly about: Readonly<Record<string, string>>;
  /** How many pictures `detect` may get before it has answered for the first. */
  readonly atOnce: number;
  /** Throws `Refusal` (400) for files that are not pictures. `width` and `height` are the size of the upright picture. */
  detect(bytes: Buffer): Promise<{ readonly objects: readonly DetectedObject[]; readonly width: number; readonly height: number }>;
}
