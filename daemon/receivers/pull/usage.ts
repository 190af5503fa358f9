import { minuteMs } from "../../../src/base/clock/clock.ts";
import { usageOf } from "../../../src/monitoring/pulls/stream.ts";

/** The processor time that one camera costs: comparing its pictures here, and ffmpeg's own. */
export class Usage {
  /** The process that reads the stream, and its processor time when it was last read. */
  #process: { readonly pid: number; cpuMs: number } | undefined;
  #totalMs = 0;
  /** Totals of the last minute. */
  readonly #samples: { readonly at: number; readonly totalMs: number }[] = [];

  /** Adds time that was spent in this process. */
  add(ms: number): void {
    this.#totalMs += ms;
  }

  /** A new process reads the stream. */
  follow(pid: number): void {
    this.#process = { pid, cpuMs: 0 };
  }

  /** Measures at a monotonic time. The share is null until ten seconds have been measured. */
  async measure(at: number): Promise<{ readonly cpuPercent: number | null; readonly memoryBytes: number | null }> {
    const followed = this.#process;
    const used = followed && (await usageOf(followed.pid));
    if (followed && used) {
      this.#totalMs += Math.max(0, used.cpuMs - followed.cpuMs);
      followed.cpuMs = used.cpuMs;
    }
    this.#samples.push({ at, totalMs: this.#totalMs });
    while ((this.#samples[1]?.at ?? at) <= at - minuteMs) this.#samples.shift();
    const [oldest] = this.#samples;
    const memoryBytes = used?.memoryBytes ?? null;
    if (!oldest || at - oldest.at < 10_000) return { cpuPercent: null, memoryBytes };
    return { cpuPercent: Math.round((1_000 * (this.#totalMs - oldest.totalMs)) / (at - oldest.at)) / 10, memoryBytes };
  }
}
