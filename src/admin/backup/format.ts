import { z } from "zod";

/*
 * A backup is one gzip file of lines. First the header, as JSON. Then each table: a line of JSON that names it and its columns, its rows as
 * PostgreSQL's COPY writes them as text, one a line, and a line `\.`, which no row can be. Last the manifest, as JSON. So the file can be
 * written and read in one go whatever its size, any PostgreSQL reads it, and `zcat` shows it to a person.
 */

/** The end marker of a table's rows. */
export const endOfRows = "\\.\n";

/** Version of the file format. */
export const formatVersion = 1;

const Applied = z.object({ version: z.int().positive(), name: z.string(), checksum: z.string() });

/** The first line. */
export const Header = z.object({
  homesec_backup: z.int().positive(),
  created_at: z.iso.datetime(),
  /** Version of the program that wrote the file. */
  version: z.string(),
  /** The machine, and the CAMERA_ROOT to which its paths are relative. Older versions stored full paths and named neither. */
  host: z.string().optional(),
  camera_root: z.string().optional(),
  migrations: z.array(Applied).min(1),
  tables: z.array(z.string()),
});
export type Header = z.output<typeof Header>;

/** The line before the rows of a table. */
export const TableStart = z.object({ table: z.string(), columns: z.array(z.string()).min(1) });
export type TableStart = z.output<typeof TableStart>;

const Sequence = z.object({ table: z.string(), column: z.string(), last_value: z.string().regex(/^-?\d+$/), is_called: z.boolean() });

/** The last line: without it a file is incomplete. */
export const Manifest = z.object({
  manifest: z.record(z.string(), z.object({ rows: z.int().nonnegative(), bytes: z.int().nonnegative(), sha256: z.string() })),
  sequences: z.array(Sequence),
  /** Checksum of everything before this line. */
  sha256: z.string(),
});
export type Manifest = z.output<typeof Manifest>;

/** Progress of a backup or a restore. */
export interface Progress {
  readonly step: "writing" | "checking" | "restoring" | "finishing";
  readonly table: string;
  /** Number of tables started, this one included. */
  readonly tables: number;
  readonly allTables: number;
  /** Rows of all tables that were already processed. */
  readonly rows: number;
  /** Total number of rows if known: an estimate during a backup. */
  readonly allRows?: number | undefined;
}

const newline = 0x0a;

/** Counts the line ends in a chunk of a backup. */
export function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at !== -1; at = chunk.indexOf(newline, at + 1)) lines += 1;
  return lines;
}
