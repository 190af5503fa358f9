import { bringForwardCooldowns } from "../../src/alerting/alerts/cooldowns-repository.ts";
import { bringForwardDigests } from "../../src/alerting/alerts/digests-repository.ts";
import { bringForwardSilences } from "../../src/alerting/silences/ending-repository.ts";
import { bringForwardRetries } from "../../src/alerting/webhooks/deliveries-repository.ts";
import { clampFutureTimes } from "../../src/monitoring/cameras/status-repository.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { promoteAllJobs } from "../../src/work/jobs/jobs-repository.ts";

/** Moves future times to now after the clock was set back, so that no job waits until the clock has caught up. */
export async function releaseFutureJobs(sql: Sql, now: Date): Promise<void> {
  await promoteAllJobs(sql, now);
  await bringForwardRetries(sql, now);
  await bringForwardSilences(sql, now);
  await bringForwardCooldowns(sql, now);
  await bringForwardDigests(sql, now);
  await clampFutureTimes(sql, now);
}
