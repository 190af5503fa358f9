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
  for (const table of ["events", "analysis_attempts"]) await desk.db.query((sql) => sql`vacuum analyze ${sql(table)}`);
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
  report(task, {
    what: `${what}, two versions compared`,
    unit: "s",
    homesec: await seconds({ against: 1 }),
    compare: "absolute",
    limit: { atMost: 10 },
  });
});
