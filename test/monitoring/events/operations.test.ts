import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { fillHistory } from "../../support/recorded.ts";

type WireEvent = Wire<"listEvents">["items"][number];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await fillHistory(desk.db, { cameras: 3, events: 900, detectionsPerEvent: 3 });
});
afterAll(() => desk.close());

const list = (query = "") => desk.ask("listEvents", { query });
const event = (id: number | string) => ({ params: { event_id: String(id) } });
const newest = async (): Promise<WireEvent> => (await list("limit=1")).items[0] as WireEvent;

describe("list", () => {
  it("shows the newest first, each with the ids of its detections in the order of their times", async () => {
    const { items, pagination } = await list("limit=3");
    expect(items.map((item) => item.started_at)).toEqual([
      "2026-03-01T12:00:00.000Z",
      "2026-03-01T11:59:00.000Z",
      "2026-03-01T11:58:00.000Z",
    ]);
    expect(pagination).toMatchObject({ total: 900, limit: 3, has_more: true });
    for (const item of items) {
      const { detections } = await desk.ask("getEvent", event(item.id));
      expect(item.detection_ids).toEqual(detections.map((detection) => detection.id));
      expect(detections.map((detection) => detection.detected_at)).toEqual(detections.map((detection) => detection.detected_at).sort());
      expect(item.detection_ids).toHaveLength(3);
    }
  });

  const matches: Record<string, (item: WireEvent) => boolean> = {
    "camera_id=cam1": (item) => item.camera_id === "cam1",
    "camera_id=cam1&camera_id=cam2&camera_id=cam1&camera_id=nobody": (item) => ["cam1", "cam2"].includes(item.camera_id),
    "camera_id=nobody": () => false,
    "risk_level=high": (item) => item.risk_level === "high",
    "risk_level=HIGH&risk_level=critical": (item) => item.risk_level === "high" || item.risk_level === "critical",
    "object_type=dog": (item) => item.object_types.includes("dog"),
    "object_type=dog&object_type=cat": (item) => item.object_types.some((type: string) => ["dog", "cat"].includes(type)),
    "reviewed=false": (item) => !item.reviewed,
    "reviewed=1": (item) => item.reviewed,
    "min_risk_score=90": (item) => Number(item.risk_score) >= 90,
    "min_risk_score=0": (item) => item.risk_score !== null,
    "start_date=2026-03-01T11:00:00Z": (item) => item.started_at >= "2026-03-01T11:00:00.000Z",
    "end_date=2026-03-01T11:00:00Z": (item) => item.started_at <= "2026-03-01T11:00:00.000Z",
    "end_date=2026-02-28": (item) => item.started_at < "2026-03-01",
    "start_date=2026-03-01&end_date=2026-03-01": (item) => item.started_at.startsWith("2026-03-01"),
    "start_date=2026-03-02": () => false,
    "created_since=2026-03-01T11:00:00Z": (item) => item.created_at >= "2026-03-01T11:00:00.000Z",
    "created_since=2026-03-01&camera_id=cam1": (item) => item.camera_id === "cam1" && item.created_at >= "2026-03-01",
    "camera_id=cam0&camera_id=cam1&risk_level=critical&object_type=person&object_type=dog&reviewed=true&min_risk_score=85&start_date=2026-03-01":
      (item) =>
        ["cam0", "cam1"].includes(item.camera_id) &&
        item.risk_level === "critical" &&
        item.object_types.some((type: string) => ["person", "dog"].includes(type)) &&
        item.reviewed &&
        Number(item.risk_score) >= 85 &&
        item.started_at >= "2026-03-01",
  };
  it.each(Object.keys(matches))("narrows by %s, with an exact total, page by page", async (query) => {
    const everything = (await list("limit=1000")).items;
    const expected = everything.filter(matches[query] as (item: WireEvent) => boolean).map((item) => item.id);
    expect(expected.length).toBeLessThan(everything.length);
    const ids: number[] = [];
    let cursor = "";
    for (;;) {
      const { items, pagination } = await list(`${query}&limit=37${cursor}`);
      expect(pagination.total).toBe(expected.length);
      ids.push(...items.map((item) => item.id));
      if (!pagination.has_more) break;
      cursor = `&cursor=${pagination.next_cursor}`;
    }
    expect(ids).toEqual(expected);
    const third = await list(`${query}&limit=5&offset=5`);
    expect(third.items.map((item) => item.id)).toEqual(expected.slice(5, 10));
    expect(third.deprecation_warning).toBeDefined();
  });

  it.each([
    ["limit=0", "greater_than_equal"],
    ["limit=1001", "less_than_equal"],
    ["limit=x", "int_parsing"],
    ["cursor=x", "value_error"],
    ["risk_level=severe", "enum"],
    ["reviewed=perhaps", "bool_parsing"],
    ["min_risk_score=101", "less_than_equal"],
    ["start_date=yesterday", "datetime_parsing"],
    ["end_date=2026-02-30", "datetime_parsing"],
    ["start_date=0000-01-01", "datetime_parsing"],
    ["end_date=9999-12-31T23:59:00-10:00", "datetime_parsing"],
    ["object_type=%00", "value_error"],
  ])("refuses %s", async (query, type) => {
    await expect(list(query)).rejects.toMatchObject({ kind: "invalid", items: [expect.objectContaining({ type })] });
  });

  it("takes the first and the last day there are", async () => {
    expect((await list("start_date=0001-01-01&end_date=9999-12-31")).pagination.total).toBe(900);
  });
});

describe("one event", () => {
  it.each(["0", "-1", "999999999", "9007199254740991"])("%s does not exist", async (id) => {
    const missing = { kind: "not_found", message: expect.stringContaining(id) };
    await expect(desk.ask("getEvent", event(id))).rejects.toMatchObject(missing);
    await expect(desk.ask("updateEvent", { ...event(id), body: { reviewed: true } })).rejects.toMatchObject(missing);
  });

  it("stores a review and notes, and announces them", async () => {
    const { id } = await newest();
    const before = await desk.ask("getEvent", event(id));
    expect(await desk.ask("updateEvent", { ...event(id), body: { reviewed: false, notes: "the cat" } })).toEqual({
      ...before,
      reviewed: false,
      notes: "the cat",
    });
    expect(await desk.ask("updateEvent", { ...event(id), body: { ...before, reviewed: true } })).toEqual({ ...before, reviewed: true });
    const { detections: _, shown_detection_ids: __, ...record } = before;
    expect(await desk.journal("event.updated")).toEqual([
      { ...record, reviewed: false, notes: "the cat" },
      { ...record, reviewed: true },
    ]);
  });

  it("announces nothing for an empty change", async () => {
    const { id } = await newest();
    const told = await desk.journal("event.updated");
    await desk.ask("updateEvent", { ...event(id), body: {} });
    expect(await desk.journal("event.updated")).toEqual(told);
  });

  it.each([
    [{ notes: "x".repeat(4001) }, "string_too_long"],
    [{ notes: "a\0b" }, "value_error"],
    [{ reviewed: "sure" }, expect.any(String)],
    [{ risk: 3 }, "extra_forbidden"],
  ])("refuses %j", async (body, type) => {
    await expect(desk.ask("updateEvent", { ...event(1), body })).rejects.toMatchObject({
      kind: "invalid",
      items: [expect.objectContaining({ type })],
    });
  });

  it("that is deleted is no longer found, listed or counted", async () => {
    const { id } = await newest();
    const { total } = (await list()).pagination;
    await desk.db.query((sql) => sql`update events set deleted_at = now() where event_id = ${id}`);
    await expect(desk.ask("getEvent", event(id))).rejects.toMatchObject({ kind: "not_found" });
    await expect(desk.ask("updateEvent", { ...event(id), body: { notes: "x" } })).rejects.toMatchObject({ kind: "not_found" });
    expect((await newest()).id).not.toBe(id);
    expect((await list()).pagination.total).toBe(total - 1);
    await desk.db.query((sql) => sql`update events set deleted_at = null where event_id = ${id}`);
    expect((await list()).pagination.total).toBe(total);
  });
});

describe("walking the list while events come", () => {
  it("shows each event that was there at the start exactly once", async () => {
    const other = await openDesk();
    await other.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('a', 'a', '/a'), ('b', 'b', '/b')`);
    const insert = (camera: string, microseconds: number) =>
      other.db.query(
        (sql) => sql`
          insert into events (camera_id, started_at, ended_at)
          values (${camera}, timestamptz '2026-03-01 12:00:00Z' + ${microseconds}::integer * interval '1 microsecond', now())
        `,
      );
    const arrival = fc.tuple(fc.constantFrom("a", "b"), fc.integer({ min: 0, max: 2000 }));
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { minLength: 1, maxLength: 15 }),
        fc.array(arrival, { maxLength: 15 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom("", "&camera_id=a", "&camera_id=a&camera_id=b"),
        async (there, coming, limit, filter) => {
          await other.db.query((sql) => emptyTables(sql, "events"));
          for (const [camera, time] of there) await insert(camera, time);
          const start = (await other.ask("listEvents", { query: `limit=1000${filter}` })).items.map((item) => item.id);
          const seen: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"listEvents"> = await other.ask("listEvents", {
              query: `limit=${limit}${filter}${cursor && `&cursor=${cursor}`}`,
            });
            seen.push(...page.items.map((item) => item.id));
            cursor = page.pagination.next_cursor;
            const next = coming.shift();
            if (next) await insert(...next);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => start.includes(id))).toEqual(start);
        },
      ),
      { numRuns: 40 },
    );
    await other.close();
  });
});

describe("totals", () => {
  it("always equal the count of the rows", async () => {
    const other = await openDesk();
    await other.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('a', 'a', '/a'), ('b', 'b', '/b')`);
    const step = fc.oneof(
      fc.record({
        kind: fc.constant("insert" as const),
        camera: fc.constantFrom("a", "b"),
        n: fc.integer({ min: 1, max: 5 }),
        deleted: fc.boolean(),
      }),
      fc.record({
        kind: fc.constantFrom("delete" as const, "restore" as const, "remove" as const, "touch" as const),
        n: fc.integer({ min: 2, max: 4 }),
      }),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 12 }), async (steps) => {
        for (const action of steps) {
          await other.db.query(async (sql) => {
            switch (action.kind) {
              case "insert":
                await sql`
                  insert into events (camera_id, started_at, ended_at, deleted_at)
                  select ${action.camera}, now(), now(), ${action.deleted ? new Date() : null}::timestamptz from generate_series(1, ${action.n}::integer)
                `;
                return;
              case "delete":
                await sql`update events set deleted_at = now() where event_id % ${action.n} = 0`;
                return;
              case "restore":
                await sql`update events set deleted_at = null where event_id % ${action.n} = 1`;
                return;
              case "touch":
                await sql`update events set notes = 'x'`;
                return;
              case "remove":
                await sql`delete from events where event_id % ${action.n} = 0`;
                return;
            }
          });
          for (const filter of ["", "camera_id=a", "camera_id=a&camera_id=b"]) {
            const { pagination } = await other.ask("listEvents", { query: filter });
            const [row] = await other.db.query(
              (sql) => sql<[{ n: number }]>`
                select count(*) as n from events e where e.deleted_at is null ${filter === "camera_id=a" ? sql`and e.camera_id = 'a'` : sql``}
              `,
            );
            expect(pagination.total).toBe(row.n);
          }
        }
      }),
      { numRuns: 15 },
    );
    await other.close();
  });
});
