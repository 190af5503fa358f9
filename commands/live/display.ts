import type { Graphics } from "./picture/graphics.ts";

/** The colour depth of pictures. */
export type Depth = "none" | "256" | "24bit";

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

/** The colour depth for pictures: 24 bits if COLORTERM says so, else 256 colours. */
export function depthOf(env: Readonly<Record<string, string | undefined>>, colour: boolean): Depth {
  if (!colour) return "none";
  return /^(truecolor|24bit)$/i.test(env["COLORTERM"] ?? "") ? "24bit" : "256";
}
