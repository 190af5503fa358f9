import { closeDueDigests } from "../../src/alerting/alerts/digests.ts";
import { nextDigestAt } from "../../src/alerting/alerts/digests-repository.ts";
import { processEndedSilences } from "../../src/alerting/alerts/ended-silences.ts";
import { reevaluateIncidents } from "../../src/alerting/alerts/suppressed-incidents.ts";
import type { NotificationSettings } from "../../src/alerting/notifications/channels.ts";
import { nextEndAt } from "../../src/alerting/silences/ending-repository.ts";
import type { Silence } from "../../src/alerting/silences/silence.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

/** With nothing due in sight it still looks so often: any process may have begun a digest or a silence, or ended a cooldown. */
const longestPauseMs = 1_000;
const atOnce = 100;

/**
 * Makes the worker that closes digests, takes up the ends of silences and has incidents looked at again whose cooldown is over, when they are due, from
 * timers kept in rows. `onClosed`: there is something to tell. `onSilenceOver`: this process took up the end of a silence.
 */
export function createDigestCloser(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly delivery: NotificationSettings;
  readonly log: Log;
  readonly onClosed: () => void;
  readonly onSilenceOver: (silence: Silence) => void;
}): Loop {
  const { db, clock, delivery } = options;
  return createLoop({
    name: "digest_closer",
    critical: false,
    log: options.log,
    round: async () => {
      const [digestAt, silenceAt] = await db.query((sql) =>
        Promise.all([nextDigestAt(sql), nextEndAt(sql), reevaluateIncidents(sql, clock.now())]),
      );
      const waits = [digestAt, silenceAt].flatMap((at) => (at ? [at.getTime() - clock.now().getTime()] : []));
      const waitMs = Math.min(longestPauseMs, ...waits);
      if (waitMs > 0) return waitMs;
      const digests = await closeDueDigests(db, delivery, clock.now(), atOnce);
      const silences = await processEndedSilences(db, delivery, clock.now(), atOnce);
      if (digests + silences.length > 0) options.onClosed();
      for (const silence of silences) options.onSilenceOver(silence);
      return 0;
    },
  });
}
