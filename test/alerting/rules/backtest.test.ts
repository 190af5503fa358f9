import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk } from "../../support/operations.ts";

/** An event: when it was stored (March 2026, UTC), camera, score and level, class, and when it was analysed, if it was. */
type Past = readonly [id: number, stored: string, camera: string, score: number | null, object: string | null, judged?: string];

const past: readonly Past[] = [
  [1, "02 22:00:00", "front", 40, "person:0.9", "02 22:00:30"],
  [2, "02 22:02:00", "front", 75, "person:0.7", "02 22:02:30"],
  [3, "02 22:04:59", "front", 95, "person:0.95", "02 22:05:29"],
  [4, "02 22:05:00", "back", 50, "dog:0.8", "02 22:05:30"],
  [5, "02 22:10:00", "front", null, "person:0.6"],
  // Analysed in the morning, once the language model was back.
  [6, "03 02:00:00", "front", 80, "person:0.9", "03 08:00:00"],
  [7, "03 08:01:00", "front", 70, "person:0.9", "03 08:01:10"],
  // Stored together with its score.
  [8, "04 12:00:00", "front", 90, null],
  // Deleted.
  [9, "04 13:00:00", "front", 90, "person:0.9", "04 13:00:01"],
];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  desk.at("2026-03-10T00:00:00Z");
  await desk.db.query(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('front', 'Front', '/f'), ('back', 'Back', '/b')`;
    for (const [id, stored, camera, score, object, judged] of past) {
      const at = (text: string) => `2026-03-${text.replace(" ", "T")}Z`;
      const level = score === null ? null : score >= 80 ? "critical" : score >= 60 ? "high" : "medium";
      await sql`
        insert into events (event_id, camera_id, started_at, ended_at, risk_score, risk_level, created_at, deleted_at)
        overriding system value
        values (${id}, ${camera}, ${at(stored)}::text::timestamptz, ${at(stored)}::text::timestamptz, ${score}, ${level},
          ${at(stored)}::text::timestamptz, ${id === 9 ? new Date() : null})
      `;
      if (object) {
        const [type = "", confidence = ""] = object.split(":");
        await sql`
          insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence)
          values (${camera}, ${id}, '/x', ${at(stored)}::text::timestamptz, ${type}, ${Number(confidence)}), (${camera}, ${id}, '/y',
            ${at(stored)}::text::timestamptz, ${type}, 0.1)
        `;
      }
      if (judged) {
        await sql`
          insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome)
          values (${id}, 1, ${at(stored)}::text::timestamptz, ${at(stored)}::text::timestamptz, 'unreadable'),
            (${id}, 2, ${at(judged)}::text::timestamptz, ${at(judged)}::text::timestamptz, 'completed'),
            (${id}, 3, '2026-03-09', '2026-03-09', 'completed')
        `;
      }
    }
  });
});
afterAll(() => desk.close());

const rule = async (body: object) => (await desk.ask("createRule", { body: { name: "Rule", ...body } })).id;
const test = (id: string, body?: object) => desk.ask("testRule", { params: { id }, ...(body && { body }) });
const backtest = (id: string, body?: object) => desk.ask("backtestRule", { params: { id }, ...(body && { body }) });

describe("rule test", () => {
  it("rule test: evaluates the newest events and raises nothing", async () => {
    const id = await rule({ risk_threshold: 70, object_types: ["person"] });
    const before = await desk.db.query((sql) => sql`select (select count(*) from alerts) + (select count(*) from rule_verdicts) as rows`);
    const result = await test(id);
    expect(result).toMatchObject({ rule_id: id, rule_name: "Rule", events_tested: 8, events_matched: 4, match_rate: 0.5 });
    // Event 2 raises, 3 is suppressed; 6, scored at 08:00, raises and suppresses 7.
    expect(result.alerts_after_cooldown).toBe(2);
    expect(result.results.map(({ event_id, matches }) => [event_id, matches])).toEqual([
      [8, false],
      [7, true],
      [6, true],
      [5, false],
      [4, false],
      [3, true],
      [2, true],
      [1, false],
    ]);
    expect(result.results.find(({ event_id }) => event_id === 4)).toEqual({
      event_id: 4,
      matches: false,
      matched_conditions: [],
      failed_conditions: ["risk_score 50 < 70", "object_type [dog] not in [person]"],
    });
    expect(await desk.db.query((sql) => sql`select (select count(*) from alerts) + (select count(*) from rule_verdicts) as rows`)).toEqual(
      before,
    );
  });

  it("rule test: can be narrowed by ids, dates and number", async () => {
    const id = await rule({});
    const ids = async (body: object) => (await test(id, body)).results.map(({ event_id }) => event_id);
    expect(await ids({ event_ids: [1, 9, 4, 777] })).toEqual([4, 1]);
    expect(await ids({ event_ids: [] })).toEqual([]);
    expect(await ids({ limit: 2 })).toEqual([8, 7]);
    expect(await ids({ start_date: "2026-03-03", end_date: "2026-03-03" })).toEqual([7, 6]);
    expect(await test(id, { start_date: "2026-04-01" })).toMatchObject({ events_tested: 0, match_rate: 0, results: [] });
  });

  it("rule test: evaluates the schedule at the time each event was stored, or at a given time", async () => {
    const id = await rule({ schedule: { start_time: "01:00", end_time: "06:00", timezone: "UTC" } });
    const matching = async (body: object) =>
      (await test(id, body)).results.filter(({ matches }) => matches).map(({ event_id }) => event_id);
    expect(await matching({})).toEqual([6]);
    expect(await matching({ at: "2026-01-01T05:59:00Z", limit: 2 })).toEqual([8, 7]);
    expect(await matching({ at: "2026-01-01T06:00:00Z" })).toEqual([]);
  });

  it.each([{ limit: 0 }, { limit: 1001 }, { event_ids: ["x"] }, { at: "soon" }, { start_date: "2026-02-30" }, { more: 1 }])(
    "rule test: refuses %j",
    async (body) => {
      await expect(test(await rule({}), body)).rejects.toMatchObject({ kind: "invalid" });
    },
  );
});

describe("backtest", () => {
  it("backtest: counts matches and alerts by the day they would have been raised", async () => {
    const id = await rule({ risk_threshold: 70, object_types: ["person"] });
    expect(await backtest(id)).toEqual({
      rule_id: id,
      rule_name: "Rule",
      start_date: null,
      end_date: "2026-03-10T00:00:00.000Z",
      timezone: "UTC",
      events_tested: 8,
      tested: {
        version: 1,
        events_matched: 4,
        match_rate: 0.5,
        alerts_after_cooldown: 2,
        days: [
          { date: "2026-03-02", events_matched: 2, alerts: 1 },
          { date: "2026-03-03", events_matched: 2, alerts: 1 },
        ],
      },
      events: [
        [2, "2026-03-02T22:02:30.000Z", true],
        [3, "2026-03-02T22:05:29.000Z", false],
        [6, "2026-03-03T08:00:00.000Z", true],
        [7, "2026-03-03T08:01:10.000Z", false],
      ].map(([event_id, raised_at, alert]) => ({
        event_id,
        camera_id: "front",
        raised_at,
        alert,
        matched_conditions: ["risk_score >= 70", "object_type in [person]"],
      })),
      against: null,
      difference: null,
    });
    expect((await backtest(id, { timezone: "Asia/Tokyo", limit: 1 })).tested.days).toEqual([
      { date: "2026-03-03", events_matched: 4, alerts: 2 },
    ]);
    expect((await backtest(id, { limit: 1 })).events.map(({ event_id }) => event_id)).toEqual([7]);
    expect(await backtest(id, { start_date: "2026-03-03", end_date: "2026-03-03" })).toMatchObject({
      events_tested: 2,
      tested: { events_matched: 2 },
    });
  });

  const alerts = async (definition: object) => {
    const id = await rule(definition);
    return (await backtest(id)).events.filter(({ alert }) => alert).map(({ event_id }) => event_id);
  };

  it("backtest: applies the cooldown per dedup key, starting at the raised alert", async () => {
    // Stored at 22:00, 22:02, 22:04:59 (suppressed by 1), 22:05 (another camera), 22:10.
    expect(await alerts({})).toEqual([1, 4, 5, 6, 7, 8]);
    // The end of the cooldown is not part of it.
    expect(await alerts({ dedup_key_template: "one" })).toEqual([1, 4, 5, 6, 7, 8]);
    expect(await alerts({ dedup_key_template: "one", cooldown_seconds: 301 })).toEqual([1, 5, 6, 7, 8]);
    expect(await alerts({ cooldown_seconds: 0 })).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
    expect(await alerts({ dedup_key_template: "{object_type}", cooldown_seconds: 31_536_000 })).toEqual([1, 4, 8]);
  });

  it("backtest: a higher risk level passes the cooldown if the rule escalates", async () => {
    const scored = { risk_threshold: 0, cooldown_seconds: 31_536_000, camera_ids: ["front"] };
    expect(await alerts(scored)).toEqual([1]);
    // Medium, high, critical; no level is higher.
    expect(await alerts({ ...scored, escalate: true })).toEqual([1, 2, 3]);
    // A rule that does not wait for scores knows none at first; a suppressed event has a second chance when it is scored.
    expect(await alerts({ cooldown_seconds: 31_536_000, camera_ids: ["front"], escalate: true })).toEqual([1, 2, 3]);
  });

  it("backtest: compares with another version and tries unsaved changes", async () => {
    const id = await rule({ risk_threshold: 70, cooldown_seconds: 0 });
    await desk.ask("updateRule", { params: { id }, body: { risk_threshold: null, object_types: ["person"], cooldown_seconds: 300 } });
    const result = await backtest(id, { against: 1 });
    expect(result).toMatchObject({
      tested: { version: 2, events_matched: 6, alerts_after_cooldown: 4 },
      against: { version: 1, events_matched: 5, alerts_after_cooldown: 5 },
      difference: {
        // Events 1, 5, 6 and 7 against 2, 3, 6, 7 and 8.
        only_tested: { count: 2, event_ids: [1, 5] },
        only_against: { count: 3, event_ids: [2, 3, 8] },
        both: 2,
      },
    });
    expect((await backtest(id, { against: 1, limit: 1 })).difference?.only_against).toEqual({ count: 3, event_ids: [8] });
    expect(await backtest(id, { version: 1 })).toMatchObject({ tested: { version: 1, events_matched: 5 } });
    const tried = await backtest(id, { definition: { object_types: ["dog"] }, against: 2 });
    expect(tried).toMatchObject({ tested: { version: null, events_matched: 1 }, difference: { both: 0 } });
    expect(await desk.ask("getRule", { params: { id } })).toMatchObject({ version: 2, object_types: ["person"] });
    await expect(backtest(id, { against: 3 })).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("version 3") });
    await expect(backtest(id, { version: 0 })).rejects.toMatchObject({ kind: "invalid" });
  });
});
