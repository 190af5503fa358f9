import type { Connection } from "./connection.ts";

interface Unused {
  readonly connection: Connection;
  /** Time of its return to the pool, from `performance.now()`. */
  readonly since: number;
}

/**
 * The unused connections of a pool. The newest is taken first, so that after a peak the others stay unused and are ended after a while:
 * each session keeps all its statements in memory, in the server and here.
 */
export class IdleConnections {
  /** In the order of their return. */
  readonly #stack: Unused[] = [];
  readonly #endAfterMs: number;
  readonly #end: (connection: Connection) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `end` is called with each connection that was unused for `endAfterMs`, except the last one. */
  constructor(endAfterMs: number, end: (connection: Connection) => void) {
    this.#endAfterMs = endAfterMs;
    this.#end = end;
  }

  get size(): number {
    return this.#stack.length;
  }

  give(connection: Connection): void {
    this.#stack.push({ connection, since: performance.now() });
    this.#endLater();
  }

  take(): Connection | undefined {
    return this.#stack.pop()?.connection;
  }

  remove(connection: Connection): void {
    const at = this.#stack.findIndex((unused) => unused.connection === connection);
    if (at !== -1) this.#stack.splice(at, 1);
  }

  /** Returns all connections; from now on none is ended automatically. */
  takeAll(): Connection[] {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    return this.#stack.splice(0).map(({ connection }) => connection);
  }

  #endLater(): void {
    if (this.#stack.length < 2 || this.#timer) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      const before = performance.now() - this.#endAfterMs;
      while (this.#stack.length > 1 && (this.#stack[0] as Unused).since <= before) this.#end((this.#stack.shift() as Unused).connection);
      this.#endLater();
    }, this.#endAfterMs);
    // The timer must not keep the program alive
    this.#timer.unref();
  }
}
