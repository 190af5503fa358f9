import type { Frame } from "./frame.ts";

const maxFrames = 1_024;
const maxBytes = 4 * 1024 * 1024;

/** The newest frames, without holes. A client that was away for a moment resumes from them without a database read. */
export class RecentFrames {
  #frames: Frame[] = [];
  #bytes = 0;

  /** Adds `frames`, which must follow directly on the frames added before. */
  push(frames: readonly Frame[]): void {
    for (const frame of frames) this.#bytes += frame.bytes.length;
    this.#frames.push(...frames);
    let dropped = 0;
    while (this.#frames.length - dropped > maxFrames || this.#bytes > maxBytes) {
      const oldest = this.#frames[dropped];
      if (!oldest) break;
      this.#bytes -= oldest.bytes.length;
      dropped += 1;
    }
    if (dropped > 0) this.#frames = this.#frames.slice(dropped);
  }

  /** All frames after `sequence`; undefined if older ones than those in memory are needed. */
  after(sequence: number): readonly Frame[] | undefined {
    const oldest = this.#frames[0];
    if (!oldest || oldest.sequence > sequence + 1) return undefined;
    return this.#frames.slice(sequence + 1 - oldest.sequence);
  }

  /** The frame with this sequence; undefined if it is not in memory. */
  at(sequence: number): Frame | undefined {
    return this.#frames[sequence - (this.#frames[0]?.sequence ?? 0)];
  }

  clear(): void {
    this.#frames = [];
    this.#bytes = 0;
  }
}
