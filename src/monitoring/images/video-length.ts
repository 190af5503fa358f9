import { signalChild } from "../../base/lifecycle/signals.ts";
import {
  frameEverySeconds,
  irregularStepSeconds,
  irregularTimes,
  jumpSeconds,
  longestStepSeconds,
  mostFrames,
  startOn,
  VideoError,
} from "./video.ts";

/** Time limit for reading through a video. */
const runTimeoutMs = 30_000;
/** Every camera records more than this; a header that states a length for which the file has fewer bytes is wrong. */
const fewestBytesPerSecond = 2_000;
/** A stated length that differs by less from the measured one is the more precise one. */
const toleranceSeconds = 2;

/** What is known of a video's length once its frames were read. */
export interface ReadVideo {
  readonly path: string;
  readonly sizeBytes: number;
  /** By the header, which may be wrong; undefined if it says nothing. */
  readonly statedSeconds: number | undefined;
  /** Number of frames that were read. */
  readonly frames: number;
}

/**
 * Returns the length of a video in seconds, by what could be decoded: a header and timestamps may say anything. The header decides only
 * within the two seconds between frames. Reads through the file if it is longer than its frames. Throws the signal's reason if aborted.
 */
export async function lengthOf(video: ReadVideo, signal: AbortSignal): Promise<number> {
  const { path, sizeBytes, statedSeconds, frames } = video;
  const decoded = Math.max(0, frames - 1) * frameEverySeconds;
  const isWhole = frames < mostFrames || (statedSeconds !== undefined && statedSeconds <= decoded + frameEverySeconds);
  if (isWhole) return Math.min(Math.max(statedSeconds ?? 0, decoded), decoded + frameEverySeconds);
  const measured = await measureSeconds(path, { signal });
  if (measured === undefined) {
    return statedSeconds !== undefined && sizeBytes >= statedSeconds * fewestBytesPerSecond ? statedSeconds : decoded;
  }
  if (statedSeconds !== undefined && Math.abs(statedSeconds - measured) <= toleranceSeconds) return statedSeconds;
  return Math.max(measured, decoded);
}

/**
 * Returns the length of a video by the times of its packets, without jumps, in seconds; undefined if it cannot be read through within the
 * time limit. Throws the signal's reason if aborted.
 */
export async function measureSeconds(
  path: string,
  options: { readonly signal?: AbortSignal; readonly command?: string; readonly timeoutMs?: number } = {},
): Promise<number | undefined> {
  const { signal, command = "ffmpeg", timeoutMs = runTimeoutMs } = options;
  signal?.throwIfAborted();
  const started = await startOn(path, command, ["-c", "copy", "-f", "framecrc", "pipe:1"]).catch((error: unknown) => {
    if (error instanceof VideoError) return undefined;
    throw error;
  });
  if (!started?.child.stdout) return undefined;
  const { child, ended } = started;
  let isStopped = false;
  const stop = (): void => {
    isStopped = true;
    signalChild(child, "SIGKILL");
  };
  const timer = setTimeout(stop, timeoutMs);
  signal?.addEventListener("abort", stop, { once: true });
  child.stderr?.resume();
  const times = new PacketTimes();
  try {
    let begun = "";
    for await (const piece of started.child.stdout.setEncoding("utf8")) {
      const lines = `${begun}${piece}`.split("\n");
      begun = lines.pop() ?? "";
      for (const line of lines) times.read(line);
    }
    const { code } = await ended;
    signal?.throwIfAborted();
    return code === 0 && !isStopped ? times.seconds : undefined;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
    stop();
    await ended;
  }
}

/** Adds up the steps between packets, each counted as `steadyTimes` counts those between frames. */
class PacketTimes {
  #secondsPerTick = 0;
  #last: number | undefined;
  #step = 0;
  #sum = 0;
  #duration = 0;

  /** Undefined without packets. */
  get seconds(): number | undefined {
    return this.#last === undefined ? undefined : this.#sum + this.#duration;
  }

  read(line: string): void {
    const [, ticks, perSecond] = /^#tb 0: (\d+)\/(\d+)/.exec(line) ?? [];
    if (perSecond !== undefined) this.#secondsPerTick = Number(ticks) / Number(perSecond);
    const [, decodedAt, duration] = /^0, *(-?\d+), *-?\d+, *(\d+)/.exec(line) ?? [];
    if (decodedAt === undefined) return;
    const at = Number(decodedAt) * this.#secondsPerTick;
    if (this.#last !== undefined) this.#sum += this.#count(at - this.#last);
    this.#last = at;
    const lasts = Number(duration) * this.#secondsPerTick;
    this.#duration = lasts <= longestStepSeconds ? lasts : 0;
  }

  #count(step: number): number {
    const isIrregular = step > irregularStepSeconds && this.#step > 0 && step > irregularTimes * this.#step;
    if (step < 0 || step > longestStepSeconds || isIrregular) return jumpSeconds;
    this.#step = step;
    return step;
  }
}
