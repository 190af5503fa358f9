import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { wallClock } from "../../../src/base/clock/time-zone.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('door', 'Front door', '/door', null), ('yard', 'Yard', '/yard', null), ('old', 'Old', '/old', now())
    `,
  );
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "events, totals"));
  await desk.db.query((sql) => sql`select rebuild_rollups()`);
});

interface Happened {
  readonly at: string;
  readonly camera?: string;
  readonly score?: number | null;
  readonly level?: string;
  readonly deleted?: boolean;
}

const levelOf = (score: number) => (score < 30 ? "low" : score < 60 ? "medium" : score < 80 ? "high" : "critical");
const happen = (events: readonly Happened[]) =>
  desk.db.query(
    (sql) => sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, deleted_at)
      select n.camera, n.at::timestamptz, n.at::timestamptz, n.score, n.level, case when n.deleted then now() end
      from unnest(
        ${events.map((event) => event.camera ?? "door")}::text[], ${events.map((event) => event.at)}::text[],
        ${events.map((event) => event.score ?? null)}::smallint[],
        ${events.map((event) => event.level ?? ((event.score ?? null) === null ? null : levelOf(event.score ?? 0)))}::text[],
        ${events.map((event) => String(event.deleted ?? false))}::text[]::boolean[]
      ) n (camera, at, score, level, deleted)
    `,
  );

describe("stats", () => {
  const stats = (query = "") => desk.ask("getEventStats", { query });

  it("are zeros without events", async () => {
    expect(await stats()).toEqual({
      total_events: 0,
      events_by_risk_level: { low: 0, medium: 0, high: 0, critical: 0 },
      risk_distribution: ["low", "medium", "high", "critical"].map((risk_level) => ({ risk_level, count: 0 })),
      events_by_camera: [],
      unscored_events: 0,
    });
  });

  it("count by stored level and camera what is not deleted, whatever the thresholds are now", async () => {
    await happen([
      { at: "2026-03-01T10:00:00Z", score: 10 },
      { at: "2026-03-02T10:00:00Z", score: 10, level: "critical" },
      { at: "2026-03-02T11:00:00Z", camera: "yard", score: 99 },
      { at: "2026-03-02T12:00:00Z", camera: "yard", score: null },
      { at: "2026-03-02T13:00:00Z", camera: "yard", score: 70 },
      { at: "2026-03-02T13:00:00Z", camera: "old", score: 45 },
      { at: "2026-03-02T13:00:00Z", score: 45, deleted: true },
    ]);
    expect(await stats()).toEqual({
      total_events: 6,
      events_by_risk_level: { low: 1, medium: 1, high: 1, critical: 2 },
      risk_distribution: [
        { risk_level: "low", count: 1 },
        { risk_level: "medium", count: 1 },
        { risk_level: "high", count: 1 },
        { risk_level: "critical", count: 2 },
      ],
      events_by_camera: [
        { camera_id: "yard", camera_name: "Yard", event_count: 3 },
        { camera_id: "door", camera_name: "Front door", event_count: 2 },
        { camera_id: "old", camera_name: "Old", event_count: 1 },
      ],
      unscored_events: 1,
    });
    expect(await stats("camera_id=yard&camera_id=nobody")).toMatchObject({ total_events: 3, unscored_events: 1 });
    await desk.db.query((sql) => sql`update events set deleted_at = now() where camera_id = 'yard'`);
    expect(await stats()).toMatchObject({ total_events: 3, unscored_events: 0 });
  });

  it("agree with the list for any range", async () => {
    const minute = fc.integer({ min: 0, max: 5 * 24 * 60 });
    const time = (n: number) => new Date(Date.parse("2026-03-01T00:00:00Z") + n * 60_000);
    const edge = fc.oneof(
      minute.map((n) => time(n).toISOString()),
      minute.map((n) => time(n).toISOString().slice(0, 10)),
      fc.constant(undefined),
    );
    await happen(Array.from({ length: 400 }, (_, n) => ({ at: time((n * 7919) % 7200).toISOString(), score: n % 101 })));
    await fc.assert(
      fc.asyncProperty(edge, edge, async (start, end) => {
        const query = [...(start ? [`start_date=${start}`] : []), ...(end ? [`end_date=${end}`] : [])].join("&");
        const { pagination } = await desk.ask("listEvents", { query: `limit=1&${query}` });
        expect((await stats(query)).total_events).toBe(pagination.total);
      }),
      { numRuns: 60 },
    );
    for (const query of ["start_date=0001-01-01&end_date=9999-12-31", "start_date=9999-12-31T23:59:59Z", "end_date=0001-01-01T00:00:01Z"]) {
      expect((await stats(query)).total_events).toBe(query.includes("&") ? 400 : 0);
    }
  });
});

describe("the timeline", () => {
  const timeline = (query: string) => desk.ask("getEventTimeline", { query });
  const times = async (query: string) => (await timeline(query)).buckets.map((bucket) => bucket.timestamp);

  it("lists every hour, with the highest score", async () => {
    await happen([
      { at: "2026-03-01T00:00:00Z", score: 20 },
      { at: "2026-03-01T00:59:59.999999Z", score: 70 },
      { at: "2026-03-01T01:00:00Z", score: null },
      { at: "2026-03-01T23:59:59.999999Z", camera: "yard", score: 0 },
      { at: "2026-03-02T00:00:00Z", score: 99 },
      { at: "2026-02-28T23:59:59.999999Z", score: 99 },
      { at: "2026-03-01T05:00:00Z", score: 99, deleted: true },
    ]);
    const { buckets, total_events } = await timeline("start_date=2026-03-01&end_date=2026-03-01");
    expect(total_events).toBe(4);
    expect(buckets).toHaveLength(24);
    expect(buckets[0]).toEqual({ timestamp: "2026-03-01T00:00:00.000Z", event_count: 2, max_risk_score: 70 });
    expect(buckets[1]).toEqual({ timestamp: "2026-03-01T01:00:00.000Z", event_count: 1, max_risk_score: null });
    expect(buckets[2]).toEqual({ timestamp: "2026-03-01T02:00:00.000Z", event_count: 0, max_risk_score: null });
    expect(buckets[23]).toEqual({ timestamp: "2026-03-01T23:00:00.000Z", event_count: 1, max_risk_score: 0 });
    expect(await timeline("start_date=2026-03-01&end_date=2026-03-01&camera_id=yard&bucket_size=DAY")).toEqual({
      buckets: [{ timestamp: "2026-03-01T00:00:00.000Z", event_count: 1, max_risk_score: 0 }],
      total_events: 1,
    });
  });

  it("forgets the highest score when it goes, and has it back when it returns", async () => {
    await happen(Array.from({ length: 100 }, (_, score) => ({ at: "2026-03-01T10:30:00Z", score })));
    const highest = async () => {
      const { buckets, total_events } = await timeline("start_date=2026-03-01&end_date=2026-03-01&bucket_size=day");
      return [total_events, buckets[0]?.max_risk_score];
    };
    expect(await highest()).toEqual([100, 99]);
    await desk.db.query((sql) => sql`update events set deleted_at = now() where risk_score > 50`);
    expect(await highest()).toEqual([51, 50]);
    await desk.db.query((sql) => sql`update events set deleted_at = null where risk_score = 80`);
    expect(await highest()).toEqual([52, 80]);
    await desk.db.query((sql) => sql`update events set risk_score = null, risk_level = null where deleted_at is null`);
    expect(await highest()).toEqual([52, null]);
    await desk.db.query((sql) => sql`delete from events`);
    expect(await highest()).toEqual([0, null]);
  });

  it("has 23 and 25 hours on the days of a clock change", async () => {
    const spring = await times("start_date=2026-03-29&end_date=2026-03-29&timezone=Europe/Berlin");
    expect(spring).toHaveLength(23);
    expect([spring[0], spring.at(-1)]).toEqual(["2026-03-28T23:00:00.000Z", "2026-03-29T21:00:00.000Z"]);
    const autumn = await times("start_date=2026-10-25&end_date=2026-10-25&timezone=europe/berlin");
    expect(autumn).toHaveLength(25);
    expect([autumn[0], autumn.at(-1)]).toEqual(["2026-10-24T22:00:00.000Z", "2026-10-25T22:00:00.000Z"]);
    expect(await times("start_date=2026-03-28&end_date=2026-03-30&timezone=Europe/Berlin&bucket_size=day")).toEqual([
      "2026-03-27T23:00:00.000Z",
      "2026-03-28T23:00:00.000Z",
      "2026-03-29T22:00:00.000Z",
    ]);
  });

  it("begins weeks on Monday, the first possibly before the range", async () => {
    await happen([
      { at: "2026-03-02T10:00:00Z", score: 5 },
      { at: "2026-03-04T10:00:00Z", score: 3 },
    ]);
    expect(await timeline("start_date=2026-03-04&end_date=2026-03-10&bucket_size=week")).toEqual({
      buckets: [
        { timestamp: "2026-03-02T00:00:00.000Z", event_count: 1, max_risk_score: 3 },
        { timestamp: "2026-03-09T00:00:00.000Z", event_count: 0, max_risk_score: null },
      ],
      total_events: 1,
    });
    expect(await times("start_date=1969-12-28&end_date=1970-01-05&bucket_size=week")).toEqual([
      "1969-12-22T00:00:00.000Z",
      "1969-12-29T00:00:00.000Z",
      "1970-01-05T00:00:00.000Z",
    ]);
  });

  it("leaves a day out that a zone left out", async () => {
    expect(await times("start_date=2011-12-29&end_date=2011-12-31&timezone=Pacific/Apia&bucket_size=day")).toEqual([
      "2011-12-29T10:00:00.000Z",
      "2011-12-30T10:00:00.000Z",
    ]);
  });

  it.each([
    ["2026-01-01", "2026-03-24", 83 * 24],
    ["2026-01-01", "2026-03-25", 84],
    ["2021-01-01", "2026-03-25", 1_910],
    ["2016-01-01", "2026-03-25", 535],
  ])("without a size uses the smallest size with few enough periods from %s to %s", async (start, end, buckets) => {
    expect((await timeline(`start_date=${start}&end_date=${end}`)).buckets).toHaveLength(buckets);
  });

  it("a timestamp without a zone is UTC, wherever the machine stands", async () => {
    const zone = process.env["TZ"];
    process.env["TZ"] = "America/New_York";
    try {
      expect(await times("start_date=2026-03-01T10:00:00&end_date=2026-03-01T10:59:59&timezone=Asia/Tokyo&bucket_size=hour")).toEqual([
        "2026-03-01T10:00:00.000Z",
      ]);
    } finally {
      if (zone === undefined) delete process.env["TZ"];
      else process.env["TZ"] = zone;
    }
  });

  it.each([
    ["", ["start_date missing", "end_date missing"]],
    ["start_date=2026-03-01", ["end_date missing"]],
    ["start_date=yesterday&end_date=2026-02-30", ["start_date datetime_parsing", "end_date datetime_parsing"]],
    ["start_date=2026-03-01&end_date=2026-03-01&timezone=Europe/Atlantis", ["timezone value_error"]],
    ["start_date=2026-03-01&end_date=2026-03-01&timezone=%2B02:00", ["timezone value_error"]],
    ["start_date=2026-03-01&end_date=2026-03-01&timezone=", ["timezone value_error"]],
    ["start_date=2026-03-01&end_date=2026-03-01&bucket_size=month", ["bucket_size enum"]],
    ["start_date=2026-03-02&end_date=2026-03-01", ["end_date value_error"]],
    ["start_date=2026-03-01T10:00:00Z&end_date=2026-03-01T09:59:59Z", ["end_date value_error"]],
    ["start_date=0001-01-01&end_date=9999-12-31", ["bucket_size value_error"]],
    ["start_date=2026-01-01&end_date=2026-03-25&bucket_size=hour", ["bucket_size value_error"]],
    ["start_date=0001-01-01&end_date=9999-12-31&bucket_size=week", ["bucket_size value_error"]],
  ])("refuses %s", async (query, items) => {
    const error = await timeline(query).then(
      () => undefined,
      (refusal: { items: { loc: string[]; type: string }[] }) => refusal,
    );
    expect(error?.items.map(({ loc, type }) => `${loc[1]} ${type}`)).toEqual(items);
  });

  it("works at the ends of time", async () => {
    for (const timezone of ["UTC", "Pacific/Kiritimati", "Pacific/Pago_Pago"]) {
      for (const day of ["0001-01-01", "9999-12-31"]) {
        for (const size of ["hour", "day", "week"]) {
          const { buckets } = await timeline(`start_date=${day}&end_date=${day}&timezone=${timezone}&bucket_size=${size}`);
          expect(buckets.length).toBeGreaterThan(0);
        }
      }
    }
  });

  it("agrees with a count of the rows, in every zone, whatever is not folded yet", async () => {
    const begin = Date.parse("2026-03-20T00:00:00Z");
    const instant = fc.integer({ min: 0, max: 14 * 24 * 3600 }).map((n) => begin + n * 1000);
    const zone = fc.constantFrom(
      "UTC",
      "Europe/Berlin",
      "America/Havana",
      "Asia/Kolkata",
      "Asia/Kathmandu",
      "Australia/Lord_Howe",
      "Pacific/Chatham",
    );
    const size = fc.constantFrom("hour", "day", "week");
    const camera = fc.constantFrom("door", "yard");
    const event = fc.record({
      at: instant,
      camera,
      score: fc.option(fc.integer({ min: 0, max: 100 }), { nil: null }),
      deleted: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(event, { maxLength: 60 }),
        instant,
        instant,
        zone,
        size,
        fc.option(camera, { nil: undefined }),
        async (events, one, other, timezone, bucket_size, only) => {
          await desk.db.query((sql) => sql`delete from events`);
          if (events.length > 0) await happen(events.map(({ at, ...rest }) => ({ at: new Date(at).toISOString(), ...rest })));
          const [from = 0, to = 0] = [one, other].toSorted((a, b) => a - b);
          const { buckets, total_events } = await timeline(
            `start_date=${new Date(from).toISOString()}&end_date=${new Date(to).toISOString()}&bucket_size=${bucket_size}` +
              `&timezone=${timezone}${only ? `&camera_id=${only}` : ""}`,
          );
          const inside = events.filter((row) => !row.deleted && row.at >= from && row.at <= to && (!only || row.camera === only));
          expect(total_events).toBe(inside.length);
          const starts = buckets.map((bucket) => Date.parse(bucket.timestamp));
          expect(starts[0]).toBeLessThanOrEqual(from);
          expect(starts.at(-1)).toBeLessThanOrEqual(to);
          const clock = wallClock(timezone);
          for (const [index, bucket] of buckets.entries()) {
            const start = starts[index] ?? 0;
            const rows = inside.filter((row) => row.at >= start && row.at < (starts[index + 1] ?? Number.POSITIVE_INFINITY));
            expect(bucket.event_count).toBe(rows.length);
            const scores = rows.flatMap((row) => row.score ?? []);
            expect(bucket.max_risk_score).toBe(scores.length > 0 ? Math.max(...scores) : null);
            if (bucket_size !== "hour") expect(clock.startOfDay(clock.dayAt(start))).toBe(start);
          }
        },
      ),
      { numRuns: 150 },
    );
  });
});
