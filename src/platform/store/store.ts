/** How hits are counted: by a window that slides. */
export interface HitRule {
  readonly windowMs: number;
  /** So many hits fit into the window; not more of them are kept for a key. */
  readonly most: number;
  /** A key is forgotten so long after its last hit; at least `windowMs`. */
  readonly keepMs: number;
}

/** The disposable store: caches, limits and fan-out, in this process or on Redis/Valkey. Losing it loses nothing. */
export interface Store {
  readonly kind: "in-process" | "redis";
  /** Version text for health: `in-process`, or what the server reports. Throws when the server does not answer in time. */
  version(): Promise<string>;
  /**
   * Records a hit of `key` at `at` (milliseconds) and resolves to whether fewer than `most` hits lay in the window before
   * it: `at` itself is its open end, and a hit exactly `windowMs` old is out of it. Processes that share a store must
   * agree on the time. Rejects when the server does not answer; once it is known to be away, at once.
   */
  hit(key: string, at: number, rule: HitRule): Promise<boolean>;
  close(): Promise<void>;
}
