/** A background worker as the supervisor sees it. Status responses use its name. */
export interface Worker {
  readonly name: string;
  /** No picture is processed without a critical worker, so readiness requires it. */
  readonly critical: boolean;
  /** A worker without a heartbeat for this long counts as stuck and is restarted. */
  readonly stuckAfterMs: number;
  /** Starts it. Rejects on failure; the supervisor retries later. */
  start(): Promise<void>;
  /** Stops it; must be safe after a failed start. */
  stop(): Promise<void>;
  /** Monotonic time of its last heartbeat, in milliseconds. */
  heartbeat(): number;
  /** Its current message, such as the reason why it waits. */
  message?(): string | null;
}
