import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import pino from "pino";
import pretty from "pino-pretty";
import { localDay } from "../src/base/clock/calendar.ts";
import type { Clock } from "../src/base/clock/clock.ts";
import type { Log } from "../src/base/log/log.ts";
import { redact } from "../src/base/log/redact.ts";
import { typable } from "../src/base/text/format.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** Format of the lines at `destination`. Files always hold JSON. */
  readonly format: "pretty" | "json";
  /** Whether pretty lines have colours. */
  readonly colour?: boolean;
  /** How the user calls homesec, for commands in pretty lines. */
  readonly called?: string;
  readonly destination: NodeJS.WritableStream;
  /** Folder of the daily files. Without it, no files are written. */
  readonly folder?: string;
  readonly clock: Clock;
}

/** An open log. */
export interface OpenLog extends Log {
  /** Changes the lowest level that is logged. */
  setLevel(level: LogOptions["level"]): void;
  /** Closes the file. Later lines go to the destination only. */
  close(): void;
}

/**
 * Creates a log to `destination` and to `<folder>/YYYY-MM-DD.ndjson`, with a new file each local day. Masks secrets in every line. If a
 * file cannot be written, the log reports that once at the destination and never stops the caller.
 */
export function createLog({ level, format, colour = false, called, destination, folder, clock }: LogOptions): OpenLog {
  const shown = format === "pretty" ? prettyLines(destination, colour, called) : destination;
  const file = folder === undefined ? undefined : new DailyFile(folder, clock, (problem) => logger.error({ folder }, problem));
  const logger = pino(
    {
      level,
      base: null,
      timestamp: () => `,"time":"${clock.now().toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err, error: pino.stdSerializers.err, cause: pino.stdSerializers.err },
    },
    {
      write(line: string) {
        const safe = redact(line);
        shown.write(safe);
        file?.write(safe);
      },
    },
  );
  return Object.assign(asLog(logger), {
    setLevel: (next: LogOptions["level"]) => {
      logger.level = next;
    },
    close: () => file?.close(),
  });
}

/** Adds `own` to every line. It is merged here because pino's children write a field twice if the line has one of the same name. */
function asLog(logger: pino.Logger, own: object = {}): Log {
  return {
    debug: (fields, message) => logger.debug({ ...own, ...fields }, message),
    info: (fields, message) => logger.info({ ...own, ...fields }, message),
    warn: (fields, message) => logger.warn({ ...own, ...fields }, message),
    error: (fields, message) => logger.error({ ...own, ...fields }, message),
    child: (fields) => asLog(logger, { ...own, ...fields }),
  };
}

/** One line per message, with local times: for a person at a terminal. */
function prettyLines(destination: LogOptions["destination"], colorize: boolean, called: string | undefined): Writable {
  const target = new Writable({
    decodeStrings: false,
    write: (chunk: string | Buffer, _encoding, done) => {
      destination.write(chunk);
      done();
    },
  });
  const lines = pretty({ destination: target, sync: true, colorize, singleLine: true, translateTime: "SYS:HH:MM:ss.l", messageKey: "msg" });
  return new Writable({
    decodeStrings: false,
    write: (line: string, _encoding, done) => {
      lines.write(harmless(typable(line, called)));
      done();
    },
  });
}

/**
 * Makes a JSON line safe for a terminal: file names and replies of services may contain characters that move the cursor, reorder text or
 * start a line that homesec did not write. Tabs and the lines of a stack trace stay.
 */
function harmless(line: string): string {
  const risky = /\\\\|\\n(?! {4}at )|\\u00(?:[01][0-9a-f]|7f)|\\[bfr]|[\u007f-\u009f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069]/gi;
  return line.replace(risky, (found) => {
    if (found === "\\\\") return found;
    return found === "\\n" ? " ⏎ " : "\ufffd";
  });
}

/** Delay before the file is tried again after a failed write: a full disk may have room again. */
const retryMs = 10_000;

/** One file per local day. Lines are written at once, since the last lines before a crash explain it. */
class DailyFile {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onProblem: (problem: string) => void;
  #day = "";
  #descriptor: number | undefined;
  #state: "writing" | "broken" | "closed" = "writing";
  #brokenAt = 0;
  /** The last line was written only in part. */
  #isTorn = false;

  constructor(folder: string, clock: Clock, onProblem: (problem: string) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  write(line: string): void {
    const now = this.#clock.now();
    const wasBroken = this.#state === "broken";
    // in both directions, since the clock may have been set back
    if (this.#state === "closed" || (wasBroken && Math.abs(now.getTime() - this.#brokenAt) < retryMs)) return;
    try {
      const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
      const written = writeSync(this.#fileOf(localDay(now)), bytes);
      if (written > 0) this.#isTorn = written < bytes.length;
      if (written < bytes.length) throw new Error("the disk is full");
      this.#state = "writing";
    } catch (error) {
      this.#state = "broken";
      this.#brokenAt = now.getTime();
      if (!wasBroken) this.#onProblem(`the log file cannot be written: ${error instanceof Error ? error.message : String(error)}`);
    }
  }

  close(): void {
    this.#state = "closed";
    this.#release();
  }

  #fileOf(day: string): number {
    if (this.#descriptor !== undefined && day === this.#day) return this.#descriptor;
    this.#release();
    this.#day = day;
    mkdirSync(this.#folder, { recursive: true, mode: 0o700 });
    this.#descriptor = openSync(join(this.#folder, `${day}.ndjson`), "a", 0o600);
    return this.#descriptor;
  }

  #release(): void {
    if (this.#descriptor !== undefined) closeSync(this.#descriptor);
    this.#descriptor = undefined;
    this.#isTorn = false;
  }
}
