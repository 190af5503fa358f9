import { type Clock, minuteMs } from "../../base/clock/clock.ts";
import { pause } from "../../base/lifecycle/pause.ts";
import { DatabaseUnavailable } from "../../platform/database/pg-errors.ts";

const everyMs = 1_000;
/** Far less than the lease of a job: when the lease expires, the message is sent again in any case. */
const longestMs = 2 * minuteMs;

/**
 * Stores the outcome of a sent message; a message without a stored outcome is sent again. While the database is unavailable, it retries
 * every second, for two minutes or until `signal` aborts, and then rejects with the last error. `store` must detect that an earlier call
 * has already stored the outcome, because a commit whose connection broke may have taken effect.
 */
export async function storeOutcome<T>(
  store: () => Promise<T>,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<T> {
  const begunAt = clock.monotonic();
  for (;;) {
    try {
      return await store();
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable) || signal.aborted || clock.monotonic() - begunAt > longestMs) throw error;
      await pause(everyMs, signal);
    }
  }
}
