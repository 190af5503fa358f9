/** Number of connections that may be open at the same time. */
export interface MostConnections {
  readonly perAddress: number;
  readonly inAll: number;
}

/** Counts open connections per address and in all. */
export class ConnectionLimit {
  readonly #most: MostConnections;
  readonly #byAddress = new Map<string, number>();
  #inAll = 0;

  constructor(most: MostConnections) {
    this.#most = most;
  }

  /** Counts a connection. Returns the function that ends it, which must be called once, or undefined if there are too many. */
  open(address: string): (() => void) | undefined {
    const count = this.#byAddress.get(address) ?? 0;
    if (count >= this.#most.perAddress || this.#inAll >= this.#most.inAll) return undefined;
    this.#byAddress.set(address, count + 1);
    this.#inAll += 1;
    return () => {
      const left = (this.#byAddress.get(address) ?? 1) - 1;
      if (left === 0) this.#byAddress.delete(address);
      else this.#byAddress.set(address, left);
      this.#inAll -= 1;
    };
  }
}
