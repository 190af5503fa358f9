import { mkdir, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { insertDetections, type NewDetection } from "../../../src/monitoring/detections/detections-repository.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";
import { fillHistory } from "../../support/recorded.ts";

type WireDetection = Wire<"listDetections">["items"][number];

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await fillHistory(desk.db, { cameras: 3, events: 300, detectionsPerEvent: 3 });
});
afterAll(() => desk.close());

const list = (query = "") => desk.ask("listDetections", { query });
const detection = (id: number | string) => ({ params: { detection_id: String(id) } });

const plain: NewDetection = {
  cameraId: "cam0",
  imageId: null,
  batchId: null,
  filePath: "/cameras/cam0/x.jpg",
  fileType: "image/jpeg",
  videoOffsetSeconds: null,
  detectedAt: new Date("2025-01-01T00:00:00.123Z"),
  objectType: "bird",
  confidence: 0.25,
  box: { x: 1.4, y: 2.5, width: 3.6, height: 4 },
  createdAt: new Date("2025-01-01T00:00:01Z"),
};

describe("list", () => {
  it("shows the newest first", async () => {
    const { items, pagination } = await list("limit=4");
    expect(items.map((item) => item.detected_at)).toEqual([
      "2026-03-01T12:00:03.000Z",
      "2026-03-01T12:00:02.000Z",
      "2026-03-01T12:00:01.000Z",
      "2026-03-01T11:59:03.000Z",
    ]);
    expect(pagination).toMatchObject({ total: 900, has_more: true });
    expect(await desk.ask("getDetection", detection(items[0]?.id ?? 0))).toEqual(items[0]);
  });

  const matches: Record<string, (item: WireDetection) => boolean> = {
    "camera_id=cam2": (item) => item.camera_id === "cam2",
    "camera_id=cam2&camera_id=cam0&camera_id=nobody": (item) => ["cam2", "cam0"].includes(item.camera_id),
    "camera_id=nobody": () => false,
    "object_type=dog": (item) => item.object_type === "dog",
    "object_type=dog&object_type=cat": (item) => ["dog", "cat"].includes(item.object_type),
    "object_type=Person": (item) => item.object_type === "person",
    "min_confidence=0.9": (item) => item.confidence >= 0.9,
    "event_id=7": (item) => item.event_id === 7,
    "event_id=999999": () => false,
    "start_date=2026-03-01T11:00:02Z&end_date=2026-03-01T11:30:02Z": (item) =>
      item.detected_at >= "2026-03-01T11:00:02.000Z" && item.detected_at <= "2026-03-01T11:30:02.000Z",
    "end_date=2026-02-28": () => false,
    "camera_id=cam1&camera_id=cam2&object_type=car&object_type=dog&min_confidence=0.7&start_date=2026-03-01T09:00:00Z": (item) =>
      ["cam1", "cam2"].includes(item.camera_id) &&
      ["car", "dog"].includes(item.object_type) &&
      item.confidence >= 0.7 &&
      item.detected_at >= "2026-03-01T09:00:00.000Z",
  };
  it.each(Object.keys(matches))("narrows by %s, with an exact total, page by page", async (query) => {
    const everything = (await list("limit=1000")).items;
    const expected = everything.filter(matches[query] as (item: WireDetection) => boolean).map((item) => item.id);
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
    expect((await list(`${query}&limit=5&offset=5`)).items.map((item) => item.id)).toEqual(expected.slice(5, 10));
  });

  it("takes a plain end date as the whole day", async () => {
    expect((await list("end_date=2026-03-01")).pagination.total).toBe(900);
    expect((await list("start_date=2026-03-01&end_date=2026-03-01T00:00:00Z")).pagination.total).toBe(0);
  });

  it.each([
    ["min_confidence=1.1", "less_than_equal"],
    ["min_confidence=nan", "float_parsing"],
    ["event_id=x", "int_parsing"],
    ["event_id=0", "greater_than_equal"],
    ["start_date=2026-13-01", "datetime_parsing"],
    ["cursor=", "value_error"],
  ])("refuses %s", async (query, type) => {
    await expect(list(query)).rejects.toMatchObject({ kind: "invalid", items: [expect.objectContaining({ type })] });
  });

  it("shows each detection that was there exactly once while others come", async () => {
    const other = await openDesk();
    await other.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('cam0', 'a', '/a'), ('cam1', 'b', '/b')`);
    const arrival = fc.tuple(fc.constantFrom("cam0", "cam1"), fc.integer({ min: 0, max: 3 }));
    const insert = (arrivals: readonly (readonly [string, number])[]) =>
      other.db.transaction((sql) =>
        insertDetections(
          sql,
          arrivals.map(([cameraId, ms]) => ({ ...plain, cameraId, detectedAt: new Date(ms) })),
        ),
      );
    await fc.assert(
      fc.asyncProperty(
        fc.array(arrival, { minLength: 1, maxLength: 15 }),
        fc.array(arrival, { maxLength: 15 }),
        fc.integer({ min: 1, max: 4 }),
        fc.constantFrom("", "&camera_id=cam0", "&camera_id=cam0&camera_id=cam1", "&object_type=bird"),
        async (there, coming, limit, filter) => {
          await other.db.query((sql) => emptyTables(sql, "detections"));
          await insert(there);
          const start = (await other.ask("listDetections", { query: `limit=1000${filter}` })).items.map((item) => item.id);
          const seen: number[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"listDetections"> = await other.ask("listDetections", {
              query: `limit=${limit}${filter}${cursor && `&cursor=${cursor}`}`,
            });
            seen.push(...page.items.map((item) => item.id));
            cursor = page.pagination.next_cursor;
            const next = coming.shift();
            if (next) await insert([next]);
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

describe("storing", () => {
  it("returns the records in the order given, boxes in whole pixels, and counts them", async () => {
    const before = (await list("camera_id=cam0")).pagination.total;
    const types = ["dog", "cat", "bird", "cat", "person"];
    const stored = await desk.db.transaction((sql) =>
      insertDetections(
        sql,
        types.map((objectType, index) => ({ ...plain, objectType, box: index === 3 ? null : plain.box })),
      ),
    );
    expect(stored.map((record) => record.object_type)).toEqual(types);
    expect(stored.map((record) => record.id)).toEqual(stored.map((record) => record.id).toSorted((a, b) => a - b));
    expect(stored[0]).toEqual({
      id: stored[0]?.id,
      camera_id: "cam0",
      file_path: "/cameras/cam0/x.jpg",
      file_type: "image/jpeg",
      detected_at: plain.detectedAt,
      captured_at: null,
      zones: [],
      mask_id: null,
      object_type: "dog",
      confidence: 0.25,
      bbox_x: 1,
      bbox_y: 3,
      bbox_width: 4,
      bbox_height: 4,
      thumbnail_path: null,
      preview_url: expect.stringContaining(`/api/detections/${stored[0]?.id}/preview?v=`),
      blur_hash: null,
      preview_box: null,
      event_id: null,
      batch_id: null,
      enrichment: null,
      created_at: plain.createdAt,
      parked_since: null,
    });
    expect(stored[3]?.bbox_x).toBeNull();
    expect(await desk.ask("getDetection", detection(stored[0]?.id ?? 0))).toMatchObject({ detected_at: "2025-01-01T00:00:00.123Z" });
    expect((await list("camera_id=cam0")).pagination.total).toBe(before + 5);
    const ids = stored.map((record) => record.id);
    await desk.db.query((sql) => sql`delete from detections where detection_id = any (${ids}::bigint[])`);
    expect((await list("camera_id=cam0")).pagination.total).toBe(before);
  });

  it("takes thousands at once, and none", async () => {
    const many = Array.from({ length: 5000 }, () => plain);
    expect(await desk.db.transaction(async (sql) => (await insertDetections(sql, many)).length)).toBe(5000);
    expect(await desk.db.query((sql) => insertDetections(sql, []))).toEqual([]);
    await desk.db.query((sql) => sql`delete from detections where event_id is null`);
  });
});

describe("image", () => {
  const stored = async (path: string, size: number | null, fileType = "image/jpeg") => {
    const [record] = await desk.db.transaction(async (sql) => {
      let imageId: number | null = null;
      if (size !== null) {
        const [image] = await sql<[{ id: number }]>`
          insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
          values ('cam0', ${path}, ${size}, ${process.hrtime.bigint().toString()}::text::bigint, 'watch', now(), now(), 'processed')
          returning image_id as id
        `;
        imageId = image.id;
      }
      return insertDetections(sql, [{ ...plain, filePath: path, fileType, imageId }]);
    });
    return detection(record?.id ?? 0);
  };
  const image = (asked: { params: { detection_id: string } }) => desk.askBytes("getDetectionImage", asked);

  it("is the file as it came", async () => {
    await mkdir(join(desk.cameraRoot, "cam0"), { recursive: true });
    const path = join(desk.cameraRoot, "cam0/whole.png");
    await writeFile(path, "12345");
    expect(await image(await stored(path, 5, "image/png"))).toEqual({ mediaType: "image/png", content: { file: path, isReal: true } });
    expect(await image(await stored(path, null))).toEqual({ mediaType: "image/jpeg", content: { file: path, isReal: true } });
  });

  it("is not a different picture of the same size that overwrote it", async () => {
    await mkdir(join(desk.cameraRoot, "cam0"), { recursive: true });
    const path = join(desk.cameraRoot, "cam0/snapshot.jpg");
    const written = async (content: string) => {
      await writeFile(path, content);
      const { size, mtimeNs } = await stat(path, { bigint: true });
      const record = await desk.db.transaction(async (sql) => {
        const [{ id }] = await sql<[{ id: number }]>`
          insert into images (camera_id, path, size_bytes, modified_ns, sha256, found_by, found_at, taken_at, status)
          values ('cam0', ${path}, ${Number(size)}, ${mtimeNs.toString()}::text::bigint, sha256(${content}::text::bytea), 'watch', now(), now(), 'processed')
          returning image_id as id
        `;
        return (await insertDetections(sql, [{ ...plain, filePath: path, fileType: "image/jpeg", imageId: id }]))[0];
      });
      return detection(record?.id ?? 0);
    };
    const first = await written("11111");
    expect(await image(first)).toMatchObject({ content: { file: path } });
    const second = await written("22222");
    await expect(image(first)).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("written over") });
    expect(await image(second)).toMatchObject({ content: { file: path } });
    // the time may change later, and a restored file has a different one
    await utimes(path, new Date(), new Date(2020, 1, 1));
    expect(await image(second)).toMatchObject({ content: { file: path } });
  });

  it("is not found, with the reason, if it is deleted, overwritten or outside the roots", async () => {
    const path = join(desk.cameraRoot, "cam0/changing.jpg");
    const asked = await stored(path, 5);
    await expect(image(asked)).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringMatching(/changing\.jpg, is gone from the disk/),
    });
    await writeFile(path, "another");
    await expect(image(asked)).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("written over") });
    await rm(path);
    await writeFile(join(desk.outside, "secret.jpg"), "12345");
    await symlink(join(desk.outside, "secret.jpg"), path);
    for (const outside of [
      asked,
      await stored(join(desk.outside, "secret.jpg"), 5),
      await stored("/etc/passwd", null),
      await stored(`${desk.cameraRoot}/../../outside/secret.jpg`, null),
    ]) {
      await expect(image(outside)).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("outside of CAMERA_ROOT") });
      await expect(desk.askBytes("getDetectionThumbnail", outside)).rejects.toMatchObject({ kind: "not_found" });
    }
  });

  it.each(["0", "-5", "123456789"])("of detection %s is not found", async (id) => {
    for (const operation of ["getDetectionImage", "getDetectionThumbnail"] as const) {
      await expect(desk.askBytes(operation, detection(id))).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining(id),
      });
    }
    await expect(desk.ask("getDetection", detection(id))).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining(id),
    });
  });
});
