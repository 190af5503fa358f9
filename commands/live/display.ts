/** The colour depth of pictures. */
export type Depth = "none" | "256" | "24bit";

/** The display options of the view. */
export interface Display {
  readonly colour: boolean;
  readonly depth: Depth;
  /** Address of the daemon. */
  readonly address: string;
}

/** The colour depth for pictures: 24 bits if COLORTERM says so, else 256 colours. */
export function depthOf(env: Readonly<Record<string, string | undefined>>, colour: boolean): Depth {
  if (!colour) return "none";
  return /^(truecolor|24bit)$/i.test(env["COLORTERM"] ?? "") ? "24bit" : "256";
}
