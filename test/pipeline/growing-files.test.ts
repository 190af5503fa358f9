// Over 400 lines: all tests share the recording, the register of versions, both stages and the checks of the ledger.
import { randomUUID } from "node:crypto";
import { readFile, stat, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { systemClock as clock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { closeDueBatches } from "../../src/monitoring/batches/aggregation.ts";
import { createRecognition } from "../../src/monitoring/entities/recognition.ts";
import { type FileInspection, inspectFile } from "../../src/monitoring/images/inspect-file.ts";
import { registerFiles } from "../../src/monitoring/images/register.ts";
import { goesOn } from "../../src/monitoring/images/samples.ts";
import { hasFfmpeg } from "../../src/monitoring/images/video.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { createEmbedder } from "../../src/monitoring/upstream/embedder.ts";
import { createEnricher } from "../../src/monitoring/upstream/enricher.ts";
import type { ServiceOptions } from "../../src/monitoring/upstream/service-client.ts";
import { createVision } from "../../src/monitoring/upstream/vision.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { createEnrichStage } from "../../src/pipeline/enrich.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { createSettings } from "../../src/platform/config/settings.ts";
import type { Sql } from "../../src/platform/database/database.ts";
import { claimJob, priorities } from "../../src/work/jobs/jobs-repository.ts";
import { wrongRows } from "../chaos/invariants/row-rules.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { picturePath } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, embedderStandIn, enrichmentStandIn, type StandIn, visionStandIn } from "../support/upstream.ts";

const ffmpeg = await hasFfmpeg();
const person = (confidence = 0.9, x = 10) => ({ class: "person", confidence, bbox: { x, y: 10, width: 30, height: 60 } });
let database: TestDatabase;
let standIn: StandIn;
let detector: Detector;
let folder: ReturnType<typeof temporaryFolder>;
let answer: object;
let breaker: Breaker;
/** Versions as the watcher remembers them. */
const remembered = new Map<string, Extract<FileInspection, { kind: "inspected" }>>();
const { config } = parseConfig({ env: {}, isRoot: false, home: "/nowhere", cwd: "/nowhere" });

beforeAll(async () => {
  [database, standIn] = await Promise.all([testDatabase(), detectorStandIn({ answer: () => answer })]);
  breaker = new Breaker("detector", { clock });
  detector = createDetector({ url: standIn.url, breaker, clock, log: silentLog });
  await database.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard')`);
});
afterAll(async () => {
  await detector.close();
  await Promise.all([standIn.close(), database.close()]);
});
beforeEach(async () => {
  folder = temporaryFolder("growing");
  answer = { detections: [person()] };
  await standIn.setMode("ok");
});
afterEach(async () => {
  folder.remove();
  remembered.clear();
  // each test begins without an open batch
  await close();
  await database.db.query((sql) => sql`delete from jobs`);
});

let writtenAt = Date.now() - 3_600_000;

/** Writes a version of a file and registers it as the watcher does. Returns the id of its entry. */
async function version(path: string, bytes: Buffer, { takenAt = clock.now() } = {}): Promise<number> {
  await writeFile(path, bytes);
  writtenAt += 1_000;
  await utimes(path, new Date(writtenAt), new Date(writtenAt));
  const found = await inspectFile(path, { roots: [folder.path], quietMs: () => 200_000 });
  if (found.kind !== "inspected" || found.inspection.state !== "complete") throw new Error(`it is ${JSON.stringify(found.kind)}`);
  const { inspection, sha256, samples } = found;
  const { state: _, ...facts } = inspection;
  const last = remembered.get(path);
  const isContinued =
    last?.samples && samples && last.inspection.state === "complete"
      ? goesOn({ mediaType: last.inspection.mediaType, samples: last.samples }, { mediaType: facts.mediaType, samples })
      : false;
  remembered.set(path, found);
  await registerFiles({ db: database.db, clock, log: silentLog }, "yard", [
    {
      ...{ path, ...found.version, ...facts, sha256, samples, foundBy: "watch", live: true, takenAt, capturedAt: null, refusal: null },
      earlier: isContinued ? last?.version : undefined,
    },
  ]);
  const [image] = await query<{ id: number }>((sql) => sql`select max(i.image_id) as id from images i where i.path = ${path}`);
  return image?.id as number;
}

const query = <T extends object>(work: (sql: Sql) => Promise<unknown>): Promise<readonly T[]> =>
  database.db.query(async (sql) => (await work(sql)) as readonly T[]);

async function claim(imageId: number, queue: "detect" | "enrich" = "detect") {
  return await database.db.query(async (sql) => {
    const [row] = await sql<[{ id: number }?]>`
      select j.job_id as id from jobs j where j.queue = ${queue} and j.subject = ${String(imageId)}
    `;
    const now = new Date(clock.now().getTime() + 60_000);
    return row && (await claimJob(sql, { queue, processId: randomUUID(), now }, row.id));
  });
}

/** Runs the detect stage for an entry. */
async function detect(imageId: number, job?: Awaited<ReturnType<typeof claim>>): Promise<void> {
  const claimed = job ?? (await claim(imageId));
  if (!claimed) throw new Error(`image ${imageId} has no job to claim`);
  const { db } = database;
  const stage = createDetectStage({
    ...{ db, clock, log: silentLog, detector, atDetector: 4, maxUnstored: 4, enrichmentWaitMs: () => 0, batchMaxDetections: 500 },
    ...{ settings: createSettings({ db, config, log: silentLog, clock }), detectorAnsweredAt: () => breaker.state().last_success },
    ...{ onClosed: () => {}, onOutcome: () => {} },
  });
  await stage.run(claimed, new AbortController().signal, () => {});
}

/** Runs the enrich stage for an entry. */
async function enrich(imageId: number): Promise<void> {
  const { db } = database;
  const claimed = await claim(imageId, "enrich");
  if (!claimed) throw new Error(`image ${imageId} has nothing to enrich`);
  const standIns = await Promise.all([visionStandIn(), embedderStandIn(), enrichmentStandIn()]);
  const [vision, embedder, enrichment] = standIns.map(({ url }) => ({
    ...{ url: () => url, breaker: new Breaker("embedder", { clock }), clock, log: silentLog, timeoutMs: 5_000 },
  })) as [ServiceOptions, ServiceOptions, ServiceOptions];
  const services = { vision: createVision(vision), embedder: createEmbedder(embedder), enricher: createEnricher(enrichment) };
  const stage = createEnrichStage({
    ...{ db, clock, log: silentLog, settings: createSettings({ db, config, log: silentLog, clock }) },
    services: { ...services, embedderLabel: () => "stand-in" },
    recognition: createRecognition({ db, clock, threshold: 0.85, ttlMs: 3_600_000 }),
  });
  await stage.run(claimed, new AbortController().signal, () => {});
  await Promise.all([...Object.values(services), ...standIns].map((one) => one.close()));
}

/** Closes every open batch. */
async function close() {
  const now = new Date(clock.now().getTime() + 600_000);
  return await database.db.transaction((sql) => closeDueBatches(sql, now, { batchWindowSeconds: 90, batchIdleTimeoutSeconds: 30 }));
}

interface Outcome {
  readonly status: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly job: string | null;
  readonly found: number;
}

async function outcome(imageId: number): Promise<Outcome | undefined> {
  const [row] = await query<Outcome>(
    (sql) => sql`
      select i.status, i.reason, i.detail, j.status as job, i.detection_count as found
      from images i
      left join jobs j on j.queue = 'detect' and j.subject = i.image_id::text
      where i.image_id = ${imageId}
    `,
  );
  return row;
}

const detectionsOf = (path: string) =>
  query<{ id: number; image: number; at: number | null; batch: string; event: number | null; confidence: number }>(
    (sql) => sql`
      select d.detection_id as id, d.image_id as image, d.video_offset_seconds as at, d.batch_id as batch, d.event_id as event, d.confidence
      from detections d
      where d.file_path = ${path}
      order by d.video_offset_seconds, d.detection_id
    `,
  );

/** Ids of the detections that clients were told of, for a path. */
const announced = (path: string) =>
  query<{ id: number }>(
    (sql) => sql`
      select (j.data ->> 'id')::int as id from journal j where j.type = 'detection.new' and j.data ->> 'file_path' = ${path} order by 1
    `,
  );

/** Rows, counts and statistics that do not agree, apart from work that is not done in these tests. */
async function disagreements(): Promise<readonly string[]> {
  const wrong = await database.db.query((sql) => wrongRows(sql));
  return wrong.filter((text) => !/without a judgement|not done|without a number|a hole/.test(text));
}

describe.skipIf(!ffmpeg)("a video that grows in steps (needs ffmpeg)", () => {
  let whole: Buffer;
  /** Positions behind the fragments of two seconds. */
  let ends: readonly number[];
  beforeAll(async () => {
    const at = temporaryFolder("recording");
    const path = join(at.path, "whole.mp4");
    const source = ["-f", "lavfi", "-i", "testsrc=duration=20:size=160x120:rate=5", "-pix_fmt", "yuv420p", "-g", "10"];
    await execa("ffmpeg", ["-loglevel", "error", "-y", ...source, "-movflags", "frag_keyframe+empty_moov", path]);
    whole = await readFile(path);
    at.remove();
    const starts: number[] = [];
    for (let found = whole.indexOf("moof"); found >= 0; found = whole.indexOf("moof", found + 1)) starts.push(found - 4);
    ends = [...starts.slice(1), whole.length];
    expect(ends).toHaveLength(10);
  });
  /** The recording after this many seconds. */
  const after = (seconds: number): Buffer => whole.subarray(0, ends[seconds / 2 - 1]);

  it("is counted once: each version keeps what the earlier one found, and adds what is new to the same event", async () => {
    const path = join(folder.path, "recording.mp4");
    const versions: number[] = [];
    let first: readonly number[] = [];
    for (const seconds of [6, 12, 20]) {
      versions.push(await version(path, after(seconds)));
      await detect(versions.at(-1) as number);
      if (first.length === 0) first = (await detectionsOf(path)).map(({ id }) => id);
    }
    const all = await detectionsOf(path);
    expect(all.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10, 12, 14, 16, 18]);
    // the first ones are the same rows, so that nobody was told twice
    expect(all.slice(0, 3).map(({ id }) => id)).toEqual(first);
    expect((await announced(path)).map(({ id }) => id)).toEqual(all.map(({ id }) => id).toSorted((a, b) => a - b));
    expect(new Set(all.map(({ image }) => image))).toEqual(new Set([versions[2]]));
    expect(new Set(all.map(({ batch }) => batch)).size).toBe(1);
    expect(await outcome(versions[0] as number)).toMatchObject({ status: "skipped", reason: "replaced", found: 0 });
    expect((await outcome(versions[0] as number))?.detail).toMatch(/^A later version of the file, image \d+, replaced this one/);
    expect(await outcome(versions[2] as number)).toMatchObject({
      ...{ status: "processed", found: 10, detail: "It replaced an earlier version of the file and its detections." },
    });
    const closed = await close();
    expect(closed.map(({ event }) => event?.detection_count)).toEqual([10]);
    expect(await disagreements()).toEqual([]);
  });

  it("replaces what the detector sees differently in the later version, and an event that lost everything does not happen", async () => {
    const path = join(folder.path, "recording.mp4");
    await detect(await version(path, after(6)));
    answer = { detections: [person(0.8, 40)] };
    await detect(await version(path, after(10)));
    expect((await detectionsOf(path)).map(({ at, confidence }) => [at, confidence])).toEqual([0, 2, 4, 6, 8].map((at) => [at, 0.8]));
    answer = { detections: [] };
    const last = await version(path, after(16));
    await detect(last);
    expect(await detectionsOf(path)).toEqual([]);
    expect(await outcome(last)).toMatchObject({ status: "processed", found: 0 });
    expect(await close()).toEqual([]);
    expect(await disagreements()).toEqual([]);
  });

  it("adds only later frames once the event of the earlier version is closed", async () => {
    const path = join(folder.path, "recording.mp4");
    const first = await version(path, after(6));
    await detect(first);
    const [event] = await close();
    for (const seconds of [12, 16]) await detect(await version(path, after(seconds)));
    const all = await detectionsOf(path);
    expect(all.map(({ at }) => at)).toEqual([0, 2, 4, 6, 8, 10, 12, 14]);
    expect(all.slice(0, 3)).toEqual(Array(3).fill(expect.objectContaining({ image: first, event: event?.event?.id })));
    expect(new Set(all.slice(3).map(({ batch }) => batch)).size).toBe(1);
    expect(await outcome(first)).toMatchObject({ status: "processed", found: 3 });
    const [newest] = await query<{ detail: string }>((sql) => sql`select i.detail from images i order by i.image_id desc limit 1`);
    expect(newest?.detail).toContain(`is in event ${event?.event?.id}, which is closed, so this entry has only what comes behind it.`);
    expect((await close()).map(({ event: next }) => next?.detection_count)).toEqual([5]);
    expect(await disagreements()).toEqual([]);
  });

  it("is recognised after a restart of the watcher too", async () => {
    const path = join(folder.path, "recording.mp4");
    await detect(await version(path, after(6)));
    remembered.clear();
    await detect(await version(path, after(12)));
    expect(await detectionsOf(path)).toHaveLength(6);
    // another recording under the same name is a new one
    remembered.clear();
    const other = join(folder.path, "other.mp4");
    const source = ["-f", "lavfi", "-i", "mandelbrot=size=160x120:rate=5", "-t", "6", "-pix_fmt", "yuv420p", "-g", "10"];
    await execa("ffmpeg", ["-loglevel", "error", "-y", ...source, "-movflags", "frag_keyframe+empty_moov", other]);
    await detect(await version(path, await readFile(other)));
    expect(await detectionsOf(path)).toHaveLength(9);
  });

  it("takes a dead letter of an earlier version with it, and an earlier version that waits", async () => {
    const path = join(folder.path, "recording.mp4");
    await standIn.setMode("refuse");
    const refused = await version(path, after(6));
    await detect(refused);
    expect(await outcome(refused)).toMatchObject({ reason: "refused", job: "dead" });
    await standIn.setMode("ok");
    const waiting = await version(path, after(10));
    expect(await outcome(refused)).toMatchObject({ status: "skipped", reason: "replaced", job: null });
    const last = await version(path, after(14));
    expect(await outcome(waiting)).toMatchObject({ status: "skipped", reason: "replaced", job: null });
    await detect(last);
    expect(await detectionsOf(path)).toHaveLength(7);
    await close();
    expect(await disagreements()).toEqual([]);
  });

  it("keeps the place in the queue of the version that it replaces, unless that is late or was processed", async () => {
    const path = join(folder.path, "recording.mp4");
    const startedAt = clock.now().getTime() - 300_000;
    const at = (seconds: number) => ({ takenAt: new Date(startedAt + seconds * 1_000) });
    const place = async (imageId: number) => {
      const [job] = await query<{ priority: number; position: Date }>(
        (sql) => sql`select j.priority, j.position from jobs j where j.queue = 'detect' and j.subject = ${String(imageId)}`,
      );
      return job && [job.priority, (job.position.getTime() - startedAt) / 1_000];
    };
    await version(path, after(2), at(0));
    await version(path, after(4), at(15));
    const third = await version(path, after(6), at(30));
    expect(await place(third)).toEqual([priorities.live, 0]);
    // it is written on while its turn comes
    const { size } = await stat(path);
    await writeFile(path, whole.subarray(0, size + 100));
    await detect(third);
    expect(await outcome(third)).toMatchObject({ status: "deferred", reason: "overwritten", job: "pending" });
    const fourth = await version(path, after(8), at(45));
    expect(await place(fourth)).toEqual([priorities.live, 0]);
    expect(await outcome(third)).toMatchObject({ status: "skipped", reason: "replaced", job: null });
    await detect(fourth);
    const fifth = await version(path, after(10), at(60));
    expect(await place(fifth)).toEqual([priorities.live, 60]);
    await query((sql) => sql`update jobs set priority = ${priorities.late} where queue = 'detect'`);
    const sixth = await version(path, after(12), at(75));
    expect(await place(sixth)).toEqual([priorities.live, 75]);
    const seventh = await version(path, after(14), at(75 + 600));
    expect(await place(seventh)).toEqual([priorities.live, 75 + 600]);
    await detect(seventh);
  });

  it("takes the dead letter of a version that was at the detector when it was found with it", async () => {
    const path = join(folder.path, "recording.mp4");
    const first = await version(path, after(2));
    const running = await claim(first);
    await standIn.setMode("refuse");
    await detect(first, running);
    expect(await outcome(first)).toMatchObject({ reason: "refused", job: "dead" });
    await query((sql) => sql`update jobs set status = 'running' where subject = ${String(first)}`);
    const second = await version(path, after(6));
    await query((sql) => sql`update jobs set status = 'dead' where subject = ${String(first)}`);
    await standIn.setMode("ok");
    await detect(second);
    expect(await outcome(first)).toMatchObject({ status: "skipped", reason: "replaced", job: null });
    expect(await detectionsOf(path)).toHaveLength(3);
  });

  it("takes the dead letter of a recording that had only its header with it", async () => {
    const path = join(folder.path, "recording.mp4");
    const header = await version(path, whole.subarray(0, whole.indexOf("moof") - 4));
    await detect(header);
    expect(await outcome(header)).toMatchObject({ reason: "video_unreadable", job: "dead" });
    await detect(await version(path, after(6)));
    expect(await outcome(header)).toMatchObject({ status: "skipped", reason: "replaced", job: null });
    expect(await detectionsOf(path)).toHaveLength(3);
  });

  it("waits while an earlier version is at the detector", async () => {
    const path = join(folder.path, "recording.mp4");
    const first = await version(path, after(6));
    const running = await claim(first);
    const second = await version(path, after(12));
    await detect(second);
    expect(await outcome(second)).toMatchObject({ status: "pending", job: "pending" });
    // its file is another one by now
    await detect(first, running);
    await detect(second);
    expect(await detectionsOf(path)).toHaveLength(6);
  });

  it("leaves people who were recognised with the right number of sightings", async () => {
    const path = join(folder.path, "recording.mp4");
    await detect(await version(path, after(6)));
    const seen = await detectionsOf(path);
    const [entity] = await query<{ id: string }>(
      (sql) => sql`
        insert into entities (object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id, representative_confidence, created_at)
        values ('person', now(), now(), 5, ${seen[0]?.id as number}, 0.9, now()) returning entity_id as id
      `,
    );
    const id = entity?.id as string;
    await query(
      (sql) => sql`
        insert into entity_cameras (entity_id, camera_id, first_seen_at, last_seen_at, detection_count) values (${id}, 'yard', now(), now(), 3)
      `,
    );
    await query((sql) => sql`update detections set entity_id = ${id} where file_path = ${path}`);
    const counts = () =>
      query<object>(
        (sql) => sql`
          select n.detection_count as all, v.detection_count as here from entities n left join entity_cameras v using (entity_id)
          where n.entity_id = ${id}
        `,
      );
    await detect(await version(path, after(10)));
    expect(await counts()).toEqual([{ all: 5, here: 3 }]);
    answer = { detections: [] };
    await detect(await version(path, after(14)));
    expect(await counts()).toEqual([{ all: 2, here: null }]);
  });

  it("leaves people with the right number of sightings too if they were recognised, but not enriched yet", async () => {
    const path = join(folder.path, "recording.mp4");
    await detect(await version(path, after(6)));
    const recognition = createRecognition({ db: database.db, clock, threshold: 0.85, ttlMs: 3_600_000 });
    const recognise = async (vector: Float32Array, at: number) => {
      const seen = (await detectionsOf(path)).filter((one) => one.at === at);
      const sight = { cameraId: "yard", objectType: "person", confidence: 0.9, seenAt: clock.now(), source: "test", vector };
      await recognition.recognise(
        "person",
        seen.map(({ id }) => ({ ...sight, detectionId: id, frame: `${at}` })),
      );
    };
    const sightings = async () => {
      const rows = await query<{ count: number }>((sql) => sql`select n.detection_count as count from entities n order by n.created_at`);
      return rows.map(({ count }) => count);
    };
    await query((sql) => sql`delete from entities`);
    await recognise(Float32Array.of(1, 0), 0);
    await recognise(Float32Array.of(1, 0), 2);
    await recognise(Float32Array.of(0, 1), 4);
    expect(await sightings()).toEqual([2, 1]);
    answer = { detections: [person(0.8)] };
    const second = await version(path, after(10));
    await query((sql) => sql`update detections set confidence = 0.8 where file_path = ${path} and video_offset_seconds = 0`);
    await detect(second);
    expect(await sightings()).toEqual([1]);
  });

  it("is enriched in its new part although its older part has waited for long", async () => {
    const path = join(folder.path, "recording.mp4");
    await detect(await version(path, after(6)));
    await query((sql) => sql`update detections set created_at = now() - interval '20 minutes' where file_path = ${path}`);
    const last = await version(path, after(10));
    await detect(last);
    const kind = await query<{ kind: string }>(
      (sql) => sql`select distinct d.enrichment -> 'services' ->> 'embedder' as kind from detections d where d.file_path = ${path}`,
    );
    expect(kind).toEqual([{ kind: null }]);
    await enrich(last);
    const enriched = await query<{ kind: string }>(
      (sql) => sql`select d.enrichment -> 'services' ->> 'embedder' as kind from detections d where d.file_path = ${path}`,
    );
    expect(enriched.map(({ kind: embedder }) => embedder)).toEqual(Array(5).fill("completed"));
  });
});

describe("a picture that is written over in place", () => {
  const halves = async () => {
    const [old, next] = await Promise.all([readFile(picturePath(0)), readFile(picturePath(3))]);
    return { old, half: Buffer.concat([next.subarray(0, 20_000), old.subarray(20_000)]), next };
  };

  it("replaces the half of it that was processed, and leaves the picture before", async () => {
    const path = join(folder.path, "latest.jpg");
    const { old, half, next } = await halves();
    const first = await version(path, old);
    await detect(first);
    const second = await version(path, half);
    await detect(second);
    answer = { detections: [person(), person(0.7, 90)] };
    const third = await version(path, next);
    await detect(third);
    expect(await outcome(first)).toMatchObject({ status: "processed", found: 1, detail: null });
    expect(await outcome(second)).toMatchObject({ status: "skipped", reason: "replaced", found: 0 });
    expect(await outcome(third)).toMatchObject({ status: "processed", found: 2 });
    expect((await close()).map(({ event }) => event?.detection_count)).toEqual([3]);
    expect(await disagreements()).toEqual([]);
  });

  it("counts as another picture once the event of its half is closed", async () => {
    const path = join(folder.path, "latest.jpg");
    const { half, next } = await halves();
    await detect(await version(path, half));
    const [event] = await close();
    const second = await version(path, next);
    await detect(second);
    expect((await outcome(second))?.detail).toContain(
      `is in event ${event?.event?.id}, which is closed, so this version counts as another picture`,
    );
    expect(await detectionsOf(path)).toHaveLength(2);
    await close();
    expect(await disagreements()).toEqual([]);
  });
});
