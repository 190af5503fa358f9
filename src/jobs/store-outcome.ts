import type { Clock } from "../clock/clock.ts";
import { minuteMs } from "../clock/durations.ts";
import { DatabaseUnavailable } from "../engines/pg-errors.ts";
import { pause } from "../lifecycle/pause.ts";

const everyMs = 1_000;
/** Far less than the lease of a job, after which it is sent again whatever happens here. */
const longestMs = 2 * minuteMs;

/**
 * Stores what became of a message that was sent: what is not stored is sent again. While the database is away it is tried again each second, for two
 * minutes or until `signal` fires; then rejects as the last try did. `store` has to notice when it was stored before, which is not known of a commit
 * whose connection broke.
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
