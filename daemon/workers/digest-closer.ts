import type { DailySummary } from "../../src/alerting/alerts/daily-summary.ts";
import { closeDueDigests } from "../../src/alerting/alerts/digests.ts";
import { nextDigestAt } from "../../src/alerting/alerts/digests-repository.ts";
import { processEndedSilences } from "../../src/alerting/alerts/ended-silences.ts";
import { followUp } from "../../src/alerting/alerts/follow-ups.ts";
import { reevaluateIncidents } from "../../src/alerting/alerts/suppressed-incidents.ts";
import type { NotificationSettings } from "../../src/alerting/channels/availability.ts";
import { keepModes } from "../../src/alerting/mode-switching/keeper.ts";
import { nextFollowUpAt } from "../../src/alerting/recipients/decisions-repository.ts";
import { nextEndAt } from "../../src/alerting/silences/ending-repository.ts";
import type { Silence } from "../../src/alerting/silences/silence.ts";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";
import { createLoop, type Loop } from "./loop.ts";

/** Longest pause between two rounds: any process may start a digest or a silence, or end a cooldown. */
const longestPauseMs = 1_000;
const batchSize = 100;

/**
 * Creates the worker that closes due digests, processes ended silences, sends the daily summary, switches modes whose delay or schedule is
 * due, follows up on alerts that no one has acknowledged, and re-evaluates incidents whose cooldown is over. The due times are in the database. `onSilenceOver` runs for each silence that this process ended.
 */
export function createDigestCloser(options: {
  readonly db: Database;
  readonly clock: Clock;
  readonly delivery: NotificationSettings;
  readonly dailySummary: DailySummary;
  readonly log: Log;
  readonly onSilenceOver: (silence: Silence) => void;
}): Loop {
  const { db, clock, delivery } = options;
  return createLoop({
    name: "digest_closer",
    critical: false,
    log: options.log,
    round: async () => {
      const modeAt = await keepModes(db, delivery, clock.now());
      const summaryAt = await options.dailySummary.sendIfDue(clock.now());
      const [digestAt, silenceAt, followUpAt] = await db.query((sql) =>
        Promise.all([nextDigestAt(sql), nextEndAt(sql), nextFollowUpAt(sql), reevaluateIncidents(sql, clock.now())]),
      );
      const waits = [digestAt, silenceAt, followUpAt, modeAt, summaryAt].flatMap((at) =>
        at ? [at.getTime() - clock.now().getTime()] : [],
      );
      const waitMs = Math.min(longestPauseMs, ...waits);
      if (waitMs > 0) return waitMs;
      await followUp(db, delivery, clock.now(), batchSize);
      await closeDueDigests(db, delivery, clock.now(), batchSize);
      const silences = await processEndedSilences(db, delivery, clock.now(), batchSize);
      for (const silence of silences) options.onSilenceOver(silence);
      return 0;
    },
  });
}
