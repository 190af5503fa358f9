import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { cleanUp, deletePart } from "../../../src/admin/retention/cleanup.ts";
import { judgeRunningHour, learnDueHours, noteWatched } from "../../../src/monitoring/baselines/learning.ts";
import { factsOf } from "../../../src/monitoring/events/analysis.ts";
import type { EventFacts } from "../../../src/monitoring/upstream/facts.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
/** A Monday. */
const monday = Date.parse("2026-03-02T14:00:00Z");

let desk: Desk;
beforeEach(async () => {
  process.env["TZ"] = "UTC";
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, status, last_seen_at)
      values ('front', 'Front Door', '/f', 'online', '2026-03-02'), ('back', 'Back', '/b', 'online', '2026-03-02')
    `,
  );
});
afterEach(() => desk.close());

/** Stores detections spread over the first half of an hour. */
const detect = (start: number, count: number, objectType = "person", camera = "front") =>
  desk.db.query(
    (sql) => sql`
      insert into detections (camera_id, file_path, detected_at, object_type, confidence)
      select ${camera}, '/f/a.jpg', ${new Date(start)}::timestamptz + n * interval '1 second', ${objectType}, 0.9
      from generate_series(1, ${count}::int) n
    `,
  );
const watched = (start: number, minutes = 60, camera = "front") =>
  desk.db.query(
    (sql) => sql`
      insert into observed_hours (camera_id, started_at, ended_at, minutes)
      values (${camera}, ${new Date(start)}, ${new Date(start + hourMs)}, (2::numeric ^ ${minutes}::int - 1)::bigint)
    `,
  );
const hour = async (start: number, count: number, objectType = "person") => {
  await detect(start, count, objectType);
  await watched(start);
};
const learn = (now: number, zone = "UTC") => learnDueHours(desk.db, new Date(now), zone);
const judge = (now: number, seen = new Map<string, string>()) => judgeRunningHour(desk.db, new Date(now), "UTC", seen);
const front = { params: { camera_id: "front" } };
const activity = async (now: number) => {
  desk.at(new Date(now));
  return (await desk.ask("getActivityBaseline", front)).entries;
};
const anomalies = async (now: number) => {
  desk.at(new Date(now));
  return (await desk.ask("listAnomalies", { ...front, query: "days=90" })).anomalies;
};
/** The same hour on fourteen days from Monday on, with a number of detections per day. */
const twoWeeks = async (counts: (day: number) => number, objectType?: string) => {
  for (let day = 0; day < 14; day += 1) await hour(monday + day * dayMs, counts(day), objectType);
  await learn(monday + 14 * dayMs - hourMs);
};
const later = monday + 14 * dayMs;

it("a clock that is weeks ahead for some hours does not erase the baseline", async () => {
  for (let hour = 0; hour < 14 * 24; hour += 1) await watched(monday + hour * hourMs);
  const end = monday + 14 * dayMs;
  const known = async () => (await desk.ask("getActivityBaseline", { params: { camera_id: "front" } })).entries.length;
  desk.at(new Date(end));
  await learnDueHours(desk.db, new Date(end), "UTC");
  expect(await known()).toBe(168);
  const ahead = end + 40 * dayMs;
  for (let hour = 0; hour < 3; hour += 1) await watched(ahead + hour * hourMs);
  expect(await learnDueHours(desk.db, new Date(ahead + 4 * hourMs), "UTC")).toBe(0);
  await deletePart(desk.context as Parameters<typeof deletePart>[0], { from: new Date(0), before: new Date(monday) }, undefined);
  desk.at(new Date(end + 4 * hourMs));
  expect(await known()).toBeGreaterThanOrEqual(165);
});

describe("an hour", () => {
  it("is learned when it was watched, empty or not, and once however many learn", async () => {
    await hour(monday, 6);
    await watched(monday + hourMs);
    // homesec was restarted and watched the second half of this hour
    await watched(monday + 2 * hourMs, 30);
    await detect(monday + 2 * hourMs, 9);
    // the hour was not watched
    await detect(monday + 3 * hourMs, 9);
    const now = monday + 5 * hourMs;
    await Promise.all([learn(now), learn(now)]);
    await learn(now);
    const learned = [
      { hour: 14, day_of_week: 0, avg_count: 6, std_dev: 0, sample_count: 1, is_peak: true },
      { hour: 15, day_of_week: 0, avg_count: 0, std_dev: 0, sample_count: 1, is_peak: false },
    ];
    expect(await activity(now)).toEqual(learned);
    // the clock is set back and the hour repeats
    await watched(monday);
    await learn(now);
    expect(await activity(now)).toEqual(learned);
    await hour(monday + 7 * dayMs, 8);
    await learn(now + 7 * dayMs);
    expect((await activity(now + 7 * dayMs))[0]).toMatchObject({ avg_count: 7, std_dev: 1, sample_count: 2 });
    // detections stored late for a learned hour do not change it
    await detect(monday, 50);
    await learn(now + 7 * dayMs);
    expect((await activity(now + 7 * dayMs))[0]).toMatchObject({ avg_count: 7, sample_count: 2 });
  });

  it("of a class that comes for the first time was an empty one before", async () => {
    await hour(monday, 3);
    await hour(monday + 7 * dayMs, 3);
    await detect(monday + 7 * dayMs, 4, "dog");
    const now = monday + 8 * dayMs;
    await learn(now);
    desk.at(new Date(now));
    const { entries } = await desk.ask("getClassBaseline", front);
    expect(entries).toEqual([
      { object_class: "dog", hour: 14, frequency: 2, sample_count: 2 },
      { object_class: "person", hour: 14, frequency: 3, sample_count: 2 },
    ]);
  });

  it("counts as watched by the minutes when both homesec and the camera were up", async () => {
    await desk.db.query(
      (sql) => sql`
        insert into cameras (camera_id, name, folder_path, status, last_seen_at, deleted_at)
        values ('dead', 'Dead', '/1', 'offline', '2026-03-01T13:00Z', null), ('quiet', 'Quiet', '/2', 'offline', '2026-03-01T15:30Z', null),
          ('broken', 'Broken', '/3', 'error', '2026-03-02', null), ('gone', 'Gone', '/4', 'online', '2026-03-02', now()),
          ('new', 'New', '/5', 'unknown', null, null)
      `,
    );
    for (let minute = 0; minute < 60; minute += 1) await noteWatched(desk.db, new Date(monday + minute * 60_000), "UTC");
    // again in the same minute, and in another process
    await noteWatched(desk.db, new Date(monday + 59.5 * 60_000), "UTC");
    await learn(monday + hourMs + 60_000);
    expect(await activity(monday + 2 * hourMs)).toEqual([]);
    await learn(monday + hourMs + 130_000);
    const rows = await desk.db.query((sql) => sql<{ id: string }[]>`select b.camera_id as id from activity_baselines b order by 1`);
    expect(rows.map(({ id }) => id)).toEqual(["back", "front", "quiet"]);
  });

  it("is not learned before its pictures are processed, and is skipped if they cannot be", async () => {
    const wait = (start: number) =>
      desk.db.query(
        (sql) => sql`
          insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
          values ('front', ${String(start)}, 1, 1, 'watch', now(), ${new Date(start + 60_000)}, 'deferred')
        `,
      );
    await hour(monday, 5);
    await wait(monday);
    await hour(monday + hourMs, 7);
    await learn(monday + 4 * hourMs);
    expect((await activity(monday + 4 * hourMs)).map(({ hour: of }) => of)).toEqual([15]);
    await desk.db.query((sql) => sql`update images set status = 'processed'`);
    await learn(monday + 5 * hourMs);
    expect((await activity(monday + 5 * hourMs)).map(({ hour: of }) => of)).toEqual([14, 15]);
    await hour(monday + dayMs, 5);
    await wait(monday + dayMs);
    await learn(monday + 3 * dayMs);
    expect((await activity(monday + 3 * dayMs)).length).toBe(2);
  });

  it("of a deleted camera is not learned", async () => {
    await hour(monday, 5);
    desk.at(new Date(monday + hourMs));
    await desk.ask("deleteCamera", front);
    await learn(monday + 2 * hourMs);
    await desk.ask("restoreCamera", front);
    expect(await activity(monday + 2 * hourMs)).toEqual([]);
  });

  it("that comes twice in a night is learned twice, under the hour that the clock shows", async () => {
    const night = Date.parse("2026-10-25T00:00:00Z");
    for (const [n, count] of [3, 5, 7].entries()) await hour(night + n * hourMs, count);
    await learn(night + 6 * hourMs, "Europe/Berlin");
    expect(await activity(night + 6 * hourMs)).toMatchObject([
      { day_of_week: 6, hour: 2, avg_count: 4, sample_count: 2 },
      { day_of_week: 6, hour: 3, avg_count: 7, sample_count: 1 },
    ]);
  });

  it("of the week that was not learned for 30 days is forgotten, and learned from the beginning", async () => {
    await hour(monday, 5);
    await learn(monday + 2 * hourMs);
    expect(await activity(monday + 29 * dayMs)).toHaveLength(1);
    expect(await activity(monday + 31 * dayMs)).toEqual([]);
    await hour(monday + 35 * dayMs, 9);
    await learn(monday + 35 * dayMs + 2 * hourMs);
    expect(await activity(monday + 36 * dayMs)).toMatchObject([{ avg_count: 9, sample_count: 1 }]);
  });
});

describe("an anomaly", () => {
  it("is reported once within the hour at three times the usual count, and kept up to date", async () => {
    await desk.ask("createWebhook", { body: { name: "All", url: "http://127.0.0.1:1/", event_types: ["anomaly_detected"] } });
    await twoWeeks((day) => 20 + (day % 3));
    const seen = new Map<string, string>();
    await detect(later, 22);
    expect(await judge(later + 20 * 60_000, seen)).toBe(0);
    await detect(later + 60_000, 20);
    expect(await judge(later + 40 * 60_000, seen)).toBe(2);
    await detect(later + 120_000, 20);
    expect(await judge(later + 41 * 60_000, seen)).toBe(0);
    expect(await judge(later + 42 * 60_000, seen)).toBe(0);
    await watched(later);
    await learn(later + 2 * hourMs);
    const told = await desk.journal("anomaly");
    expect(told).toEqual(
      [null, "person"].map((detection_class) => ({
        id: expect.any(Number),
        kind: "baseline",
        camera_id: "front",
        hour_started_at: "2026-03-16T14:00:00.000Z",
        timestamp: "2026-03-16T14:40:00.000Z",
        detection_class,
        anomaly_score: expect.any(Number),
        expected_frequency: expect.closeTo(21, 0),
        observed_frequency: 42,
        reason: expect.stringMatching(
          /^42 detections( of person)? in the first 40 minutes of the hour; 2[01].\d+ are usual in the whole hour$/,
        ),
      })),
    );
    expect(await desk.db.query((sql) => sql`select from webhook_deliveries d where d.event_type = 'anomaly_detected'`)).toHaveLength(2);
    const listed = await anomalies(later + 3 * hourMs);
    expect(listed).toMatchObject([{ observed_frequency: 62 }, { observed_frequency: 62 }]);
    expect(listed[0]?.anomaly_score).toBeGreaterThan(Number(told[0]?.["anomaly_score"]));
  });

  it("is reported at the end of an hour with far fewer detections than usual", async () => {
    await twoWeeks(() => 30);
    expect(await judge(later + 59 * 60_000)).toBe(0);
    await watched(later);
    expect(await learn(later + hourMs + 130_000)).toBe(2);
    expect(await learn(later + hourMs + 150_000)).toBe(0);
    expect(await anomalies(later + 2 * hourMs)).toMatchObject([
      {
        detection_class: "person",
        observed_frequency: 0,
        reason: "No detections of person in the hour; 30 are usual",
      },
      { detection_class: null, timestamp: "2026-03-16T15:00:00.000Z", anomaly_score: expect.closeTo(-5, 0) },
    ]);
  });

  it("is reported for a class although the total is as usual", async () => {
    await twoWeeks(() => 30);
    await hour(later, 22);
    await detect(later, 8, "dog");
    await learn(later + 2 * hourMs);
    expect(await anomalies(later + 2 * hourMs)).toMatchObject([{ detection_class: "dog", anomaly_score: 8, expected_frequency: 0 }]);
  });

  it("is not reported with too few samples, for a single detection where none is usual, or below the camera's own threshold", async () => {
    for (let day = 0; day < 9; day += 1) await hour(monday + day * dayMs, 0);
    await hour(monday + 9 * dayMs, 500);
    await learn(monday + 10 * dayMs);
    expect(await anomalies(monday + 10 * dayMs)).toEqual([]);
    await desk.ask("resetBaseline", front);
    for (let day = 11; day < 25; day += 1) await watched(monday + day * dayMs);
    await hour(monday + 25 * dayMs, 1);
    await learn(monday + 26 * dayMs);
    expect(await anomalies(monday + 26 * dayMs)).toEqual([]);
    await desk.ask("updateBaselineConfig", { ...front, body: { threshold_stdev: 5, override_global_config: true } });
    await hour(monday + 26 * dayMs, 4);
    await learn(monday + 27 * dayMs);
    expect(await anomalies(monday + 27 * dayMs)).toEqual([]);
    await desk.ask("updateBaselineConfig", { ...front, body: { override_global_config: false } });
    await hour(monday + 27 * dayMs, 15);
    await learn(monday + 28 * dayMs);
    expect(await anomalies(monday + 28 * dayMs)).toHaveLength(2);
  });

  it("is deleted after the retention period", async () => {
    await twoWeeks(() => 30);
    await watched(later);
    await learn(later + 2 * hourMs);
    desk.at(new Date(later + 29 * dayMs));
    await cleanUp(desk.context, { dryRun: false });
    expect(await anomalies(later + 29 * dayMs)).toHaveLength(2);
    expect(await activity(later + 29 * dayMs)).not.toEqual([]);
    desk.at(new Date(later + 31 * dayMs));
    await cleanUp(desk.context, { dryRun: false });
    expect(await anomalies(later + 31 * dayMs)).toEqual([]);
    expect(await desk.db.query((sql) => sql`select from activity_baselines union all select from class_baselines`)).toHaveLength(0);
  });
});

describe("the judgement of an event", () => {
  it("includes how unusual its hour is", async () => {
    await twoWeeks(() => 20);
    const eventAt = async (start: number): Promise<EventFacts | undefined> => {
      const body = {
        events: [{ camera_id: "front", started_at: new Date(start).toISOString(), ended_at: new Date(start + 1_200_000).toISOString() }],
      };
      const { results } = await desk.ask("createEvents", { body });
      return (await desk.db.query((sql) => factsOf(sql, Number(results[0]?.id), "UTC")))?.facts;
    };
    await detect(later, 30);
    const facts = await eventAt(later);
    expect(facts?.anomaly?.score).toBe(1);
    expect(facts?.anomaly?.reason).toBe("30 detections in the first 20 minutes of the hour; 20 are usual in the whole hour");
    await detect(later + dayMs, 2);
    expect((await eventAt(later + dayMs))?.anomaly?.score).toBe(0);
    expect((await eventAt(later + hourMs))?.anomaly).toBeNull();
  });
});

describe("a reset", () => {
  it("restarts learning from the detections after it", async () => {
    await twoWeeks(() => 30);
    // one hour is over but not yet learned, another is running
    await hour(later - hourMs, 7);
    await hour(later, 9);
    desk.at(new Date(later + 60_000));
    expect(await desk.ask("resetBaseline", front)).toEqual({ activity_baselines_deleted: 7, class_baselines_deleted: 7 });
    for (let minute = 2; minute < 60; minute += 1) await noteWatched(desk.db, new Date(later + minute * 60_000), "UTC");
    expect(await judge(later + 40 * 60_000)).toBe(0);
    await hour(later + hourMs, 4);
    await learn(later + 3 * hourMs);
    expect(await activity(later + 3 * hourMs)).toMatchObject([{ hour: 15, avg_count: 4, sample_count: 1 }]);
  });
});
