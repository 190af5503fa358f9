import { type Clock, minuteMs } from "../../../src/base/clock/clock.ts";
import { pause } from "../../../src/base/lifecycle/pause.ts";
import type { Log } from "../../../src/base/log/log.ts";
import { isStream, shownHost } from "../../../src/monitoring/pulls/address.ts";
import { ChangeGate } from "../../../src/monitoring/pulls/change-gate.ts";
import type { Credentials } from "../../../src/monitoring/pulls/digest.ts";
import { endingOf, type PulledPicture, PullFault } from "../../../src/monitoring/pulls/pulled-picture.ts";
import type { ActivePull, PullReport } from "../../../src/monitoring/pulls/pulls-repository.ts";
import { SnapshotSource } from "../../../src/monitoring/pulls/snapshot.ts";
import { readStream } from "../../../src/monitoring/pulls/stream.ts";
import { DeliveryRefused } from "../inbox.ts";
import { Usage } from "./usage.ts";

/** Time limits of one request: a camera that is busy takes seconds for a picture. */
const [shortestTimeoutMs, longestTimeoutMs] = [5_000, 10_000];
/** A stream without a picture for this long is started again. */
const streamSilentMs = 10_000;
/** A stream that gave pictures for this long works, so the backoff starts again: a camera with bad radio loses its stream every minute. */
const steadyMs = 5_000;
const [firstBackoffMs, longestBackoffMs] = [1_000, minuteMs];
/** Without a stream, ffmpeg is started no less often than this: what the camera sends meanwhile is lost. */
const longestStreamBackoffMs = 20_000;
/** Cameras lock a user after a few wrong passwords. */
const refusedBackoffMs = 5 * minuteMs;

/** Stores a kept picture in the camera's folder. Throws `DeliveryRefused`. */
export type KeepPicture = (
  pull: ActivePull,
  picture: { readonly bytes: Buffer; readonly at: Date; readonly ending: string },
) => Promise<void>;

interface Parts {
  readonly credentials: Credentials | undefined;
  readonly clock: Clock;
  readonly log: Log;
  readonly keep: KeepPicture;
  /** Called when pictures begin or end to come. */
  readonly onChange: () => void;
  readonly command?: string | undefined;
}

/** Fetches the pictures of one camera until it is stopped, and keeps those in which something changed. */
export class CameraPull {
  readonly pull: ActivePull;
  readonly #parts: Parts;
  readonly #gate: ChangeGate;
  readonly #usage = new Usage();
  readonly #stop = new AbortController();
  readonly #done: Promise<void>;
  #seen = 0;
  #kept = 0;
  #lastPictureAt: Date | null = null;
  /** Monotonic time of the last picture, or of the start. */
  #lastPicture: number;
  /** Attempts in a row without a picture. */
  #failures = 0;
  #fault: string | null = null;
  #failingSince: Date | null = null;
  #hasNews = false;
  /** Why the last picture that was to be kept could not be stored, until one is. */
  #keepFault: string | null = null;
  /** The usual duration of a request. */
  #usualMs = 0;

  constructor(pull: ActivePull, parts: Parts) {
    this.pull = pull;
    this.#parts = parts;
    this.#gate = new ChangeGate(pull);
    this.#lastPicture = parts.clock.monotonic();
    this.#done = (isStream(pull.url) ? this.#follow() : this.#poll()).catch((error: unknown) =>
      parts.log.error({ camera: pull.cameraId, err: error }, "a camera is no longer pulled from, because of a fault in homesec"),
    );
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#done;
  }

  /** Whether the address counts as gone: two attempts in a row failed, or no picture came for two intervals. */
  isGone(): boolean {
    return this.#failures >= 2 || this.#parts.clock.monotonic() - this.#lastPicture > this.#goneAfterMs();
  }

  /** Tells whether the state that clients see has changed since the last report. */
  hasNews(): boolean {
    return this.#hasNews;
  }

  /** Takes the counts since the last report. They are lost if they cannot be stored. */
  async report(): Promise<PullReport> {
    const usage = await this.#usage.measure(this.#parts.clock.monotonic());
    if (this.isGone()) this.#fail(this.#fault ?? `no picture from ${shownHost(this.pull.url)} for ${this.#silentSeconds()} s`);
    const { cameraId, updatedAt } = this.pull;
    const counts = { seen: this.#seen, kept: this.#kept };
    [this.#seen, this.#kept, this.#hasNews] = [0, 0, false];
    return {
      cameraId,
      updatedAt,
      ...counts,
      ...usage,
      lastPictureAt: this.#lastPictureAt,
      fault: this.#fault,
      failingSince: this.#failingSince,
    };
  }

  #silentSeconds(): number {
    return Math.round((this.#parts.clock.monotonic() - this.#lastPicture) / 1_000);
  }

  /** A camera whose pictures usually take long is given more time. Before the first picture, nothing is known. */
  #goneAfterMs(): number {
    const intervals = 2 * this.pull.everyMs;
    if (isStream(this.pull.url) || this.#usualMs === 0) return Math.max(intervals, streamSilentMs);
    return Math.max(intervals, 3 * this.#usualMs, 2_000);
  }

  /** Fetches a picture per interval. The second attempt after a failure comes early, so that a single loss costs little. */
  async #poll(): Promise<void> {
    const { everyMs, url } = this.pull;
    const { clock, credentials } = this.#parts;
    const source = new SnapshotSource({ url, credentials });
    const timeoutMs = Math.min(longestTimeoutMs, Math.max(shortestTimeoutMs, 2 * everyMs));
    const { signal } = this.#stop;
    while (!signal.aborted) {
      const begin = clock.monotonic();
      let waitMs: number;
      try {
        const picture = await source.fetch({ timeoutMs, signal });
        const tookMs = clock.monotonic() - begin;
        this.#usualMs = this.#usualMs === 0 ? tookMs : 0.8 * this.#usualMs + 0.2 * tookMs;
        await this.#take(picture);
        waitMs = everyMs - (clock.monotonic() - begin);
      } catch (error) {
        if (signal.aborted) break;
        waitMs = this.#failed(error, Math.min(everyMs, longestBackoffMs)) - (this.#failures === 1 ? everyMs / 2 : 0);
      }
      await pause(Math.max(50, waitMs), signal);
    }
    source.close();
  }

  /** Reads the stream, and starts again when it ends. */
  async #follow(): Promise<void> {
    const { pull, signal, usage } = { pull: this.pull, signal: this.#stop.signal, usage: this.#usage };
    const { clock, credentials, command } = this.#parts;
    let backoffMs = firstBackoffMs;
    while (!signal.aborted) {
      const begin = clock.monotonic();
      try {
        await readStream({
          ...{ url: pull.url, credentials, everyMs: pull.everyMs, silentMs: Math.max(streamSilentMs, 2 * pull.everyMs), signal },
          ...(command !== undefined && { command }),
          onPicture: (picture) => this.#take(picture),
          onProcess: (pid) => usage.follow(pid),
        });
      } catch (error) {
        if (signal.aborted) break;
        if (this.#lastPicture - begin > steadyMs) backoffMs = firstBackoffMs;
        await pause(this.#failed(error, backoffMs), signal);
        backoffMs = Math.min(longestStreamBackoffMs, 2 * backoffMs);
      }
    }
  }

  async #take(picture: PulledPicture | "unchanged"): Promise<void> {
    const { clock, keep } = this.#parts;
    const at = clock.now();
    this.#seen += 1;
    if (this.#lastPictureAt === null) this.#tell();
    this.#lastPictureAt = at;
    this.#lastPicture = clock.monotonic();
    this.#failures = 0;
    const kept = await this.#measured(() =>
      picture === "unchanged"
        ? this.#gate.repeat(at, clock.monotonic())
        : this.#gate.take({ bytes: picture.bytes, ending: endingOf(picture), at }, clock.monotonic()),
    );
    if (kept.length > 0) this.#keepFault = null;
    for (const { picture: own } of kept) {
      try {
        await keep(this.pull, own);
        this.#kept += 1;
      } catch (error) {
        if (!(error instanceof DeliveryRefused)) throw error;
        this.#keepFault = error.message;
      }
    }
    if (this.#keepFault !== null) this.#fail(this.#keepFault);
    else if (this.#fault !== null) this.#recover();
  }

  async #measured<T>(work: () => Promise<T>): Promise<T> {
    const begin = performance.now();
    try {
      return await work();
    } finally {
      this.#usage.add(performance.now() - begin);
    }
  }

  /** Notes a failed attempt and returns the time to wait. */
  #failed(error: unknown, backoffMs: number): number {
    this.#failures += 1;
    const text =
      error instanceof PullFault ? error.message : `the picture cannot be read: ${error instanceof Error ? error.message : String(error)}`;
    this.#fail(text);
    if (this.#failures >= 2 && text.startsWith("401")) return refusedBackoffMs;
    return isStream(this.pull.url) ? backoffMs : Math.min(longestBackoffMs, backoffMs * 2 ** Math.max(0, this.#failures - 2));
  }

  #fail(fault: string): void {
    const isNew = this.#fault !== fault || this.#failures === 2;
    this.#fault = fault;
    this.#failingSince ??= this.#parts.clock.now();
    if (isNew) this.#tell();
  }

  #recover(): void {
    [this.#fault, this.#failingSince] = [null, null];
    this.#tell();
  }

  #tell(): void {
    this.#hasNews = true;
    this.#parts.onChange();
  }
}
