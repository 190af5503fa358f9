import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { factsOf, recordAttempt, storeAnalysisFailure, storeVerdict } from "../../../src/monitoring/events/analysis.ts";
import { EventFacts } from "../../../src/monitoring/upstream/facts.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
let eventId: number;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  eventId = await desk.db.query(async (sql) => {
    await emptyTables(sql, "cameras, journal");
    await sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'The Gate', '/gate')`;
    const [event] = await sql<[{ id: number }]>`
      insert into events (batch_id, camera_id, started_at, ended_at)
      values ('batch-1', 'gate', '2026-07-01T21:30:00Z', '2026-07-01T21:30:45.5Z')
      returning event_id as id
    `;
    return event.id;
  });
});

const now = new Date("2026-07-02T00:00:00Z");
const thresholds = { low: 0, medium: 30, high: 60, critical: 80 };
const verdict = {
  riskScore: 60,
  summary: "A person.",
  reasoning: "At night.",
  riskFactors: [{ name: "night", contribution: 60, detail: "23:30" }],
};
const judge = (riskScore = 60) =>
  desk.db.transaction((sql) =>
    storeVerdict(sql, { eventId, attempt: 2, verdict: { ...verdict, riskScore }, analyzedBy: "tester", thresholds, now }),
  );
const fail = () => desk.db.transaction((sql) => storeAnalysisFailure(sql, { eventId, attempt: 3, error: "no JSON", now }));
const event = () => desk.ask("getEvent", { params: { event_id: String(eventId) } });

/** Adds a detection of one picture: class, confidence, width and height of the box. */
const sight = (
  picture: number,
  seen: readonly (readonly [string, number, number | null, number | null])[],
  size: readonly [number, number] | null,
) =>
  desk.db.query(async (sql) => {
    const [image] = await sql<[{ id: number }]>`
      insert into images (camera_id, path, size_bytes, modified_ns, width, height, found_by, found_at, taken_at, status)
      values ('gate', ${`/gate/${picture}.jpg`}, 1, 1, ${size?.[0] ?? null}, ${size?.[1] ?? null}, 'watch', ${now}, ${now}, 'processed')
      returning image_id as id
    `;
    for (const [type, confidence, width, height] of seen) {
      await sql`
        insert into detections (camera_id, event_id, image_id, file_path, detected_at, object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height)
        values ('gate', ${eventId}, ${image.id}, ${`/gate/${picture}.jpg`}, ${now}, ${type}, ${confidence}, 0, 0, ${width}, ${height})
      `;
    }
  });

describe("the facts of an event", () => {
  it("say what was seen: how often, how surely, how many at once, how near", async () => {
    await sight(
      1,
      [
        ["person", 0.5, 100, 50],
        ["person", 1, 10, 10],
        ["dog", 0.25, null, null],
      ],
      [200, 100],
    );
    await sight(2, [["person", 0.75, 20_000, 20_000]], null);
    const subject = await desk.db.query((sql) => factsOf(sql, eventId, "Europe/Berlin"));
    expect(subject).toEqual({
      batchId: "batch-1",
      cameraId: "gate",
      isJudged: false,
      facts: {
        camera: { id: "gate", name: "The Gate" },
        startedAt: "2026-07-01T21:30:00.000Z",
        endedAt: "2026-07-01T21:30:45.500Z",
        local: { hour: 23, minute: 30, weekday: "wednesday", timeZone: "Europe/Berlin" },
        dwellSeconds: 45.5,
        frames: 2,
        objects: [
          { type: "person", detections: 3, maxConfidence: 1, meanConfidence: 0.75, maxSimultaneous: 2, largestShareOfPicture: 0.25 },
          { type: "dog", detections: 1, maxConfidence: 0.25, meanConfidence: 0.25, maxSimultaneous: 1, largestShareOfPicture: null },
        ],
        anomaly: null,
        readings: [],
      },
    });
    expect(EventFacts.safeParse(subject?.facts).success).toBe(true);
  });

  it("are whole for an event without detections, never say that a box is larger than its picture, and are none for no event", async () => {
    const empty = await desk.db.query((sql) => factsOf(sql, eventId, "UTC"));
    expect(EventFacts.parse(empty?.facts).objects).toEqual([]);
    await sight(1, [["car", 0.9, 500, 500]], [100, 100]);
    expect((await desk.db.query((sql) => factsOf(sql, eventId, "UTC")))?.facts.objects[0]?.largestShareOfPicture).toBe(1);
    expect(await desk.db.query((sql) => factsOf(sql, 4711, "UTC"))).toBeUndefined();
  });
});

describe("a judgement", () => {
  it("is stored with the level of its score and reported", async () => {
    await judge();
    expect(await event()).toMatchObject({
      risk_score: 60,
      risk_level: "high",
      summary: "A person.",
      reasoning: "At night.",
      risk_factors: verdict.riskFactors,
      analyzed_by: "tester",
      analysis_status: "completed",
    });
    const { detections: _, shown_detection_ids: __, ...record } = await event();
    expect(await desk.journal("event.updated")).toEqual([record]);
    expect(await desk.journal("batch.analysis_completed")).toEqual([
      { event_id: eventId, batch_id: "batch-1", camera_id: "gate", attempt: 2, risk_score: 60, risk_level: "high" },
    ]);
  });

  it.each([
    [0, "low"],
    [29, "low"],
    [30, "medium"],
    [59, "medium"],
    [79, "high"],
    [80, "critical"],
    [100, "critical"],
  ])("of %d is %s", async (score, level) => {
    await judge(score);
    expect(await event()).toMatchObject({ risk_score: score, risk_level: level });
  });

  it("keeps the texts that the event was stored with, also when it fails", async () => {
    await desk.db.query((sql) => sql`update events set summary = 'The postman', reasoning = 'He comes at ten.'`);
    await fail();
    expect(await event()).toMatchObject({ summary: "The postman", reasoning: "He comes at ten.", analysis_status: "failed" });
    await judge();
    expect(await event()).toMatchObject({ risk_score: 60, summary: "The postman", reasoning: "He comes at ten." });
    // a repeated analysis replaces the texts
    await judge(75);
    expect(await event()).toMatchObject({ risk_score: 75, summary: "A person.", reasoning: "At night." });
  });

  it("that failed leaves an event without a score, and is reported", async () => {
    await fail();
    expect(await event()).toMatchObject({
      risk_score: null,
      risk_level: null,
      summary: "",
      reasoning: "",
      risk_factors: [],
      analyzed_by: null,
      analysis_status: "failed",
    });
    expect(await desk.journal("batch.analysis_failed")).toEqual([
      { event_id: eventId, batch_id: "batch-1", camera_id: "gate", attempt: 3, error: "no JSON" },
    ]);
    expect(await desk.journal("event.updated")).toHaveLength(1);
  });

  it("that fails when repeated keeps the earlier one, and is reported", async () => {
    await judge();
    const judged = await event();
    await desk.db.query((sql) => sql`update events set analysis_status = 'pending'`);
    await fail();
    expect(await event()).toEqual(judged);
    expect(await desk.journal("batch.analysis_failed")).toHaveLength(1);
  });

  it("of a deleted event is stored, but the event stays out of sight", async () => {
    await desk.ask("deleteEvent", { params: { event_id: String(eventId) } });
    await judge(75);
    expect(await desk.journal("event.updated")).toEqual([]);
    expect((await desk.ask("restoreEvent", { params: { event_id: String(eventId) } })).risk_score).toBe(75);
  });

  it("of an event that is gone is dropped", async () => {
    await desk.db.query((sql) => sql`delete from events`);
    await judge();
    await fail();
    expect(await desk.journal("event.updated")).toEqual([]);
  });
});

it("numbers the tries of an event", async () => {
  const attempt = { eventId, startedAt: now, finishedAt: now, analyzedBy: null, error: "busy", answer: null };
  await desk.db.query((sql) => recordAttempt(sql, { ...attempt, outcome: "unavailable" }));
  await desk.db.query((sql) => recordAttempt(sql, { ...attempt, outcome: "completed", error: null, answer: "{}" }));
  await desk.db.query((sql) => recordAttempt(sql, { ...attempt, eventId: 4711, outcome: "unavailable" }));
  const rows = await desk.db.query(
    (sql) => sql`select a.attempt, a.outcome, a.error, a.answer from analysis_attempts a order by a.attempt`,
  );
  expect([...rows]).toEqual([
    { attempt: 1, outcome: "unavailable", error: "busy", answer: null },
    { attempt: 2, outcome: "completed", error: null, answer: "{}" },
  ]);
});
