/** A background worker as the supervisor sees it. Its name is the one in status responses. */
export interface Worker {
  readonly name: string;
  /** Without a critical worker no picture is processed: readiness needs it. */
  readonly critical: boolean;
  /** Without a sign of life for so long the worker counts as stuck and is restarted. */
  readonly stuckAfterMs: number;
  /** Starts it. Rejects when it cannot; the supervisor tries again later. */
  start(): Promise<void>;
  /** Stops it; must be safe after a failed start. */
  stop(): Promise<void>;
  /** Monotonic milliseconds of its last sign of life. */
  heartbeat(): number;
  /** What it has to say of itself while it runs, such as what it waits for. */
  message?(): string | null;
}
