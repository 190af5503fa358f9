import type { Clock } from "../../base/clock/clock.ts";
import { minuteMs } from "../../base/clock/durations.ts";
import { pause } from "../../base/lifecycle/pause.ts";
import { DatabaseUnavailable } from "../../platform/database/pg-errors.ts";

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
