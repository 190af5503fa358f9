import type { ObjectType } from "../../../src/monitoring/detector-model/class-names.ts";
import type { Box } from "./boxes.ts";

export interface FoundObject {
  readonly type: ObjectType;
  readonly confidence: number;
  /** In whole pixels of the picture, inside of it. */
  readonly box: Box;
}

/** What finds objects on pictures: the people finder, or a model of the user's own. */
export interface Finder {
  /** What its health says of it besides the five fields of the contract. */
  readonly about: Readonly<Record<string, string>>;
  /** Throws `Refusal` (400) for what is no picture. `width` and `height` are the picture's, the right way up. */
  look(bytes: Buffer): Promise<{ readonly objects: readonly FoundObject[]; readonly width: number; readonly height: number }>;
}
