import { bringForwardCooldowns } from "../../src/alerts/cooldowns-repository.ts";
import { bringForwardDigests } from "../../src/alerts/digests-repository.ts";
import { forgetFutureSights } from "../../src/cameras/status-repository.ts";
import type { Sql } from "../../src/engines/database.ts";
import { bringForwardJobs } from "../../src/jobs/jobs-repository.ts";
import { bringForwardSilences } from "../../src/silences/ending-repository.ts";
import { bringForwardRetries } from "../../src/webhooks/deliveries-repository.ts";

/** The clock was set back: nothing may wait, or seem newer than what comes, until the clock has caught up. */
export async function leaveTheFuture(sql: Sql, now: Date): Promise<void> {
  await bringForwardJobs(sql, now);
  await bringForwardRetries(sql, now);
  await bringForwardSilences(sql, now);
  await bringForwardCooldowns(sql, now);
  await bringForwardDigests(sql, now);
  await forgetFutureSights(sql, now);
}
