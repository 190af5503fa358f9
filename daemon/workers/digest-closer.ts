import { closeDueDigests, type Delivery } from "../../src/alerts/digests.ts";
import { nextDigestAt } from "../../src/alerts/digests-repository.ts";
import type { Clock } from "../../src/clock/clock.ts";
import type { Database } from "../../src/engines/database.ts";
import type { Log } from "../../src/log/log.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Without a due digest in sight it still looks so often: any process may have begun one. */
const longestPauseMs = 1_000;
const digestsAtOnce = 100;

/** Makes the worker that closes digests when they are due, from timers kept in rows. `onClosed`: there are notifications to deliver. */
export function createDigestCloser(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly delivery: Delivery;
  readonly log: Log;
  readonly onClosed: () => void;
}): Loop {
  const { db, clock, delivery } = options;
  return createLoop({
    name: "digest_closer",
    critical: false,
    log: options.log,
    round: async () => {
      const next = await db.query(nextDigestAt);
      if (!next) return longestPauseMs;
      const waitMs = next.getTime() - clock.now().getTime();
      if (waitMs > 0) return Math.min(longestPauseMs, waitMs);
      if ((await closeDueDigests(db, delivery, clock.now(), digestsAtOnce)) > 0) options.onClosed();
      return 0;
    },
  });
}
