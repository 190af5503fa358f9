import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OperationId } from "../../../src/contract/routes/index.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "events, detections, cameras, totals"));
  await desk.db.query((sql) => sql`select rebuild_rollups()`);
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('door', 'Front door', '/door', null), ('yard', 'Yard', '/yard', null), ('old', 'Old', '/old', now())
    `,
  );
});

interface Seen {
  readonly camera: string;
  readonly at: string;
  readonly type: string;
}
interface Judged {
  readonly at: string;
  readonly score: number | null;
  readonly deleted?: boolean;
}

const see = (seen: readonly Seen[]) =>
  desk.db.query(
    (sql) => sql`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      select n.camera_id, '/x.jpg', n.at::timestamptz, n.type, 0.5
      from unnest(${seen.map((one) => one.camera)}::text[], ${seen.map((one) => one.at)}::text[], ${seen.map((one) => one.type)}::text[])
        n (camera_id, at, type)
    `,
  );
const judge = (judged: readonly Judged[]) =>
  desk.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, deleted_at)
      select 'door', n.at::timestamptz, n.at::timestamptz, n.score, case when n.score is not null then 'low' end, case when n.deleted then now() end
      from unnest(
        ${judged.map((one) => one.at)}::text[], ${judged.map((one) => one.score)}::smallint[],
        ${judged.map((one) => (one.deleted ? "t" : "f"))}::text[]::boolean[]
      ) n (at, score, deleted)
    `,
  );
const range = (start: string, end: string) => ({ query: `start_date=${start}&end_date=${end}` });
const march = range("2026-03-01", "2026-03-03");

const questions = [
  "getDetectionTrends",
  "getRiskHistory",
  "getCameraUptime",
  "getObjectDistribution",
  "getRiskScoreDistribution",
  "getRiskScoreTrends",
] as const satisfies readonly OperationId[];

describe.each(questions)("analytics range of %s", (id) => {
  const problem = (query: string) =>
    desk.ask(id, { query }).then(
      () => undefined,
      (error: unknown) => error,
    );

  it.each([
    ["start_date=2026-03-02&end_date=2026-03-01", "2026-03-02 lies after"],
    ["start_date=2025-01-01&end_date=2026-01-01", "366 days"],
    ["start_date=2024-01-01&end_date=2024-12-31", "366 days"],
    ["start_date=0001-01-01&end_date=9999-12-31", "at most 365"],
  ])("analytics range: is refused with a sentence: %s", async (query, words) => {
    expect(await problem(query)).toMatchObject({ kind: "bad_request", message: expect.stringContaining(words) });
  });

  it.each([
    ["", ["start_date missing", "end_date missing"]],
    ["start_date=2026-03-01", ["end_date missing"]],
    ["start_date=&end_date=2026-03-01", ["start_date date_parsing"]],
    ["start_date=2026-03-01T00:00:00Z&end_date=2026-03-01", ["start_date date_parsing"]],
    ["start_date=2026-02-29&end_date=2026-13-01", ["start_date date_parsing", "end_date date_parsing"]],
    ["start_date=01.03.2026&end_date=yesterday", ["start_date date_parsing", "end_date date_parsing"]],
    ["start_date=0000-01-01&end_date=20260-01-01", ["start_date date_parsing", "end_date date_parsing"]],
  ])("analytics range: is not a date: %s", async (query, items) => {
    const error = (await problem(query)) as { kind: string; items: { loc: string[]; type: string }[] };
    expect(error.kind).toBe("invalid");
    expect(error.items.map(({ loc, type }) => `${loc[1]} ${type}`)).toEqual(items);
  });

  it("analytics: a range may be a day, a year, and the limits of time", async () => {
    for (const [start, end] of [
      ["2026-03-01", "2026-03-01"],
      ["2025-01-01", "2025-12-31"],
      ["2024-01-02", "2024-12-31"],
      ["0001-01-01", "0001-12-31"],
      ["9999-01-02", "9999-12-31"],
      ["9999-12-31", "9999-12-31"],
    ] as const) {
      expect(await desk.ask(id, range(start, end))).toMatchObject({ start_date: start, end_date: end });
    }
  });
});

it("analytics: list every day with zeros if there is no data", async () => {
  const days = ["2026-03-01", "2026-03-02", "2026-03-03"];
  const of = (rest: object) => days.map((date) => ({ date, ...rest }));
  const asked = { start_date: "2026-03-01", end_date: "2026-03-03" };
  expect(await desk.ask("getDetectionTrends", march)).toEqual({ data_points: of({ count: 0 }), total_detections: 0, ...asked });
  expect(await desk.ask("getRiskHistory", march)).toEqual({ data_points: of({ low: 0, medium: 0, high: 0, critical: 0 }), ...asked });
  expect(await desk.ask("getRiskScoreTrends", march)).toEqual({ data_points: of({ avg_score: 0, count: 0 }), ...asked });
  expect(await desk.ask("getObjectDistribution", march)).toEqual({ object_types: [], total_detections: 0, ...asked });
  const none = { uptime_percentage: 0, detection_count: 0 };
  expect(await desk.ask("getCameraUptime", march)).toEqual({
    cameras: [
      { camera_id: "door", camera_name: "Front door", ...none },
      { camera_id: "yard", camera_name: "Yard", ...none },
    ],
    ...asked,
  });
});

it("analytics: count detections by UTC day, camera and class", async () => {
  await see([
    { camera: "door", at: "2026-02-28T23:59:59.999999Z", type: "person" },
    { camera: "door", at: "2026-03-01T00:00:00Z", type: "person" },
    { camera: "door", at: "2026-03-01T23:59:59.999999Z", type: "car" },
    { camera: "door", at: "2026-03-02T01:30:00+02:00", type: "person" },
    { camera: "door", at: "2026-03-03T12:00:00Z", type: "person" },
    { camera: "old", at: "2026-03-02T12:00:00Z", type: "dog" },
    { camera: "yard", at: "2026-03-04T00:00:00Z", type: "person" },
  ]);
  expect(await desk.ask("getDetectionTrends", march)).toMatchObject({
    data_points: [
      { date: "2026-03-01", count: 3 },
      { date: "2026-03-02", count: 1 },
      { date: "2026-03-03", count: 1 },
    ],
    total_detections: 5,
  });
  expect((await desk.ask("getCameraUptime", march)).cameras).toEqual([
    { camera_id: "door", camera_name: "Front door", uptime_percentage: (2 / 3) * 100, detection_count: 4 },
    { camera_id: "yard", camera_name: "Yard", uptime_percentage: 0, detection_count: 0 },
  ]);
  expect(await desk.ask("getObjectDistribution", march)).toMatchObject({
    object_types: [
      { object_type: "person", count: 3, percentage: 60 },
      { object_type: "car", count: 1, percentage: 20 },
      { object_type: "dog", count: 1, percentage: 20 },
    ],
    total_detections: 5,
  });
});

it("analytics: count scored events that are not deleted, in fixed ranges", async () => {
  const at = "2026-03-02T10:00:00Z";
  await judge([0, 29, 30, 59, 60, 84, 85, 100, null].map((score) => ({ at, score })));
  await judge([{ at, score: 50, deleted: true }]);
  expect((await desk.ask("getRiskHistory", march)).data_points[1]).toEqual({ date: "2026-03-02", low: 2, medium: 2, high: 2, critical: 2 });
  expect((await desk.ask("getRiskScoreTrends", march)).data_points[1]).toEqual({ date: "2026-03-02", avg_score: 55.9, count: 8 });
  expect(await desk.ask("getRiskScoreDistribution", march)).toMatchObject({ total_events: 8, bucket_size: 10 });
});

it.each([
  [1, 100, [99, 100]],
  [3, 34, [99, 100]],
  [7, 15, [98, 100]],
  [10, 10, [90, 100]],
  [30, 4, [90, 100]],
  [33, 4, [99, 100]],
  [49, 3, [98, 100]],
  [50, 2, [50, 100]],
])("analytics: score ranges of %i scores make %i closed ranges", async (size, count, last) => {
  await judge(Array.from({ length: 101 }, (_, score) => ({ at: "2026-03-02T10:00:00Z", score })));
  const answer = await desk.ask("getRiskScoreDistribution", { query: `${march.query}&bucket_size=${size}` });
  expect(answer).toMatchObject({ total_events: 101, bucket_size: size });
  expect(answer.buckets).toHaveLength(count);
  expect(answer.buckets.at(-1)).toMatchObject({ min_score: last[0], max_score: last[1] });
  let next = 0;
  for (const bucket of answer.buckets) {
    expect(bucket.min_score).toBe(next);
    expect(bucket.count).toBe(bucket.max_score - bucket.min_score + 1);
    next = bucket.max_score + 1;
  }
  expect(next).toBe(101);
});

it.each(["0", "51", "ten", "2.5", ""])("analytics: refuse ranges of %j scores", async (size) => {
  const asked = desk.ask("getRiskScoreDistribution", { query: `${march.query}&bucket_size=${size}` });
  await expect(asked).rejects.toMatchObject({ kind: "invalid", items: [{ loc: ["query", "bucket_size"] }] });
});

it.each([
  [[10, 11, 11], 10.7],
  [[0, 1, 0, 0], 0.3],
  [[3, 4], 3.5],
  [[100], 100],
])("analytics: round the average of %j to %d", async (scores, average) => {
  await judge(scores.map((score) => ({ at: "2026-03-01T10:00:00Z", score })));
  expect((await desk.ask("getRiskScoreTrends", march)).data_points[0]).toMatchObject({ avg_score: average, count: scores.length });
});

it("analytics: are as fresh as the database after any change", async () => {
  const total = async () => (await desk.ask("getDetectionTrends", march)).total_detections;
  const scores = async () => (await desk.ask("getRiskScoreTrends", march)).data_points[0];
  const names = async () => (await desk.ask("getCameraUptime", march)).cameras.map((camera) => camera.camera_name);
  for (let count = 1; count <= 70; count += 1) {
    await see([{ camera: "door", at: "2026-03-01T10:00:00Z", type: "person" }]);
    expect(await total()).toBe(count);
  }
  await desk.db.query((sql) => sql`delete from detections d where d.detection_id % 2 = 0`);
  expect(await total()).toBe(35);
  await judge([{ at: "2026-03-01T10:00:00Z", score: 10 }]);
  expect(await scores()).toMatchObject({ avg_score: 10, count: 1 });
  await desk.db.query((sql) => sql`update events set risk_score = 90`);
  expect(await scores()).toMatchObject({ avg_score: 90, count: 1 });
  await desk.db.query((sql) => sql`update events set deleted_at = now()`);
  expect(await scores()).toMatchObject({ avg_score: 0, count: 0 });
  expect(await names()).toEqual(["Front door", "Yard"]);
  await desk.db.query((sql) => sql`update cameras set name = 'Back door' where camera_id = 'door'`);
  expect(await names()).toEqual(["Back door", "Yard"]);
  await desk.db.query((sql) => sql`update cameras set deleted_at = null where camera_id = 'old'`);
  expect(await names()).toEqual(["Back door", "Old", "Yard"]);
});

it("analytics: ignore uncommitted changes and see them once committed", async () => {
  const total = async () => (await desk.ask("getDetectionTrends", march)).total_detections;
  await desk.db.transaction(async (sql) => {
    await sql`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      values ('door', '/x.jpg', '2026-03-01T10:00:00Z', 'person', 0.5)
    `;
    expect(await total()).toBe(0);
  });
  expect(await total()).toBe(1);
});

it("analytics: query the roll-up again only after a change", async () => {
  await see([{ camera: "door", at: "2026-03-01T10:00:00Z", type: "person" }]);
  expect((await desk.ask("getDetectionTrends", march)).total_detections).toBe(1);
  const change = (by: number) => desk.db.query((sql) => sql`update detection_type_days set count = count + ${by}`);
  await desk.db.query((sql) => sql`select rebuild_rollups()`);
  expect((await desk.ask("getDetectionTrends", march)).total_detections).toBe(1);
  // Without the roll-up noticing.
  await change(5);
  expect((await desk.ask("getDetectionTrends", march)).total_detections).toBe(1);
  desk.at("2026-03-01T12:05:01Z");
  expect((await desk.ask("getDetectionTrends", march)).total_detections).toBe(6);
});

it("analytics: agree with a count of the rows", async () => {
  // Over three months, so that a range may contain whole ones.
  const day = fc.integer({ min: 0, max: 99 }).map((n) => new Date(Date.UTC(2026, 1, 20) + n * 86_400_000).toISOString().slice(0, 10));
  const rows = fc.array(fc.record({ day, score: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }) }), { maxLength: 60 });
  await fc.assert(
    fc.asyncProperty(rows, fc.integer({ min: 1, max: 50 }), day, day, async (events, size, one, other) => {
      const [start = "", end = ""] = [one, other].toSorted();
      await desk.db.query((sql) => sql`delete from events`);
      if (events.length > 0) await judge(events.map((event) => ({ at: `${event.day}T12:00:00Z`, score: event.score })));
      const inside = events.flatMap((event) =>
        event.day >= start && event.day <= end && event.score !== null ? [{ ...event, score: event.score }] : [],
      );
      const asked = range(start, end);

      const history: Wire<"getRiskHistory"> = await desk.ask("getRiskHistory", asked);
      for (const point of history.data_points) {
        const scores = inside.filter((event) => event.day === point.date).map((event) => event.score);
        expect(point.low).toBe(scores.filter((score) => score <= 29).length);
        expect(point.low + point.medium).toBe(scores.filter((score) => score <= 59).length);
        expect(point.critical).toBe(scores.filter((score) => score >= 85).length);
        expect(point.low + point.medium + point.high + point.critical).toBe(scores.length);
      }
      const { buckets, total_events } = await desk.ask("getRiskScoreDistribution", { query: `${asked.query}&bucket_size=${size}` });
      expect(total_events).toBe(inside.length);
      for (const bucket of buckets) {
        expect(bucket.count).toBe(inside.filter(({ score }) => score >= bucket.min_score && score <= bucket.max_score).length);
      }
    }),
    { numRuns: 30 },
  );
});
