/** A background worker as the supervisor sees it. Its name is the one in status responses. */
export interface Worker {
  readonly name: string;
  /** Without a critical worker no picture is processed: readiness needs it. */
  readonly critical: boolean;
  /** Without a heartbeat for this long the worker counts as stuck and is restarted. */
  readonly stuckAfterMs: number;
  /** Starts it. Rejects on failure; the supervisor retries later. */
  start(): Promise<void>;
  /** Stops it; must be safe after a failed start. */
  stop(): Promise<void>;
  /** Monotonic time of its last heartbeat, in milliseconds. */
  heartbeat(): number;
  /** Its current message, such as what it waits for. */
  message?(): string | null;
}
