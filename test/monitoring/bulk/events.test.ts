import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('yard', 'Yard', '/a', null), ('gate', 'Gate', '/b', null), ('gone', 'Gone', '/c', now())
    `,
  );
});
afterAll(() => desk.close());
beforeEach(() => desk.db.query((sql) => emptyTables(sql, "events, detections, batches, jobs, journal, totals")));

const good = { camera_id: "yard", started_at: "2026-03-01T10:00:00Z" };
const create = (...events: unknown[]) => desk.ask("createEvents", { body: { events } });
const get = (id: number | null | undefined) => desk.ask("getEvent", { params: { event_id: String(id) } });
const jobs = () =>
  desk.db.query((sql) => sql<{ subject: string; status: string }[]>`select j.subject, j.status from jobs j order by j.job_id`);
const total = async () => (await desk.ask("listEvents")).pagination.total;

/** Three detections of yard, one of gate, one in an open batch. */
const detections = () =>
  desk.db.query(async (sql) => {
    const [batch] = await sql<[{ id: string }]>`
      insert into batches (camera_id, started_at, last_detection_at, due_at, opened_at, joined_at)
      values ('yard', now(), now(), now(), now(), now())
      returning batch_id as id
    `;
    await sql`
      insert into detections (camera_id, batch_id, file_path, detected_at, object_type, confidence)
      values ('yard', null, '/1', now(), 'person', 0.7), ('yard', null, '/2', now(), 'dog', 0.9), ('yard', null, '/3', now(), 'dog', 0.8),
        ('gate', null, '/4', now(), 'car', 0.9), ('yard', ${batch.id}, '/5', now(), 'cat', 0.9)
    `;
  });

describe("events from elsewhere", () => {
  it("are stored, rated by their scores, announced, searchable and counted", async () => {
    const reply = await create(
      { ...good, risk_score: 85, risk_level: "low", summary: "A ladder", reasoning: "Unusual", ended_at: "2026-03-01T10:01:00+01:00" },
      { ...good, ended_at: "2026-03-01T10:01:00Z", risk_score: 85, risk_level: "low", summary: "A ladder", reasoning: "Unusual" },
      { ...good, batch_id: "import-1", ended_at: null, summary: null, reasoning: null, detection_ids: null },
      { ...good, risk_score: 0 },
    );
    expect(reply).toMatchObject({ total: 4, succeeded: 3, failed: 1 });
    expect(reply.results.map(({ index, status, id }) => [index, status, id])).toEqual([
      [0, "failed", null],
      [1, "success", 1],
      [2, "success", 2],
      [3, "success", 3],
    ]);
    expect(reply.results[0]?.error).toBe("ended_at: Must not be before started_at");
    expect(await get(1)).toMatchObject({
      camera_id: "yard",
      started_at: "2026-03-01T10:00:00.000Z",
      ended_at: "2026-03-01T10:01:00.000Z",
      risk_score: 85,
      risk_level: "critical",
      summary: "A ladder",
      reasoning: "Unusual",
      analysis_status: "completed",
      analyzed_by: null,
      detection_ids: [],
      reviewed: false,
    });
    expect(await get(2)).toMatchObject({
      batch_id: "import-1",
      ended_at: "2026-03-01T10:00:00.000Z",
      risk_level: null,
      analysis_status: "pending",
    });
    expect((await get(3)).risk_level).toBe("low");
    expect((await desk.journal("event")).map(({ id, risk_level }) => [id, risk_level])).toEqual([
      [1, "critical"],
      [2, null],
      [3, "low"],
    ]);
    // only the event without a score gets an analysis job
    expect(await jobs()).toEqual([{ subject: "2", status: "pending" }]);
    expect(await total()).toBe(3);
    expect((await desk.ask("searchEvents", { query: "q=ladder" })).items.map(({ id }) => id)).toEqual([1]);
  });

  it("take in detections of their camera that are free", async () => {
    await detections();
    const reply = await create({ ...good, detection_ids: [1, 2] });
    expect(reply.succeeded).toBe(1);
    expect(await get(reply.results[0]?.id)).toMatchObject({
      detection_ids: expect.arrayContaining([1, 2]),
      detection_count: 2,
      object_types: ["dog", "person"],
      thumbnail_url: "/api/detections/2/thumbnail",
      detections: [expect.objectContaining({ event_id: 1 }), expect.objectContaining({ event_id: 1 })],
    });
    expect(await desk.journal("event")).toEqual([expect.objectContaining({ detection_count: 2, object_types: ["dog", "person"] })]);
  });

  it("are refused one by one, naming the invalid field", async () => {
    await detections();
    const faults: [item: unknown, error: string | RegExp, id?: number][] = [
      [5, /Must be an object/],
      [null, /Must be an object/],
      [{}, /camera_id: Missing.*started_at: Missing/],
      [{ ...good, camera_id: 7 }, /^camera_id: /],
      [{ ...good, camera_id: "nobody" }, "camera_id: Camera nobody does not exist"],
      [{ ...good, camera_id: "gone" }, "camera_id: Camera gone does not exist"],
      [{ ...good, started_at: "yesterday" }, /^started_at: /],
      [{ ...good, started_at: "0000-01-01T00:00:00Z" }, /^started_at: /],
      [{ ...good, started_at: 5 }, /^started_at: /],
      [{ ...good, risk_score: 101 }, /^risk_score: /],
      [{ ...good, risk_score: -1 }, /^risk_score: /],
      [{ ...good, risk_score: 1.5 }, /^risk_score: /],
      [{ ...good, risk_level: "severe" }, /^risk_level: /],
      [{ ...good, summary: "x".repeat(4001) }, /^summary: /],
      [{ ...good, summary: "a\0b" }, /summary: .*NUL/],
      [{ ...good, reasoning: "\ud800" }, /reasoning: .*surrogate/],
      [{ ...good, notes: "x" }, /notes: Unknown field/],
      [{ ...good, batch_id: "" }, /^batch_id: /],
      [{ ...good, detection_ids: [9] }, "detection_ids.0: Detection 9 does not exist"],
      [{ ...good, detection_ids: [1, 4] }, "detection_ids.1: Detection 4 is of camera gate"],
      [{ ...good, detection_ids: [5] }, /Detection 5 belongs to an open batch/],
      [{ ...good, detection_ids: [1, 1] }, /Detection 1 is named twice/],
      [{ ...good, detection_ids: ["1"] }, /^detection_ids.0: /],
    ];
    const items = [
      ...faults.map(([item]) => item),
      { ...good, detection_ids: [3] },
      { ...good, detection_ids: [3] },
      { ...good, batch_id: "b" },
      { ...good, batch_id: "b" },
    ];
    const { total: all, succeeded, results } = await create(...items);
    expect([all, succeeded, results.length]).toEqual([items.length, 2, items.length]);
    for (const [index, [, error]] of faults.entries()) {
      expect(results[index]).toMatchObject({ index, status: "failed", id: null });
      expect(results[index]?.error).toMatch(error);
    }
    const [third, taken, batch, again] = results.slice(faults.length);
    expect([third?.status, batch?.status]).toEqual(["success", "success"]);
    expect(taken?.error).toBe("detection_ids.0: Detection 3 is named twice");
    expect(again?.error).toBe("batch_id: b has its event already");
    expect((await create({ ...good, detection_ids: [3] })).results[0]?.error).toBe(
      `detection_ids.0: Detection 3 belongs to event ${third?.id}`,
    );
    expect((await create({ ...good, batch_id: "b" })).failed).toBe(1);
    expect(await total()).toBe(2);
  });

  it("that are refused for their batch leave their detections to the others", async () => {
    await detections();
    await create({ ...good, batch_id: "b" });
    const { results } = await create(
      { ...good, batch_id: "b", detection_ids: [1] },
      { ...good, detection_ids: [1] },
      { ...good, batch_id: "c" },
      { ...good, batch_id: "c", detection_ids: [2, 3] },
      { ...good, detection_ids: [2, 3] },
    );
    expect(results.map(({ error }) => error)).toEqual([
      "batch_id: b has its event already",
      null,
      null,
      "batch_id: c has its event already",
      null,
    ]);
    expect((await get(results[1]?.id)).detection_ids).toEqual([1]);
    expect((await get(results[4]?.id)).detection_count).toBe(2);
  });

  it("do not take the place of the event that an open batch becomes", async () => {
    await detections();
    const [batch] = await desk.db.query((sql) => sql<[{ id: string }]>`select b.batch_id as id from batches b`);
    expect((await create({ ...good, batch_id: batch.id })).results[0]?.error).toBe(
      `batch_id: ${batch.id} is an open batch that will become a separate event`,
    );
    expect(await total()).toBe(0);
  });

  it("are one event when two ask for the same batch or detection at once", async () => {
    await detections();
    const asked = [1, 2, 3, 4].map(() => create({ ...good, batch_id: "same", detection_ids: [1] }, { ...good, detection_ids: [2] }));
    const replies = await Promise.all(asked);
    expect(replies.map(({ succeeded }) => succeeded).sort()).toEqual([0, 0, 0, 2]);
    expect(await total()).toBe(2);
  });

  it("keep their times, the first and the last that there are too", async () => {
    const { results } = await create(
      { ...good, started_at: "0001-01-01T00:00:00Z", ended_at: "0099-12-31T23:59:59.5Z" },
      { ...good, started_at: "9999-12-31T23:59:59.999Z" },
    );
    const [first, last] = [await get(results[0]?.id), await get(results[1]?.id)];
    expect([first.started_at, first.ended_at]).toEqual(["0001-01-01T00:00:00.000Z", "0099-12-31T23:59:59.500Z"]);
    expect(last.started_at).toBe("9999-12-31T23:59:59.999Z");
  });

  it("come a hundred at a time", async () => {
    const reply = await create(...Array.from({ length: 100 }, (_, at) => ({ ...good, risk_score: at % 101, batch_id: `many-${at}` })));
    expect(reply).toMatchObject({ total: 100, succeeded: 100, failed: 0 });
    expect(reply.results.map(({ index }) => index)).toEqual(Array.from({ length: 100 }, (_, at) => at));
    for (const at of [0, 57, 99]) expect((await get(reply.results[at]?.id)).batch_id).toBe(`many-${at}`);
  });
});

describe("reviews of events", () => {
  const update = (...events: unknown[]) => desk.ask("updateEvents", { body: { events } });

  it("are stored one by one, the last one wins, and each event is announced once", async () => {
    await create(good, good, good, good);
    await desk.ask("deleteEvent", { params: { event_id: "4" } });
    const record = await desk.ask("getEvent", { params: { event_id: "3" } });
    const reply = await update(
      { id: 1, reviewed: true },
      { id: 1, notes: "first" },
      { id: 1, notes: "second" },
      { id: 2 },
      { id: 4, reviewed: true },
      { id: 99, reviewed: true },
      { id: "1", reviewed: true },
      { reviewed: true },
      { id: 2, reviewed: "sure" },
      { id: 2, notes: "x".repeat(4001) },
      { id: 2, score: 5 },
      { ...record, notes: "read before" },
    );
    expect(reply.results.map(({ status, id, error }) => [status, id, error])).toEqual([
      ["success", 1, null],
      ["success", 1, null],
      ["success", 1, null],
      ["success", 2, null],
      ["failed", 4, "id: Event 4 is deleted"],
      ["failed", 99, "id: Event 99 does not exist"],
      ["failed", null, expect.stringMatching(/^id: /)],
      ["failed", null, expect.stringMatching(/^id: Missing/)],
      ["failed", 2, expect.stringMatching(/^reviewed: /)],
      ["failed", 2, expect.stringMatching(/^notes: /)],
      ["failed", 2, "score: Unknown field"],
      ["success", 3, null],
    ]);
    expect(await get(1)).toMatchObject({ reviewed: true, notes: "second" });
    expect((await desk.journal("event.updated")).map(({ id, notes }) => [id, notes])).toEqual([
      [1, "second"],
      [3, "read before"],
    ]);
  });
});

describe("deletions of events", () => {
  it("are done and announced one by one", async () => {
    await create(good, good, good);
    const reply = await desk.ask("deleteEvents", { body: { event_ids: [3, 1, 99, 1, "2", null, 1.5] } });
    expect(reply).toMatchObject({ total: 7, succeeded: 2, failed: 5 });
    expect(reply.results.map(({ status, id, error }) => [status, id, error])).toEqual([
      ["success", 3, null],
      ["success", 1, null],
      ["failed", 99, "Event 99 does not exist"],
      ["failed", 1, "Event 1 is deleted already"],
      ["failed", null, expect.stringContaining("Must be a whole number")],
      ["failed", null, expect.any(String)],
      ["failed", null, expect.any(String)],
    ]);
    expect(await desk.journal("event.deleted")).toEqual([{ id: 1 }, { id: 3 }]);
    expect(await total()).toBe(1);
  });
});

describe("the outer shape", () => {
  const many = Array.from({ length: 101 }, () => good);
  it.each([
    ["createEvents", {}],
    ["createEvents", []],
    ["createEvents", { events: good }],
    ["createEvents", { events: [] }],
    ["createEvents", { events: many }],
    ["createEvents", { events: [good], more: 1 }],
    ["updateEvents", { events: [] }],
    ["updateEvents", { event_ids: [1] }],
    ["deleteEvents", { event_ids: [] }],
    ["deleteEvents", { event_ids: Array.from({ length: 101 }, () => 1) }],
    ["deleteEvents", { event_ids: 5 }],
  ] as const)("of %s is refused as a whole when it is not right", async (id, body) => {
    await expect(desk.ask(id, { body })).rejects.toMatchObject({ kind: "invalid" });
    expect(await total()).toBe(0);
  });
});
