import type { HitRule } from "./store.ts";

/** Of more keys at once the one that was quiet for longest is forgotten: who can make up keys shall not fill our memory. */
const mostKeys = 10_000;

/** The newest hits of one key, in a ring: `oldest` is the place of the oldest once the ring is full. */
interface Hits {
  readonly times: number[];
  oldest: number;
  last: number;
  keepMs: number;
}

/**
 * The hits of many keys in bounded memory. Whether `most` hits lie in the window is told by one of them, the `most`th
 * newest; so older ones need not be kept.
 */
export class HitWindows {
  /** In the order of their last hits. */
  readonly #keys = new Map<string, Hits>();

  get size(): number {
    return this.#keys.size;
  }

  /** As `Store.hit`. */
  hit(key: string, at: number, { windowMs, most, keepMs }: HitRule): boolean {
    this.#forget(at);
    const hits = this.#keys.get(key) ?? { times: [], oldest: 0, last: at, keepMs };
    this.#keys.delete(key);
    this.#keys.set(key, hits);
    hits.last = at;
    if (hits.times.length < most) {
      hits.times.push(at);
      return true;
    }
    const decisive = hits.times[hits.oldest] ?? at;
    hits.times[hits.oldest] = at;
    hits.oldest = (hits.oldest + 1) % most;
    // a clock that was set back must not lock anybody out until it has caught up
    return Math.abs(at - decisive) >= windowMs;
  }

  #forget(at: number): void {
    for (const [key, { last, keepMs }] of this.#keys) {
      if (Math.abs(at - last) < keepMs && this.#keys.size < mostKeys) return;
      this.#keys.delete(key);
    }
  }
}
