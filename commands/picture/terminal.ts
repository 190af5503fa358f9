/** A width and a height in cells of the terminal, or in pixels. */
export interface Size {
  readonly columns: number;
  readonly rows: number;
}

/** RGB pixels, three bytes each, row by row. */
export interface PixelImage {
  readonly width: number;
  readonly height: number;
  readonly data: Uint8Array;
  /** The same as a JPEG file, for terminals that take files. */
  readonly file?: Uint8Array | undefined;
  /** Its most useful colours, three bytes each, for terminals that have only so many. */
  readonly palette?: Uint8Array | undefined;
}

/** The output side of a terminal. */
export interface ScreenOut {
  write(text: string): unknown;
  readonly columns?: number | undefined;
  readonly rows?: number | undefined;
  on(event: "resize", listener: () => void): unknown;
  off(event: "resize", listener: () => void): unknown;
}

export interface ScreenIn {
  setRawMode(raw: boolean): unknown;
  setEncoding(encoding: "utf8"): unknown;
  on(event: "data", listener: (text: string) => void): unknown;
  off(event: "data", listener: (text: string) => void): unknown;
  resume(): unknown;
  pause(): unknown;
}

/** The size of a terminal; 80x24 if it is unknown. */
export function sizeOf({ columns, rows }: Pick<ScreenOut, "columns" | "rows">): Size {
  return { columns: columns || 80, rows: rows || 24 };
}

/** The colour depth of pictures. */
export type Depth = "none" | "256" | "24bit";

/** The colour depth for pictures: 24 bits if COLORTERM says so, else 256 colours. */
export function depthOf(env: Readonly<Record<string, string | undefined>>, colour: boolean): Depth {
  if (!colour) return "none";
  return /^(truecolor|24bit)$/i.test(env["COLORTERM"] ?? "") ? "24bit" : "256";
}
