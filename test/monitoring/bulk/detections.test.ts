import { access, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { assignToBatches, closeDueBatches } from "../../../src/monitoring/batches/aggregation.ts";
import { insertDetections } from "../../../src/monitoring/detections/detections-repository.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeEach(async () => {
  desk = await openDesk();
  await desk.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('front', 'Front', '/f', null), ('back', 'Back', '/b', null), ('gone', 'Gone', '/g', now())
    `,
  );
});
afterEach(() => desk.close());

const item = {
  camera_id: "front",
  file_path: "/f/a.jpg",
  detected_at: "2026-02-01T10:00:00.123Z",
  object_type: "dog",
  confidence: 0.75,
};
const create = (...detections: unknown[]) => desk.ask("createDetections", { body: { detections } });
const update = (...detections: unknown[]) => desk.ask("updateDetections", { body: { detections } });
const remove = (...detection_ids: unknown[]) => desk.ask("deleteDetections", { body: { detection_ids } });
const show = (id: number | null | undefined) => desk.ask("getDetection", { params: { detection_id: String(id) } });
const total = async () => (await desk.ask("listDetections")).pagination.total;

async function event(cameraId = "front"): Promise<number> {
  const [row] = await desk.db.query(
    (sql) => sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at) values (${cameraId}, now(), now()) returning event_id as id
    `,
  );
  return row.id;
}
const showEvent = (id: number) => desk.ask("getEvent", { params: { event_id: String(id) } });

describe("bulk create", () => {
  it("stores and announces each item", async () => {
    const eventId = await event();
    const reply = await create(
      { ...item, file_type: "image/jpeg", bbox_x: 1, bbox_y: 2, bbox_width: 3, bbox_height: 4, event_id: eventId },
      { ...item, object_type: "CAT", confidence: 1, detected_at: "2026-02-01T12:00:00+01:00", bbox_x: null },
    );
    expect(reply).toEqual({
      total: 2,
      succeeded: 2,
      failed: 0,
      results: [0, 1].map((index) => ({ index, status: "success", id: expect.any(Number), error: null })),
    });
    expect(await show(reply.results[0]?.id)).toEqual({
      ...item,
      id: reply.results[0]?.id,
      file_type: "image/jpeg",
      bbox_x: 1,
      bbox_y: 2,
      bbox_width: 3,
      bbox_height: 4,
      thumbnail_path: null,
      preview_url: expect.stringMatching(/^\/api\/detections\/\d+\/preview\?v=/),
      blur_hash: null,
      preview_box: null,
      event_id: eventId,
      batch_id: null,
      enrichment: null,
      created_at: "2026-03-01T12:00:00.000Z",
      captured_at: null,
      parked_since: null,
      zones: [],
      mask_id: null,
    });
    expect(await show(reply.results[1]?.id)).toMatchObject({
      object_type: "cat",
      detected_at: "2026-02-01T11:00:00.000Z",
      bbox_x: null,
      event_id: null,
    });
    expect(await showEvent(eventId)).toMatchObject({
      detection_count: 1,
      object_types: ["dog"],
      thumbnail_url: `/api/detections/${reply.results[0]?.id}/thumbnail`,
      detection_ids: [reply.results[0]?.id],
    });
    expect((await desk.journal("detection.new")).map(({ id }) => id)).toEqual(reply.results.map(({ id }) => id));
    expect(await desk.journal("event.updated")).toMatchObject([{ id: eventId, detection_count: 1 }]);
    expect(await total()).toBe(2);
  });

  it("takes a record as it was read", async () => {
    const { results } = await create(item);
    const again = await create(await show(results[0]?.id));
    expect(again).toMatchObject({ succeeded: 1 });
    expect(again.results[0]?.id).not.toBe(results[0]?.id);
  });

  it.each<[name: string, fault: unknown, error: RegExp]>([
    ["no object", 5, /^Must be an object/],
    ["null", null, /Must be an object/],
    ["a list", [], /Must be an object/],
    ["nothing in it", {}, /camera_id: Missing.*detected_at: Missing.*confidence: Missing/],
    ["an unknown camera", { ...item, camera_id: "nobody" }, /^Camera nobody does not exist/],
    ["a deleted camera", { ...item, camera_id: "gone" }, /^Camera gone is deleted; restore it/],
    ["a camera id of another type", { ...item, camera_id: 7 }, /camera_id: Must be text/],
    ["an unknown field", { ...item, colour: "red" }, /colour: Unknown field/],
    ["an unknown class", { ...item, object_type: "fox" }, /object_type: Must be one of: person/],
    ["too high a confidence", { ...item, confidence: 1.01 }, /confidence: Must be at most 1/],
    ["too low a confidence", { ...item, confidence: -0.01 }, /confidence: Must be at least 0/],
    ["a confidence as text", { ...item, confidence: "0.5" }, /confidence: Must be a number/],
    ["no time", { ...item, detected_at: "noon" }, /detected_at: Must be a timestamp/],
    ["the year 0", { ...item, detected_at: "0000-01-01T00:00:00Z" }, /detected_at: Must be within the years/],
    ["a time beyond all years", { ...item, detected_at: "9999-12-31T23:59:59-10:00" }, /detected_at: Must be within the years/],
    ["an empty path", { ...item, file_path: "" }, /file_path: Must (not be empty|have at least 1)/],
    ["a path with NUL", { ...item, file_path: "/f/\0.jpg" }, /file_path: Must not contain the NUL/],
    ["half of a surrogate pair", { ...item, file_path: "/f/\ud800.jpg" }, /surrogate/],
    ["a kind of file that is none of ours", { ...item, file_type: "text/html" }, /file_type: Must be one of/],
    ["a negative box", { ...item, bbox_x: -1, bbox_y: 0, bbox_width: 1, bbox_height: 1 }, /bbox_x: Must be at least 0/],
    ["half a pixel", { ...item, bbox_x: 0.5, bbox_y: 0, bbox_width: 1, bbox_height: 1 }, /bbox_x: Must be a whole number/],
    ["half a box", { ...item, bbox_x: 1, bbox_y: 0 }, /must be given together/],
    ["an unknown event", { ...item, event_id: 999 }, /^Camera front has no event 999/],
    ["an event id of another type", { ...item, event_id: "1" }, /event_id: Must be a (whole )?number/],
  ])("makes %s its own result", async (_name, fault, error) => {
    const reply = await create(item, fault, { ...item, object_type: "bird" });
    expect(reply).toMatchObject({ total: 3, succeeded: 2, failed: 1 });
    expect(reply.results.map(({ index, status }) => [index, status])).toEqual([
      [0, "success"],
      [1, "failed"],
      [2, "success"],
    ]);
    expect(reply.results[1]).toEqual({ index: 1, status: "failed", id: null, error: expect.stringMatching(error) });
    expect(await total()).toBe(2);
  });

  it("refuses an event of another camera, a deleted one, and an incident", async () => {
    const other = await event("back");
    const deleted = await event();
    const incident = await event();
    await desk.db.query((sql) => sql`update events set deleted_at = now() where event_id = ${deleted}`);
    await desk.db.query((sql) => sql`update events set kind = 'camera_health' where event_id = ${incident}`);
    const reply = await create(...[other, deleted, incident].map((id) => ({ ...item, event_id: id })));
    expect(reply.results.map(({ error }) => error)).toEqual([
      expect.stringContaining(`no event ${other}`),
      expect.stringContaining(`no event ${deleted}`),
      expect.stringContaining("is an incident"),
    ]);
  });

  it.each<[name: string, body: unknown, type: string]>([
    ["no item", { detections: [] }, "value_error"],
    ["101 items", { detections: Array.from({ length: 101 }, () => item) }, "value_error"],
    ["no list", { detections: item }, "value_error"],
    ["nothing", {}, "missing"],
    ["another field", { detections: [item], force: true }, "extra_forbidden"],
    ["no object", [item], "value_error"],
    ["no body", undefined, "missing"],
  ])("refuses a body with %s as a whole", async (_name, body, type) => {
    for (const operation of ["createDetections", "updateDetections"] as const) {
      await expect(desk.ask(operation, { body })).rejects.toMatchObject({ kind: "invalid", items: [expect.objectContaining({ type })] });
    }
    expect(await total()).toBe(0);
  });

  it("takes 100 items", async () => {
    expect(await create(...Array.from({ length: 100 }, () => item))).toMatchObject({ total: 100, succeeded: 100 });
  });
});

describe("bulk update", () => {
  it("corrects class and confidence, and has the event follow", async () => {
    const eventId = await event();
    const { results } = await create({ ...item, event_id: eventId }, { ...item, event_id: eventId, confidence: 0.6 }, item);
    const [first, second, third] = results.map(({ id }) => id);
    const reply = await update(
      { id: first, object_type: "Cat", confidence: 0.1 },
      { id: third, confidence: 0.99 },
      { id: second },
      await show(third),
    );
    expect(reply).toMatchObject({ total: 4, succeeded: 4, failed: 0 });
    expect(await show(first)).toMatchObject({ object_type: "cat", confidence: 0.1, detected_at: item.detected_at });
    expect(await show(second)).toMatchObject({ object_type: "dog", confidence: 0.6 });
    // the record sent last sets 0.75 again
    expect(await show(third)).toMatchObject({ confidence: 0.75 });
    expect(await showEvent(eventId)).toMatchObject({
      detection_count: 2,
      object_types: ["cat", "dog"],
      thumbnail_url: `/api/detections/${second}/thumbnail`,
    });
    expect((await desk.journal("event.updated")).at(-1)).toMatchObject({ id: eventId, object_types: ["cat", "dog"] });
    const classes = await desk.ask("listDetections", { query: "object_type=cat" });
    expect(classes.pagination.total).toBe(1);
  });

  it.each<[name: string, fault: unknown, id: number | null, error: RegExp]>([
    ["an unknown id", { id: 12345, confidence: 0.5 }, 12345, /^Detection 12345 does not exist/],
    ["a negative id", { id: -1 }, -1, /does not exist/],
    ["no id", { confidence: 0.5 }, null, /id: Missing/],
    ["an id as text", { id: "1" }, null, /id: Must be a (whole )?number/],
    ["an id beyond all integers", { id: 1e300 }, null, /id: Must be/],
    ["an unknown class", { id: 1, object_type: "fox" }, 1, /object_type: Must be one of/],
    ["an empty class", { id: 1, object_type: "" }, 1, /object_type: Must be one of/],
    ["too high a confidence", { id: 1, confidence: 2 }, 1, /confidence: Must be at most 1/],
    ["null", { id: 1, confidence: null }, 1, /confidence: Must be a number/],
    ["an unknown field", { id: 1, notes: "x" }, 1, /notes: Unknown field/],
    ["NUL in a text", { id: 1, object_type: "dog\0" }, 1, /NUL/],
  ])("makes %s its own result", async (_name, fault, id, error) => {
    const { results } = await create(item);
    const reply = await update(fault, { id: results[0]?.id, confidence: 0.8 });
    expect(reply.results).toEqual([
      { index: 0, status: "failed", id, error: expect.stringMatching(error) },
      { index: 1, status: "success", id: results[0]?.id, error: null },
    ]);
    expect(await show(results[0]?.id)).toMatchObject({ confidence: 0.8, object_type: "dog" });
  });
});

describe("bulk delete", () => {
  it("deletes rows for good, and has the event follow", async () => {
    const eventId = await event();
    const { results } = await create({ ...item, event_id: eventId }, { ...item, object_type: "cat", confidence: 0.9, event_id: eventId });
    const [dog, cat] = results.map(({ id }) => id);
    expect(await remove(cat, 999, "x", cat, null, 1.5)).toEqual({
      total: 6,
      succeeded: 1,
      failed: 5,
      results: [
        { index: 0, status: "success", id: cat, error: null },
        { index: 1, status: "failed", id: 999, error: "Detection 999 does not exist" },
        { index: 2, status: "failed", id: null, error: expect.stringContaining("number") },
        { index: 3, status: "failed", id: cat, error: `Detection ${cat} does not exist` },
        { index: 4, status: "failed", id: null, error: expect.stringContaining("number") },
        { index: 5, status: "failed", id: null, error: expect.stringContaining("whole number") },
      ],
    });
    await expect(show(cat)).rejects.toMatchObject({ kind: "not_found" });
    expect(await total()).toBe(1);
    expect(await showEvent(eventId)).toMatchObject({
      detection_count: 1,
      object_types: ["dog"],
      thumbnail_url: `/api/detections/${dog}/thumbnail`,
      detections: [{ id: dog }],
    });
    await remove(dog);
    expect(await showEvent(eventId)).toMatchObject({ detection_count: 0, object_types: [], thumbnail_url: null, detections: [] });
    expect((await desk.journal("event.updated")).map(({ detection_count }) => detection_count)).toEqual([2, 1, 0]);
  });

  it("deletes the thumbnail and keeps the picture; a correction redraws the thumbnail", async () => {
    await mkdir(join(desk.cameraRoot, "front"));
    const picture = join(desk.cameraRoot, "front", "a.png");
    await writeFile(
      picture,
      await sharp({ create: { width: 64, height: 48, channels: 3, background: "#888" } })
        .png()
        .toBuffer(),
    );
    const { results } = await create({ ...item, file_path: picture, file_type: "image/png" });
    const id = results[0]?.id;
    const thumbnail = async () => {
      const { content } = await desk.askBytes("getDetectionThumbnail", { params: { detection_id: String(id) } });
      if (!("file" in content)) throw new Error("the thumbnail is not kept");
      return { file: content.file, pixels: await sharp(content.file).raw().toBuffer() };
    };
    const before = await thumbnail();
    expect((await show(id)).thumbnail_path).toMatch(/^thumbnails\//);
    await update({ id, object_type: "bicycle" });
    expect((await show(id)).thumbnail_path).toBeNull();
    await expect(access(before.file)).rejects.toThrow();
    const after = await thumbnail();
    expect(after.pixels.equals(before.pixels)).toBe(false);
    await remove(id);
    await expect(access(after.file)).rejects.toThrow();
    await access(picture);
  });

  it("leaves the batch that is open with what is left, and no event without detections", async () => {
    const now = desk.context.clock.now();
    const settings = desk.context.settings.current();
    const ids = await desk.db.transaction(async (sql) => {
      const [batchId = ""] = (await assignToBatches(sql, [{ cameraId: "front", at: now, count: 2 }], { settings, maxDetections: 500, now }))
        .batchIds;
      const one = {
        cameraId: "front",
        imageId: null,
        batchId,
        filePath: "/f/a.jpg",
        fileType: null,
        videoOffsetSeconds: null,
        detectedAt: now,
        objectType: "dog",
        confidence: 0.9,
        box: null,
        createdAt: now,
      };
      return (await insertDetections(sql, [one, one])).map(({ id }) => id);
    });
    await remove(ids[0]);
    const [batch] = await desk.db.query((sql) => sql<{ count: number }[]>`select b.detection_count as count from batches b`);
    expect(batch?.count).toBe(1);
    await remove(ids[1]);
    const closed = await desk.db.transaction((sql) => closeDueBatches(sql, new Date(now.getTime() + 3_600_000), settings));
    expect(closed).toHaveLength(1);
    expect((await desk.ask("listEvents")).pagination.total).toBe(0);
  });

  it("of detections whose event is being made leaves an event that counts right", async () => {
    const settings = desk.context.settings.current();
    for (let round = 0; round < 10; round += 1) {
      const now = new Date(desk.context.clock.now().getTime() + round * 3_600_000);
      const ids = await desk.db.transaction(async (sql) => {
        const [batchId = ""] = (
          await assignToBatches(sql, [{ cameraId: "front", at: now, count: 5 }], { settings, maxDetections: 500, now })
        ).batchIds;
        const one = {
          cameraId: "front",
          imageId: null,
          batchId,
          filePath: "/f/a.jpg",
          fileType: null,
          videoOffsetSeconds: null,
          detectedAt: now,
          objectType: "dog",
          confidence: 0.9,
          box: null,
          createdAt: now,
        };
        return (await insertDetections(sql, Array(5).fill(one))).map(({ id }) => id);
      });
      await Promise.all([
        desk.db.transaction((sql) => closeDueBatches(sql, new Date(now.getTime() + 600_000), settings)),
        remove(ids[0], ids[4]),
      ]);
    }
    const counts = await desk.db.query(
      (sql) => sql<{ told: number; there: number }[]>`
        select e.detection_count as told, (select count(*) from detections d where d.event_id = e.event_id) as there from events e
      `,
    );
    expect(counts).toHaveLength(10);
    expect(counts.filter(({ told, there }) => told !== 3 || there !== 3)).toEqual([]);
  });
});
