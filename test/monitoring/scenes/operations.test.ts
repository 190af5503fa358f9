import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('front', 'Front Door', '/f', null), ('back', 'Back', '/b', null), ('gone', 'Gone', '/g', now())
    `,
  );
});
afterAll(() => desk.close());
beforeEach(() => desk.db.query((sql) => sql`delete from scene_changes`));

const list = (query = "", camera_id = "front") => desk.ask("listSceneChanges", { params: { camera_id }, query });
const acknowledge = (id: number | string, camera_id = "front") =>
  desk.ask("acknowledgeSceneChange", { params: { camera_id, id: String(id) } });

async function changed(...seconds: number[]): Promise<readonly number[]> {
  return await desk.db.query(async (sql) => {
    const rows = await sql<{ id: number }[]>`
      insert into scene_changes (camera_id, detected_at, change_type, similarity_score, file_path)
      select 'front', timestamptz '2026-03-01 10:00:00.000001Z' + s * interval '1 second', 'view_moved', 0.25, '/f/a.jpg'
      from unnest(${seconds}::integer[]) s
      returning scene_change_id as id
    `;
    return rows.map(({ id }) => id);
  });
}

describe("scene changes", () => {
  it("are listed, newest first, and acknowledged once", async () => {
    expect(await list()).toEqual({ camera_id: "front", scene_changes: [], total_changes: 0, next_cursor: null, has_more: false });
    const [first, second] = await changed(1, 2);
    const record = {
      id: second,
      camera_id: "front",
      detected_at: "2026-03-01T10:00:02.000Z",
      change_type: "view_moved",
      similarity_score: 0.25,
      acknowledged: false,
      acknowledged_at: null,
      file_path: "/f/a.jpg",
    };
    expect((await list()).scene_changes).toEqual([record, { ...record, id: first, detected_at: "2026-03-01T10:00:01.000Z" }]);

    desk.at("2026-03-01T12:00:00Z");
    const reply = { id: first, acknowledged: true, acknowledged_at: "2026-03-01T12:00:00.000Z" };
    expect(await acknowledge(first ?? 0)).toEqual(reply);
    desk.at("2026-03-01T13:00:00Z");
    expect(await acknowledge(first ?? 0)).toEqual(reply);
    const ids = async (query: string) => (await list(query)).scene_changes.map(({ id }) => id);
    expect(await ids("acknowledged=true")).toEqual([first]);
    expect(await ids("acknowledged=false")).toEqual([second]);
    expect((await list("acknowledged=1")).total_changes).toBe(1);
    expect((await list("", "back")).total_changes).toBe(0);
  });

  it.each(["nobody", "gone"])("of camera %s are not found", async (camera) => {
    const [id] = await changed(1);
    for (const asked of [list("", camera), acknowledge(id ?? 0, camera)]) {
      await expect(asked).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining(camera) });
    }
  });

  it("of another camera, or none, cannot be acknowledged", async () => {
    const [id] = await changed(1);
    for (const [change, camera] of [
      [id ?? 0, "back"],
      [999_999, "front"],
      [-1, "front"],
    ] as const) {
      await expect(acknowledge(change, camera)).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining(String(change)),
      });
    }
    await expect(acknowledge("x")).rejects.toMatchObject({ kind: "invalid", items: [{ loc: ["path", "id"], type: "int_parsing" }] });
    expect((await list("acknowledged=true")).total_changes).toBe(0);
  });

  it.each(["limit=0", "limit=1001", "limit=x", "acknowledged=maybe", "cursor=x"])("refuses %s", async (query) => {
    await expect(list(query)).rejects.toMatchObject({ kind: "invalid" });
  });

  it("are each shown exactly once while others come", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: 0, max: 3 }), { minLength: 1, maxLength: 10 }),
        fc.array(fc.integer({ min: 0, max: 3 }), { maxLength: 10 }),
        fc.integer({ min: 1, max: 3 }),
        async (there, coming, limit) => {
          await desk.db.query((sql) => sql`delete from scene_changes`);
          await changed(...there);
          const start = (await list()).scene_changes.map(({ id }) => id);
          const seen: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"listSceneChanges"> = await list(`limit=${limit}${cursor && `&cursor=${cursor}`}`);
            expect(page.has_more).toBe(page.next_cursor !== null);
            seen.push(...page.scene_changes.map(({ id }) => id));
            cursor = page.next_cursor;
            const next = coming.pop();
            if (next !== undefined) await changed(next);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen.filter((id) => start.includes(id))).toEqual(start);
        },
      ),
      { numRuns: 40 },
    );
  });
});
