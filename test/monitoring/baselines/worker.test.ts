import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createBaselineLearner } from "../../../daemon/workers/baseline-learner.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

const hour = new Date("2026-03-02T14:00:00Z");
const minute = (n: number) => new Date(hour.getTime() + n * 60_000);

let desk: Desk;
const stops: (() => Promise<void>)[] = [];
beforeEach(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, status, last_seen_at)
      values ('front', 'Front Door', '/f', 'online', '2026-03-02T13:00Z')
    `,
  );
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await desk.close();
});

async function start(watching: () => boolean) {
  const worker = createBaselineLearner({ db: desk.db, clock: desk.context.clock, timeZone: "UTC", log: silentLog, watching });
  await worker.start();
  stops.push(() => worker.stop());
  return worker;
}
const minutesSeen = async () => {
  const [row] = await desk.db.query(
    (sql) => sql<{ minutes: number }[]>`select bit_count(o.minutes::bit(64)) as minutes from observed_hours o`,
  );
  return Number(row?.minutes ?? 0);
};

describe("the worker", () => {
  it("learns an hour that two processes watched by turns, and not while no pictures are found", async () => {
    desk.at(hour);
    let isWatching = true;
    const one = await start(() => isWatching);
    await eventually(async () => (await minutesSeen()) === 1);
    for (let n = 1; n < 30; n += 1) {
      desk.at(minute(n));
      one.wake();
      await eventually(async () => (await minutesSeen()) === n + 1);
    }
    isWatching = false;
    desk.at(minute(30));
    const two = await start(() => true);
    for (let n = 30; n < 56; n += 1) {
      desk.at(minute(n));
      one.wake();
      two.wake();
      await eventually(async () => (await minutesSeen()) === n + 1);
    }
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, file_path, detected_at, object_type, confidence)
        values ('front', '/f/a.jpg', ${minute(10)}, 'cat', 0.9)
      `,
    );
    desk.at(minute(63));
    one.wake();
    two.wake();
    const learned = () =>
      desk.db.query(
        (sql) => sql<{ mean: number; samples: number }[]>`select b.avg_count as mean, b.sample_count as samples from activity_baselines b`,
      );
    await eventually(async () => (await learned()).length === 1);
    expect([...(await learned())]).toEqual([{ mean: 1, samples: 1 }]);
  });

  it("reports a busy running hour once, from whichever process", async () => {
    await desk.db.query(
      (sql) => sql`
        insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, last_hour, updated_at)
        values ('front', 0, 14, 9, 9, 20, '2026-02-23T14:00Z', now())
      `,
    );
    await desk.db.query(
      (sql) => sql`
        insert into detections (camera_id, file_path, detected_at, object_type, confidence)
        select 'front', '/f/a.jpg', ${minute(10)}::timestamptz + n * interval '1 second', 'person', 0.9 from generate_series(1, 27) n
      `,
    );
    desk.at(minute(20));
    let told = 0;
    desk.db.onCommitted((note) => {
      if (note === "journal") told += 1;
    });
    const workers = [await start(() => true), await start(() => true)];
    await eventually(async () => (await desk.journal("anomaly")).length === 2);
    await eventually(async () => told > 0);
    for (const worker of workers) worker.wake();
    for (const stop of stops.splice(0)) await stop();
    // the total, and the class that is new here
    expect((await desk.journal("anomaly")).map(({ detection_class }) => detection_class)).toEqual([null, "person"]);
  });
});
