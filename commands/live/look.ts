/** How many colours pictures are drawn in. */
export type Depth = "none" | "256" | "24bit";

/** What the terminal can show, and the person wants to see. */
export interface Look {
  readonly colour: boolean;
  readonly depth: Depth;
  /** Where the daemon is. */
  readonly address: string;
}

/** The colours of a terminal for pictures: 24 bits where COLORTERM says so, else the 256 that nearly every terminal has. */
export function depthOf(env: Readonly<Record<string, string | undefined>>, colour: boolean): Depth {
  if (!colour) return "none";
  return /^(truecolor|24bit)$/i.test(env["COLORTERM"] ?? "") ? "24bit" : "256";
}
