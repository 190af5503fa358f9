import type { ObjectType } from "../../../src/monitoring/detector-model/class-names.ts";
import type { Box } from "./boxes.ts";

export interface FoundObject {
  readonly type: ObjectType;
  readonly confidence: number;
  /** In whole pixels of the picture, clipped to it. */
  readonly box: Box;
}

/** Detects objects in pictures: the HOG people detector, or a custom model. */
export interface Finder {
  /** Additional fields for the health response, beyond the five that the contract requires. */
  readonly about: Readonly<Record<string, string>>;
  /** Throws `Refusal` (400) for files that are not pictures. `width` and `height` are the size of the upright picture. */
  look(bytes: Buffer): Promise<{ readonly objects: readonly FoundObject[]; readonly width: number; readonly height: number }>;
}
