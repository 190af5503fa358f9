import { afterAll, beforeAll, expect, test } from "vitest";
import { type Desk, openDesk } from "../support/operations.ts";
import { detectionsPerEvent, fillWithEvents } from "./many-events.ts";
import { report } from "./report.ts";

const events = Number(process.env["BENCH_BACKTEST_EVENTS"] ?? 100_000);
const days = 90;
const rounds = 5;

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.at(new Date());
  await fillWithEvents(desk.db, events);
  await desk.db.transaction(async (sql) => {
    await sql`
      update events e
      set started_at = t.at, ended_at = t.at + interval '20 s', created_at = t.at + interval '50 s'
      from (
        select n.event_id, now() - (${events} - n.event_id) * (interval '1 day' * ${days} / ${events}) - interval '1 hour' as at
        from events n
      ) t
      where t.event_id = e.event_id
    `;
    await sql`
      insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
      select e.event_id, 1, e.created_at, e.created_at + interval '10 s', 'completed' from events e
    `;
  });
  await desk.db.query(
    (sql) => sql`
      update detections d
      set picture_width = 1920, picture_height = 1080, bbox_x = d.detection_id % 1800, bbox_y = d.detection_id * 7 % 900
    `,
  );
  for (const { camera_id } of (await desk.ask("listCameras")).cameras) {
    const points = [
      { x: 0, y: 0.2 },
      { x: 0.9, y: 0.2 },
      { x: 0.9, y: 1 },
      { x: 0.4, y: 0.8 },
      { x: 0, y: 1 },
    ];
    for (const name of ["driveway", "street"]) await desk.ask("setZone", { params: { camera_id, name }, body: { points } });
  }
  for (const table of ["events", "detections", "analysis_attempts"]) await desk.db.query((sql) => sql`vacuum analyze ${sql(table)}`);
});
afterAll(() => desk?.close());

test("rules: a backtest replays 90 days of detections", async ({ task }) => {
  const { id } = await desk.ask("createRule", {
    body: {
      name: "Person at night",
      risk_threshold: 50,
      object_types: ["person"],
      min_confidence: 0.5,
      schedule: { days: [], start_time: "21:00", end_time: "06:00", timezone: "Europe/Berlin" },
      escalate: true,
    },
  });
  await desk.ask("updateRule", { params: { id }, body: { risk_threshold: null, schedule: null } });
  const seconds = async (body: object) => {
    const took: number[] = [];
    for (let round = -1; round < rounds; round += 1) {
      const begun = performance.now();
      const answer = await desk.ask("backtestRule", { params: { id }, body: { timezone: "Europe/Berlin", ...body } });
      // The first round is a warm-up.
      if (round >= 0) took.push((performance.now() - begun) / 1000);
      expect(answer.events_tested).toBe(events);
      expect(answer.tested.events_matched).toBeGreaterThan(1_000);
    }
    return took;
  };
  const what = `backtest of ${days} days, ${(events * detectionsPerEvent).toLocaleString("en")} detections in ${events.toLocaleString("en")} events`;
  report(task, {
    what: `${what}, a rule with all conditions`,
    unit: "s",
    homesec: await seconds({ version: 1 }),
    compare: "absolute",
    limit: { atMost: 10 },
  });
  const withoutZones = await seconds({});
  const withZones = await seconds({ definition: { zones: ["driveway"], min_size: 0.05 } });
  report(task, {
    what: `${what}, a rule with zones and without`,
    unit: "s",
    homesec: withZones,
    baseline: { what: "the same rule without zones", values: withoutZones },
    compare: "ratio",
    limit: { atMost: 2 },
  });
  report(task, {
    what: `${what}, two versions compared`,
    unit: "s",
    homesec: await seconds({ against: 1 }),
    compare: "absolute",
    limit: { atMost: 10 },
  });
});
