import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { Writable } from "node:stream";
import pino from "pino";
import pretty from "pino-pretty";
import type { Clock } from "../src/base/clock/clock.ts";
import { localDay } from "../src/base/clock/local-day.ts";
import type { Log } from "../src/base/log/log.ts";
import { redact } from "../src/base/log/redact.ts";

export interface LogOptions {
  readonly level: "debug" | "info" | "warn" | "error";
  /** How lines look at `destination`. Files always hold JSON. */
  readonly format: "pretty" | "json";
  /** Whether pretty lines have colours. */
  readonly colour?: boolean;
  readonly destination: NodeJS.WritableStream;
  /** Where the daily files go; no files without it. */
  readonly folder?: string;
  readonly clock: Clock;
}

/** A log that is open. */
export interface OpenLog extends Log {
  /** Changes the least important level that is logged. */
  setLevel(level: LogOptions["level"]): void;
  /** Ends the file. What is logged afterwards goes to the destination only. */
  close(): void;
}

/**
 * A log to `destination` and into `<folder>/YYYY-MM-DD.ndjson`, a new file each local day. Secrets are masked in every
 * line. A file that cannot be written is reported once at the destination and never stops the caller.
 */
export function createLog({ level, format, colour = false, destination, folder, clock }: LogOptions): OpenLog {
  const shown = format === "pretty" ? prettyLines(destination, colour) : destination;
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

/** `own` goes with every line; merged here, since pino's children write a field twice when a line has one of the same name. */
function asLog(logger: pino.Logger, own: object = {}): Log {
  return {
    debug: (fields, message) => logger.debug({ ...own, ...fields }, message),
    info: (fields, message) => logger.info({ ...own, ...fields }, message),
    warn: (fields, message) => logger.warn({ ...own, ...fields }, message),
    error: (fields, message) => logger.error({ ...own, ...fields }, message),
    child: (fields) => asLog(logger, { ...own, ...fields }),
  };
}

/** One line a message, with local times: for a person at a terminal. */
function prettyLines(destination: LogOptions["destination"], colorize: boolean): Writable {
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
      lines.write(harmless(line));
      done();
    },
  });
}

/**
 * A JSON line whose texts do nothing to a terminal: names of files and answers of services may hold signs that move the cursor, and signs
 * that reorder text. Ends of lines and tabs stay.
 */
function harmless(line: string): string {
  return line.replace(/\\\\|\\u00(?:[01][0-9a-f]|7f)|\\[bfr]|[\u007f-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/gi, (found) =>
    found === "\\\\" ? found : "\ufffd",
  );
}

/** A file that could not be written is tried again so often: a disk that was full has room again. */
const retryMs = 10_000;

/** A file per local day. Written at once: what was logged before a crash is what explains it. */
class DailyFile {
  readonly #folder: string;
  readonly #clock: Clock;
  readonly #onProblem: (problem: string) => void;
  #day = "";
  #descriptor: number | undefined;
  #state: "writing" | "broken" | "closed" = "writing";
  #brokenAt = 0;
  /** The last line was written in part only. */
  #isTorn = false;

  constructor(folder: string, clock: Clock, onProblem: (problem: string) => void) {
    this.#folder = folder;
    this.#clock = clock;
    this.#onProblem = onProblem;
  }

  write(line: string): void {
    const now = this.#clock.now();
    const wasBroken = this.#state === "broken";
    // either way round: the clock may have been set back
    if (this.#state === "closed" || (wasBroken && Math.abs(now.getTime() - this.#brokenAt) < retryMs)) return;
    try {
      const bytes = Buffer.from(this.#isTorn ? `\n${line}` : line);
      const written = writeSync(this.#fileOf(localDay(now)), bytes);
      if (written > 0) this.#isTorn = written < bytes.length;
      if (written < bytes.length) throw new Error("there is no room on the disk");
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
