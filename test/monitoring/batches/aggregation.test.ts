import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { assignToBatches, closeDueBatches } from "../../../src/monitoring/batches/aggregation.ts";
import { batchTimes, latestDueAt } from "../../../src/monitoring/batches/batch.ts";
import { activeBatches, nextDueAt } from "../../../src/monitoring/batches/batches-repository.ts";
import { insertDetections } from "../../../src/monitoring/detections/detections-repository.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(reset);

async function reset() {
  await desk.db.query(async (sql) => {
    await emptyTables(sql, "cameras, journal, jobs");
    await sql`insert into cameras (camera_id, name, folder_path) values ('a', 'a', '/a'), ('b', 'b', '/b')`;
  });
}

const settings = { batchWindowSeconds: 90, batchIdleTimeoutSeconds: 30 };
const time = (seconds: number) => new Date(Date.UTC(2026, 2, 1, 12) + seconds * 1000);

interface Seen {
  readonly camera?: string;
  readonly now?: number;
  readonly types?: readonly string[];
  readonly maxDetections?: number;
}

/** Stores a picture with detections as the detect stage does. */
async function see(at: number, { camera = "a", now = at, types = ["person"], maxDetections = 500 }: Seen = {}): Promise<string> {
  return await desk.db.transaction(async (sql) => {
    const how = { settings, maxDetections, now: time(now) };
    const { batchIds, outgrown } = await assignToBatches(sql, [{ cameraId: camera, at: time(at), count: types.length }], how);
    const [batchId = ""] = batchIds;
    await insertDetections(
      sql,
      types.map((objectType, index) => ({
        cameraId: camera,
        imageId: null,
        batchId,
        filePath: `/${camera}/${at}.jpg`,
        fileType: "image/jpeg",
        videoOffsetSeconds: null,
        detectedAt: time(at),
        objectType,
        confidence: 0.5 + index / 100,
        box: { x: 1.4, y: 2.6, width: 3, height: 4 },
        createdAt: time(now),
      })),
    );
    await closeDueBatches(sql, time(now), settings, outgrown);
    return batchId;
  });
}

const close = async (now: number, camera?: string) =>
  (await desk.db.transaction((sql) => closeDueBatches(sql, time(now), settings, camera === undefined ? undefined : [camera]))).map(
    ({ batchId }) => batchId,
  );
const nextDue = (now = 0) => desk.db.query((sql) => nextDueAt(sql, time(now), latestDueAt(time(now), batchTimes(settings))));
const events = async () => (await desk.ask("listEvents")).items;
const waitingPicture = (at: number, camera = "a", status = "pending") =>
  desk.db.query(
    (sql) => sql`
      insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status)
      values (${camera}, ${`/${camera}/${at}-${status}.jpg`}, 1, 1, 'watch', ${time(at)}, ${time(at)}, ${status})
    `,
  );
const picturesDone = () => desk.db.query((sql) => sql`update images set status = 'processed'`);

describe("in live operation", () => {
  it("closes a batch when nothing more came for the idle time, and not before", async () => {
    const id = await see(0);
    expect(await see(20)).toBe(id);
    expect(await nextDue()).toEqual(time(50));
    expect(await close(49.999)).toEqual([]);
    expect(await close(50)).toEqual([id]);
    expect(await nextDue()).toBeUndefined();
    expect(await events()).toMatchObject([{ batch_id: id, started_at: time(0).toISOString(), ended_at: time(20).toISOString() }]);
  });

  it("closes a batch when the window is over though more comes", async () => {
    const ids = [];
    for (let at = 0; at < 100; at += 10) ids.push(await see(at));
    expect(new Set(ids.slice(0, 9)).size).toBe(1);
    expect(ids[9]).not.toBe(ids[0]);
    expect((await events()).map((event) => event.detection_count)).toEqual([9]);
    expect((await desk.journal("detection.batch"))[0]).toMatchObject({ close_reason: "window", detection_count: 9 });
  });

  it("has one open batch for each camera, since opening the next closes the last", async () => {
    await see(0);
    await see(0, { camera: "b" });
    await see(31);
    expect(await desk.db.query(activeBatches)).toMatchObject([
      { cameraId: "b", detectionCount: 1 },
      { cameraId: "a", detectionCount: 1 },
    ]);
    expect(await events()).toMatchObject([{ camera_id: "a", detection_count: 1 }]);
  });

  it("closes a batch at once when it holds as many detections as it may", async () => {
    const first = await see(0, { types: ["person", "car"], maxDetections: 3 });
    const second = await see(1, { types: ["person", "car"], maxDetections: 3 });
    const third = await see(2, { maxDetections: 3 });
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(await events()).toMatchObject([{ batch_id: first, detection_count: 4 }]);
    expect((await desk.journal("detection.batch"))[0]).toMatchObject({ close_reason: "full" });
    const last = await see(3, { types: ["dog", "cat"], maxDetections: 3 });
    expect(last).toBe(third);
    expect((await nextDue(3))?.getTime()).toBeLessThanOrEqual(time(3).getTime());
    expect(await close(3)).toEqual([third]);
  });

  it("makes an event of a batch with everything that follows from it", async () => {
    const batchId = await see(0, { types: ["person", "dog"] });
    await see(5, { types: ["dog", "car", "bicycle"] });
    await close(100);
    const event = (await events())[0] as Wire<"listEvents">["items"][number];
    const list = (await desk.ask("listDetections", { query: `event_id=${event.id}` })).items;
    const best = list.find((detection) => detection.confidence === 0.52);
    expect(event).toEqual({
      id: event.id,
      kind: "event",
      batch_id: batchId,
      camera_id: "a",
      started_at: time(0).toISOString(),
      ended_at: time(5).toISOString(),
      risk_score: null,
      risk_level: null,
      summary: "",
      reasoning: "",
      reviewed: false,
      notes: "",
      ongoing: false,
      detection_count: 5,
      detection_ids: list.map((detection) => detection.id).sort((x, y) => x - y),
      object_types: ["bicycle", "car", "dog", "person"],
      thumbnail_url: `/api/detections/${best?.id}/thumbnail`,
      analysis_status: "pending",
      risk_factors: [],
      analyzed_by: null,
      created_at: time(100).toISOString(),
      deleted_at: null,
      zones: [],
      preview_url: expect.stringMatching(/^\/api\/detections\/\d+\/preview\?v=/),
      blur_hash: null,
      preview_box: null,
      ...{ pinned: false, pinned_at: null, pinned_by: null },
    });
    expect(list.every((detection) => detection.batch_id === batchId)).toBe(true);
    expect(await desk.journal("event")).toEqual([event]);
    expect(await desk.journal("detection.batch")).toEqual([
      {
        batch_id: batchId,
        camera_id: "a",
        event_id: event.id,
        started_at: event.started_at,
        ended_at: event.ended_at,
        detection_count: 5,
        close_reason: "idle",
      },
    ]);
    const jobs = await desk.db.query((sql) => sql`select j.queue, j.subject, j.priority, j.position from jobs j`);
    expect([...jobs]).toEqual([{ queue: "analyze", subject: String(event.id), priority: 0, position: time(0) }]);
  });
});

describe("when the clock is set back", () => {
  it("closes what was opened in the future, and nothing of a machine whose clock is a little ahead", async () => {
    await see(90, { camera: "b" });
    const id = await see(3_600);
    expect(await nextDue(0)).toEqual(time(0));
    expect(await close(0)).toEqual([id]);
    expect(await nextDue(0)).toEqual(time(120));
  });
});

describe("in a backlog", () => {
  const later = 100_000;

  it("makes the events that there were, of pictures in any order", async () => {
    const taken = [0, 10, 20, 200, 210, 400];
    for (const at of taken) await waitingPicture(at);
    for (const at of [210, 0, 20, 400, 10, 200]) await see(at, { now: later });
    expect(await close(later)).toEqual([]);
    await picturesDone();
    expect(await close(later)).toHaveLength(3);
    expect((await events()).map((event) => event.detection_count)).toEqual([1, 2, 3]);
    const jobs = await desk.db.query((sql) => sql`select distinct j.priority from jobs j`);
    expect([...jobs]).toEqual([{ priority: 10 }]);
  });

  it("waits only for pictures that could still join", async () => {
    await waitingPicture(5000);
    await waitingPicture(-31);
    await waitingPicture(10, "b");
    await waitingPicture(5001, "a", "deferred");
    await waitingPicture(12, "a", "skipped");
    const id = await see(0, { now: later });
    await waitingPicture(30);
    expect(await close(later)).toEqual([]);
    await desk.db.query((sql) => sql`delete from images where taken_at = ${time(30)}`);
    await waitingPicture(-30);
    expect(await close(later)).toEqual([]);
    await desk.db.query((sql) => sql`delete from images where taken_at = ${time(-30)}`);
    expect(await close(later)).toEqual([id]);
  });

  it("stops waiting a window after the last detection joined", async () => {
    await waitingPicture(10);
    const id = await see(0, { now: later });
    await see(1, { now: later + 60 });
    expect(await close(later + 149)).toEqual([]);
    expect(await close(later + 150)).toEqual([id]);
  });

  it("makes one event of pictures that waited for the detector", async () => {
    for (const at of [0, 1, 2]) await waitingPicture(at, "a", "deferred");
    const ids = [];
    for (const at of [0, 1, 2]) {
      ids.push(await see(at, { now: later + at }));
      await desk.db.query((sql) => sql`update images set status = 'processed' where taken_at = ${time(at)}`);
      if (at < 2) expect(await close(later + at)).toEqual([]);
    }
    expect(new Set(ids).size).toBe(1);
    expect(await close(later + 2)).toEqual([ids[0]]);
    expect((await events()).map((event) => event.detection_count)).toEqual([3]);
  });

  it("never holds up the live event of the same camera", async () => {
    await waitingPicture(-86_400);
    await waitingPicture(1, "a", "deferred");
    const id = await see(0);
    expect(await close(30)).toEqual([id]);
  });
});

describe("at the same time", () => {
  it("two closers make one event", async () => {
    for (let round = 0; round < 10; round += 1) await see(round * 1000, { now: 1_000_000 });
    const closed = (await Promise.all([close(2_000_000), close(2_000_000), close(2_000_000, "a"), close(2_000_000)])).flat();
    expect(new Set(closed).size).toBe(closed.length);
    expect(await events()).toHaveLength(10);
    expect(await desk.journal("event")).toHaveLength(10);
  });

  it("many pictures of a camera share one batch", async () => {
    const ids = await Promise.all(Array.from({ length: 30 }, (_, index) => see(index)));
    expect(new Set(ids).size).toBe(1);
    expect(await desk.db.query(activeBatches)).toMatchObject([{ detectionCount: 30 }]);
  });

  it("no detection is left without its event when batches close while others join", async () => {
    for (let round = 0; round < 4; round += 1) {
      const work = Array.from({ length: 30 }, (_, index) => round * 30 + index);
      await Promise.all(
        work.map(async (index) => {
          if (index % 4 === 3) await close(index * 15);
          else await see(index * 15, { camera: index % 2 ? "a" : "b", now: index * 15 });
        }),
      );
    }
    await close(1_000_000);
    const [row] = await desk.db.query(
      (sql) => sql<[{ orphans: number; doubled: number; wrong: number }]>`
        select (select count(*) from detections d where d.event_id is null) as orphans,
          (select count(*) from (select e.batch_id from events e group by e.batch_id having count(*) > 1) x) as doubled,
          (select count(*) from events e where e.detection_count <> (select count(*) from detections d where d.event_id = e.event_id)) as wrong
      `,
    );
    expect(row).toEqual({ orphans: 0, doubled: 0, wrong: 0 });
  });

  it("a transaction that fails leaves nothing behind", async () => {
    const failing = desk.db.transaction(async (sql) => {
      await assignToBatches(sql, [{ cameraId: "a", at: time(0), count: 1 }], { settings, maxDetections: 500, now: time(0) });
      throw new Error("killed");
    });
    await expect(failing).rejects.toThrow("killed");
    expect(await desk.db.query(activeBatches)).toEqual([]);
    await see(0);
    const broken = desk.db.transaction(async (sql) => {
      await closeDueBatches(sql, time(100), settings);
      throw new Error("killed");
    });
    await expect(broken).rejects.toThrow("killed");
    expect(await events()).toEqual([]);
    expect(await close(100)).toHaveLength(1);
  });
});

describe("compared with a straightforward model", () => {
  it("groups the same", async () => {
    const step = fc.record({
      gap: fc.integer({ min: 0, max: 45 }),
      camera: fc.constantFrom("a", "b"),
      count: fc.integer({ min: 1, max: 4 }),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 25 }), fc.boolean(), async (steps, tick) => {
        await reset();
        const modelled = new Map<string, { from: number; to: number; count: number }[]>();
        let now = 0;
        for (const { gap, camera, count } of steps) {
          now += gap;
          if (tick) await close(now - 0.001);
          await see(now, { camera, types: Array(count).fill("person"), maxDetections: 12 });
          const groups = modelled.get(camera) ?? [];
          modelled.set(camera, groups);
          const last = groups.at(-1);
          if (last && now - last.to <= 30 && now - last.from < 90 && last.count < 12)
            Object.assign(last, { to: now, count: last.count + count });
          else groups.push({ from: now, to: now, count });
        }
        await close(now + 1000);
        for (const camera of ["a", "b"]) {
          const made = (await desk.ask("listEvents", { query: `camera_id=${camera}` })).items;
          expect(
            made
              .map((event) => ({
                from: (Date.parse(event.started_at) - time(0).getTime()) / 1000,
                to: (Date.parse(event.ended_at) - time(0).getTime()) / 1000,
                count: event.detection_count,
              }))
              .reverse(),
          ).toEqual(modelled.get(camera) ?? []);
        }
      }),
      { numRuns: 25 },
    );
  });
});
