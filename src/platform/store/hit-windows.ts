import type { HitRule } from "./store.ts";

/** Maximum number of keys; beyond it, the key idle for longest is dropped, so that clients that invent keys cannot fill the memory. */
const maxKeys = 10_000;

/** The newest hits of one key in a ring buffer: `oldest` is the index of the oldest once the buffer is full. */
interface Hits {
  readonly times: number[];
  oldest: number;
  last: number;
  keepMs: number;
}

/**
 * The hits of many keys in bounded memory. The `max`th newest hit tells whether `max` hits lie in the window, so older ones are not
 * stored.
 */
export class HitWindows {
  /** In the order of their last hits. */
  readonly #keys = new Map<string, Hits>();

  get size(): number {
    return this.#keys.size;
  }

  /** As `Store.hit`. */
  hit(key: string, at: number, { windowMs, max, keepMs }: HitRule): boolean {
    this.#forget(at);
    const hits = this.#keys.get(key) ?? { times: [], oldest: 0, last: at, keepMs };
    this.#keys.delete(key);
    this.#keys.set(key, hits);
    hits.last = at;
    if (hits.times.length < max) {
      hits.times.push(at);
      return true;
    }
    const decisive = hits.times[hits.oldest] ?? at;
    hits.times[hits.oldest] = at;
    hits.oldest = (hits.oldest + 1) % max;
    // A clock that was set back must not block clients until it has caught up
    return Math.abs(at - decisive) >= windowMs;
  }

  #forget(at: number): void {
    for (const [key, { last, keepMs }] of this.#keys) {
      if (Math.abs(at - last) < keepMs && this.#keys.size < maxKeys) return;
      this.#keys.delete(key);
    }
  }
}
