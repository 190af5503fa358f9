// A process that has the rules look at what waits for them, as the daemon's worker does: two jobs at a time, until none is left.
import { randomUUID } from "node:crypto";
import { channelAvailability } from "../../../../src/alerting/channels/availability.ts";
import { silentLog } from "../../../../src/base/log/log.ts";
import { createAlertStage } from "../../../../src/pipeline/alert.ts";
import { openPool } from "../../../../src/platform/database/pool.ts";
import { claimNextJobs } from "../../../../src/work/jobs/jobs-repository.ts";

const clock = { now: () => new Date(), monotonic: () => performance.now() };
const db = openPool({ url: process.argv[2] }, { max: 4, log: silentLog });
const processId = randomUUID();
const availability = channelAvailability({ notificationEnabled: false, defaultEmailRecipients: [] });
const delivery = { availability, expiryHours: 24 };
const stage = createAlertStage({ db, clock, log: silentLog, delivery, onStored: () => {}, onVerdicts: () => {} });

async function work() {
  let done = 0;
  for (;;) {
    const claim = { queue: "alert", processId, now: clock.now() };
    const [job] = await db.query((sql) => claimNextJobs(sql, claim, 1));
    if (!job) return done;
    await stage.run(job, new AbortController().signal);
    done += 1;
  }
}

await db.query((sql) => sql`select 1`);
process.on("message", async () => {
  const done = await Promise.all([work(), work()]);
  await db.close();
  process.send(done[0] + done[1], () => process.disconnect());
});
process.send("ready");
