import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { fillHistory } from "../../support/recorded.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await fillHistory(desk.db, { cameras: 2, events: 40, detectionsPerEvent: 1 });
});
afterAll(() => desk.close());

const event = (id: number | string) => ({ params: { event_id: String(id) } });
const total = async () => (await desk.ask("listEvents")).pagination.total;
const deletedIds = async () => (await desk.ask("listDeletedEvents")).items.map(({ id }) => id);

describe("a deleted event", () => {
  it("leaves the list and the totals, is listed as deleted, and is announced", async () => {
    const before = await total();
    expect(await desk.ask("deleteEvent", event(7))).toBeUndefined();
    expect(await total()).toBe(before - 1);
    await expect(desk.ask("getEvent", event(7))).rejects.toMatchObject({ kind: "not_found" });
    await expect(desk.ask("updateEvent", { ...event(7), body: { notes: "x" } })).rejects.toMatchObject({ kind: "not_found" });
    await expect(desk.ask("reanalyzeEvent", event(7))).rejects.toMatchObject({ kind: "not_found" });
    const { items, pagination } = await desk.ask("listDeletedEvents");
    expect(items).toEqual([expect.objectContaining({ id: 7, deleted_at: "2026-03-01T12:00:00.000Z" })]);
    expect(pagination).toMatchObject({ total: 1, has_more: false });
    expect(await desk.journal("event.deleted")).toEqual([{ id: 7 }]);
  });

  it("is not deleted twice", async () => {
    await expect(desk.ask("deleteEvent", event(7))).rejects.toMatchObject({
      kind: "conflict",
      message: "Event 7 is deleted already; `homesec events restore 7` brings it back",
    });
    expect(await desk.journal("event.deleted")).toHaveLength(1);
  });

  it("comes back as it was", async () => {
    const before = await total();
    const [deleted] = (await desk.ask("listDeletedEvents")).items;
    const restored = await desk.ask("restoreEvent", event(7));
    const { detections, shown_detection_ids: _, ...record } = restored;
    expect(record).toEqual({ ...deleted, deleted_at: null });
    expect(detections).toHaveLength(1);
    expect(await desk.ask("getEvent", event(7))).toEqual(restored);
    expect(await total()).toBe(before + 1);
    expect(await deletedIds()).toEqual([]);
    expect(await desk.journal("event.updated")).toEqual([record]);
    await expect(desk.ask("restoreEvent", event(7))).rejects.toMatchObject({ kind: "conflict" });
  });

  it.each(["0", "-1", "999999999", "9007199254740991"])("that never was: %s", async (id) => {
    for (const operation of ["deleteEvent", "restoreEvent", "reanalyzeEvent"] as const) {
      await expect(desk.ask(operation, event(id))).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining(id) });
    }
  });

  it("is deleted by one of two concurrent requests", async () => {
    const outcomes = await Promise.allSettled([1, 2, 3, 4].map(() => desk.ask("deleteEvent", event(8))));
    expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    await desk.ask("restoreEvent", event(8));
  });
});

describe("the list of the deleted", () => {
  it("shows each event that was there at the start exactly once, last deleted first, while others are deleted", async () => {
    const other = await openDesk();
    await fillHistory(other.db, { cameras: 2, events: 60, detectionsPerEvent: 0 });
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 20 }),
        fc.array(fc.integer({ min: 1, max: 60 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 4 }),
        async (there, coming, limit) => {
          await other.db.query((sql) => sql`update events set deleted_at = null`);
          // equal times, and times that differ by a microsecond
          await other.db.query(
            (sql) => sql`
              update events set deleted_at = timestamptz '2026-03-01Z' + event_id % 3 * interval '1 microsecond'
              where event_id = any (${there}::bigint[])
            `,
          );
          const start = (await other.ask("listDeletedEvents", { query: "limit=1000" })).items.map(({ id }) => id);
          expect([...start].sort()).toEqual([...there].sort());
          const seen: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"listDeletedEvents"> = await other.ask("listDeletedEvents", {
              query: `limit=${limit}${cursor && `&cursor=${cursor}`}`,
            });
            seen.push(...page.items.map(({ id }) => id));
            cursor = page.pagination.next_cursor;
            const next = coming.shift();
            if (next !== undefined && !there.includes(next)) await other.ask("deleteEvents", { body: { event_ids: [next] } });
          }
          expect(seen).toEqual(start);
        },
      ),
      { numRuns: 25 },
    );
    await other.close();
  });
});
