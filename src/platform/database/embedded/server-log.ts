import { createWriteStream, renameSync, type WriteStream } from "node:fs";
import { mkdir, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import type { Log } from "../../../base/log/log.ts";

const maxBytes = 1_000_000;
/** Interval between attempts to write the file again after a failure such as a full disk. */
const usualRetryMs = 10_000;

/**
 * The messages of one run of the server, in a file of at most 1 MB and its predecessor. The homesec log also gets the fatal ones, and the
 * progress of a start after an unclean end.
 */
export class ServerLog {
  readonly #path: string;
  readonly #log: Log;
  readonly #tail: string[] = [];
  readonly #done: Promise<void>;
  readonly #retryMs: number;
  #file: WriteStream;
  #bytes: number;
  /** Time of the failure to write the file, from `performance.now()`; undefined while writing works. */
  #brokenAt: number | undefined;
  #heardAt = performance.now();

  /** Listens from now on. Output of an ended program is lost if there is no listener by then. */
  constructor({ path, bytes }: LogPlace, stream: Readable, log: Log, retryMs = usualRetryMs) {
    this.#path = path;
    this.#log = log;
    this.#retryMs = retryMs;
    this.#bytes = bytes;
    this.#file = this.#openFile();
    const lines = createInterface({ input: stream });
    lines.on("line", (line) => this.#write(line));
    this.#done = new Promise((resolve) => {
      lines.once("close", () => this.#file.end(resolve));
    });
  }

  /** Time of the last output, from `performance.now()`; before the first output, the time of the start. */
  get heardAt(): number {
    return this.#heardAt;
  }

  /** Waits at most half a second until all output of the ended server has arrived, and returns the last lines. */
  async lastWords(): Promise<string> {
    const impatience = new Promise<void>((resolve) => {
      setTimeout(resolve, 500).unref();
    });
    await Promise.race([this.#done, impatience]);
    return this.#tail.join("\n");
  }

  #write(line: string): void {
    this.#heardAt = performance.now();
    this.#tail.push(line);
    if (this.#tail.length > 20) this.#tail.shift();
    if (/ (FATAL|PANIC): {2}/.test(line)) this.#log.debug({ line }, "PostgreSQL says");
    if (/ LOG: {2}.+, elapsed time: /.test(line)) {
      this.#log.info({ line }, "PostgreSQL recovers after an unclean shutdown; on a slow disk this takes minutes");
    }
    if (this.#file.destroyed) {
      if (performance.now() - (this.#brokenAt ?? 0) < this.#retryMs) return;
      this.#file = this.#openFile();
    }
    this.#bytes += Buffer.byteLength(line) + 1;
    this.#file.write(`${line}\n`, (error) => {
      if (!error) this.#brokenAt = undefined;
    });
    if (this.#bytes > maxBytes) this.#rotate();
  }

  #rotate(): void {
    this.#bytes = 0;
    try {
      renameSync(this.#path, `${this.#path}.1`);
    } catch (error) {
      this.#log.warn({ err: error, file: this.#path }, "The log of PostgreSQL could not be rotated");
    }
    this.#file.end();
    this.#file = this.#openFile();
  }

  #openFile(): WriteStream {
    const file = createWriteStream(this.#path, { flags: "a", mode: 0o600 });
    file.on("error", (error) => {
      if (this.#brokenAt === undefined) this.#log.warn({ err: error, file: this.#path }, "The log of PostgreSQL cannot be written");
      this.#brokenAt = performance.now();
    });
    return file;
  }
}

/** The file of a log, and its size. */
export interface LogPlace {
  readonly path: string;
  readonly bytes: number;
}

/** Creates the folder of a log, before there is anything to write. */
export async function logPlace(path: string): Promise<LogPlace> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  return { path, bytes: await sizeOf(path) };
}

async function sizeOf(path: string): Promise<number> {
  try {
    return (await stat(path)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
