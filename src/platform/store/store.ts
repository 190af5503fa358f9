/** Counts hits in a sliding window. */
export interface HitRule {
  readonly windowMs: number;
  /** Maximum number of hits in the window; no more are stored per key. */
  readonly max: number;
  /** A key is deleted this long after its last hit; at least `windowMs`. */
  readonly keepMs: number;
}

/** The disposable store: caches, limits and fan-out, in this process or on Redis/Valkey. Its loss loses no data. */
export interface Store {
  readonly kind: "in-process" | "redis";
  /** Returns the version for health: `in-process`, or the server's report. Throws if the server does not reply in time. */
  version(): Promise<string>;
  /**
   * Records a hit of `key` at `at` (milliseconds) and resolves to whether fewer than `max` hits lay in the window before it. The window
   * excludes `at` and a hit exactly `windowMs` old. Processes that share a store must agree on the time. Rejects if the server does not
   * reply, and at once while it is known to be down.
   */
  hit(key: string, at: number, rule: HitRule): Promise<boolean>;
  close(): Promise<void>;
}
