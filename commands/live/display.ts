import type { Graphics } from "../picture/graphics.ts";
import type { Depth } from "../picture/terminal.ts";

/** The display options of the view. */
export interface Display {
  readonly colour: boolean;
  readonly depth: Depth;
  /** Draws real pictures; half blocks without it. */
  readonly graphics?: Graphics | undefined;
  /** Shows no pictures at all. */
  readonly noPictures?: boolean | undefined;
  /** Address of the daemon. */
  readonly address: string;
  /** How the user calls homesec. */
  readonly called?: string | undefined;
}
