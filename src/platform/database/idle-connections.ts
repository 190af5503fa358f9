import type { Connection } from "./connection.ts";

interface Unused {
  readonly connection: Connection;
  /** When it was given back, of `performance.now()`. */
  readonly since: number;
}

/**
 * The connections of a pool that nobody has. The newest is lent first, so that after a rush the others stay unused, and they are ended after a while:
 * each session keeps all statements that it ever saw, in the server and here.
 */
export class IdleConnections {
  /** In the order in which they were given back. */
  readonly #stack: Unused[] = [];
  readonly #endAfterMs: number;
  readonly #end: (connection: Connection) => void;
  #timer: NodeJS.Timeout | undefined;

  /** `end` is called with each connection, but for the last one, that was unused for `endAfterMs`. */
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

  /** All that there are; from now on none is ended by itself. */
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
    // no reason for a program to stay
    this.#timer.unref();
  }
}
