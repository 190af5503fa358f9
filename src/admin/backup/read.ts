import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { createGunzip } from "node:zlib";
import type { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import { countLines, endOfRows, formatVersion, Header, Manifest, TableStart } from "./format.ts";

/** A part of a backup, in file order. `rows` yields chunks of whole rows. */
export type Part =
  | { readonly kind: "header"; readonly header: Header }
  | { readonly kind: "table"; readonly start: TableStart; readonly rows: AsyncIterable<Buffer> }
  | { readonly kind: "manifest"; readonly manifest: Manifest };

/** No line of JSON is longer; a longer one means that the file is no backup. */
const maxLineLength = 1 << 20;
/** Far more than a row from the API can hold: a longer row was made to fill the memory. */
const maxRowLength = 64 << 20;

/**
 * Reads a backup from its beginning, part by part; the caller must read the rows of a table before it asks for the next part. The
 * manifest is yielded only if all its counts and checksums are right. Throws `Problem`: `invalid` if the file is no backup, `conflict` if
 * its format is newer than this program, `unavailable` if it is damaged or incomplete.
 */
export async function* readBackup(file: FileHandle, path: string): AsyncGenerator<Part, void, undefined> {
  const text = new Text(unzipped(file, path));
  const first = await text.line(maxLineLength);
  const header = parse(Header, first);
  if (!header) throw noBackup(path);
  if (header.homesec_backup > formatVersion) {
    throw new Problem(
      "conflict",
      `${path} was written by homesec ${header.version} in a newer form than this program can read; install that version or a later one`,
    );
  }
  const all = createHash("sha256").update(`${first}\n`);
  yield { kind: "header", header };
  const counted = new Map<string, Manifest["manifest"][string]>();
  for (;;) {
    const line = await text.line(maxLineLength);
    const manifest = parse(Manifest, line);
    if (manifest) {
      compare(manifest, counted, header, path);
      if (manifest.sha256 !== all.digest("hex")) throw damaged(path, "its checksum is not that of its manifest");
      if (!(await text.atEnd())) throw damaged(path, "something follows its end");
      yield { kind: "manifest", manifest };
      return;
    }
    const start = parse(TableStart, line);
    if (!start || counted.has(start.table))
      throw damaged(path, line === undefined ? "its end is missing" : "a table does not begin where it should");
    all.update(`${line}\n`);
    const own = createHash("sha256");
    let rows = 0;
    let bytes = 0;
    let over = false;
    const counting = async function* (): AsyncGenerator<Buffer, void, undefined> {
      for await (const chunk of text.rows()) {
        own.update(chunk);
        all.update(chunk);
        rows += countLines(chunk);
        bytes += chunk.length;
        yield chunk;
      }
      if (!text.rowsEnded) throw damaged(path, `the rows of ${start.table} do not end`);
      over = true;
    };
    yield { kind: "table", start, rows: counting() };
    if (!over) throw new Error(`the rows of ${start.table} were not read`);
    all.update(endOfRows);
    counted.set(start.table, { rows, bytes, sha256: own.digest("hex") });
  }
}

function compare(manifest: Manifest, counted: ReadonlyMap<string, Manifest["manifest"][string]>, header: Header, path: string): void {
  const names = Object.keys(manifest.manifest);
  if (names.length !== counted.size || header.tables.length !== counted.size || header.tables.some((name) => !counted.has(name))) {
    throw damaged(path, "its tables are not those that it names");
  }
  for (const [table, found] of counted) {
    const stated = manifest.manifest[table];
    if (stated?.rows !== found.rows || stated.bytes !== found.bytes || stated.sha256 !== found.sha256) {
      throw damaged(path, `the rows of ${table} are not those that were written`);
    }
  }
}

function noBackup(path: string): Problem {
  return new Problem("invalid", `${path} is no backup made by \`homesec db backup\``);
}

function damaged(path: string, how: string, cause?: unknown): Problem {
  return new Problem("unavailable", `${path} is damaged or not complete (${how}); nothing was changed, use another backup`, { cause });
}

function parse<T>(schema: z.ZodType<T>, line: string | undefined): T | undefined {
  try {
    return schema.safeParse(JSON.parse(line ?? "")).data;
  } catch {
    // Not JSON, so not written by homesec.
    return undefined;
  }
}

async function* unzipped(file: FileHandle, path: string): AsyncGenerator<Buffer, void, undefined> {
  const gunzip = createGunzip();
  // `gunzip` reports the same failure.
  pipeline(contentOf(file), gunzip).catch(() => {});
  try {
    for await (const chunk of gunzip) yield chunk as Buffer;
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    if (message === "incorrect header check") throw noBackup(path);
    if (code?.startsWith("Z_")) throw damaged(path, "it cannot be decompressed", error);
    throw error;
  }
}

/** Reads a file from its beginning, regardless of its position. */
async function* contentOf(file: FileHandle): AsyncGenerator<Buffer, void, undefined> {
  for (let position = 0; ; ) {
    const { bytesRead, buffer } = await file.read(Buffer.allocUnsafe(65_536), 0, 65_536, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}

const newline = 0x0a;
const end = Buffer.from(endOfRows);
const endAfterRow = Buffer.from(`\n${endOfRows}`);

/** A stream of bytes that is read as lines and as rows in turn. */
class Text {
  readonly #chunks: AsyncIterator<Buffer>;
  #rest: Buffer = Buffer.alloc(0);
  /** Whether the last rows were followed by their end marker. */
  rowsEnded = false;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** Returns the next line without its end; undefined if there is no whole line of at most `longest` bytes. */
  async line(longest: number): Promise<string | undefined> {
    for (;;) {
      const at = this.#rest.indexOf(newline);
      if (at !== -1) {
        const line = this.#rest.toString("utf8", 0, at);
        this.#rest = this.#rest.subarray(at + 1);
        return line;
      }
      if (this.#rest.length > longest || !(await this.#more())) return undefined;
    }
  }

  /**
   * Yields the rows up to their end marker, whole rows at a time. Ends early, without an error, if the text ends before it or a row does
   * not end.
   */
  async *rows(): AsyncGenerator<Buffer, void, undefined> {
    this.rowsEnded = false;
    for (;;) {
      const whole = this.#rest.lastIndexOf(newline) + 1;
      const lines = this.#rest.subarray(0, whole);
      const isEmpty = lines.subarray(0, end.length).equals(end);
      const at = isEmpty ? 0 : lines.indexOf(endAfterRow) + 1;
      if (isEmpty || at > 0) {
        this.#rest = this.#rest.subarray(at + end.length);
        if (at > 0) yield lines.subarray(0, at);
        this.rowsEnded = true;
        return;
      }
      this.#rest = this.#rest.subarray(whole);
      if (whole > 0) yield lines;
      if (!(await this.#moreRows())) return;
    }
  }

  async atEnd(): Promise<boolean> {
    return this.#rest.length === 0 && !(await this.#more());
  }

  /** Reads on to the end of a row. False if there is none within `maxRowLength`. */
  async #moreRows(): Promise<boolean> {
    const pieces = [this.#rest];
    let length = this.#rest.length;
    for (let isOver = false; !isOver && length <= maxRowLength; ) {
      const next = await this.#chunks.next();
      if (next.done) break;
      pieces.push(next.value);
      length += next.value.length;
      isOver = next.value.includes(newline);
      // Concatenated once: otherwise a long row would be copied with each of its pieces.
      if (isOver) this.#rest = Buffer.concat(pieces, length);
      if (isOver) return true;
    }
    return false;
  }

  async #more(): Promise<boolean> {
    const next = await this.#chunks.next();
    if (next.done) return false;
    this.#rest = this.#rest.length === 0 ? next.value : Buffer.concat([this.#rest, next.value]);
    return true;
  }
}
