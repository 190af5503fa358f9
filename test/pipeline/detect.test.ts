import { execFileSync } from "node:child_process";
import { createHash, randomUUID } from "node:crypto";
import { chmod, copyFile, link, mkdir, readFile, rename, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { systemClock } from "../../src/base/clock/clock.ts";
import { type Log, silentLog } from "../../src/base/log/log.ts";
import { createFreshContent, type FreshContent } from "../../src/monitoring/images/fresh-content.ts";
import { versionOf } from "../../src/monitoring/images/inspect-file.ts";
import { registerFiles } from "../../src/monitoring/images/register.ts";
import { hasFfmpeg } from "../../src/monitoring/images/video.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector, type Detector } from "../../src/monitoring/upstream/detector.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { createSettings } from "../../src/platform/config/settings.ts";
import { claimJob, freeAbandonedJobs, LeaseLost } from "../../src/work/jobs/jobs-repository.ts";
import { keptLog } from "../daemon/http/support.ts";
import { makeVideo, stateLength } from "../monitoring/images/make-video.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { picturePath, uniqueJpeg } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, onePerson, type StandIn } from "../support/upstream.ts";

const clock = systemClock;
const ffmpeg = await hasFfmpeg();
let database: TestDatabase;
let standIn: StandIn;
let detector: Detector;
let breaker: Breaker;
let folder: ReturnType<typeof temporaryFolder>;
/** Runs during a detector request. */
let meanwhile: () => unknown = () => {};
let answer: object = onePerson();

beforeAll(async () => {
  const reply = async (): Promise<object> => {
    await meanwhile();
    return answer;
  };
  [database, standIn] = await Promise.all([testDatabase(), detectorStandIn({ answer: reply })]);
  breaker = new Breaker("detector", { clock });
  detector = createDetector({ url: standIn.url, breaker, clock, log: silentLog });
  await database.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'yard', '/yard')`);
});
afterAll(async () => {
  await detector.close();
  await Promise.all([standIn.close(), database.close()]);
});
beforeEach(async () => {
  folder = temporaryFolder("detect");
  meanwhile = () => {};
  answer = onePerson();
  await standIn.setMode("ok");
});
afterEach(() => folder.remove());

/** Adds a new file to the ledger. Returns the id of its entry. */
async function entered(path: string, mediaType = "image/jpeg"): Promise<number> {
  const { db } = database;
  const file = await stat(path, { bigint: true });
  const sha256 = file.isFile()
    ? createHash("sha256")
        .update(await readFile(path))
        .digest()
    : null;
  const found = { path, ...versionOf(file), foundBy: "watch", live: true, takenAt: clock.now(), mediaType, sha256 } as const;
  await registerFiles({ db, clock, log: silentLog }, "yard", [{ ...found, capturedAt: null, width: null, height: null, refusal: null }]);
  const [image] = await db.query(
    (sql) => sql<[{ id: number }]>`select i.image_id as id from images i where i.path = ${path} order by i.image_id desc limit 1`,
  );
  return image.id;
}

/** The claimed job of an entry, due or not, and its stage. */
async function claimed(imageId: number, log: Log = silentLog, fresh?: FreshContent) {
  const { db } = database;
  const processId = randomUUID();
  const later = new Date(clock.now().getTime() + 60_000);
  const job = await db.query(async (sql) => {
    const [row] = await sql<
      [{ id: number }]
    >`select j.job_id as id from jobs j where j.queue = 'detect' and j.subject = ${String(imageId)}`;
    return await claimJob(sql, { queue: "detect", processId, now: later }, row.id);
  });
  if (!job) throw new Error("no job was claimed");
  const { config } = parseConfig({ env: {}, isRoot: false, home: "/nowhere", cwd: "/nowhere" });
  const stage = createDetectStage({
    ...{ db, clock, log, detector, atDetector: 4, maxUnstored: 4, enrichmentWaitMs: () => 0, batchMaxDetections: 500 },
    settings: createSettings({ db, config, log: silentLog, clock }),
    ...(fresh && { fresh }),
    detectorAnsweredAt: () => breaker.state().last_success,
    onClosed: () => {},
    onOutcome: () => {},
  });
  return { job, stage };
}

/** Runs the stage for an entry. Returns its state in the ledger and the state of its job. */
async function looked(imageId: number, log?: Log, fresh?: FreshContent) {
  const { job, stage } = await claimed(imageId, log, fresh);
  await stage.run(job, new AbortController().signal, () => {});
  return await outcomeOf(imageId);
}

async function outcomeOf(imageId: number) {
  const [row] = await database.db.query(
    (sql) => sql<[{ status: string; reason: string | null; job: string | null; seen: string[] }]>`
      select i.status, i.reason, j.status as job, array(select d.file_path from detections d where d.image_id = i.image_id) as seen
      from images i
      left join jobs j on j.queue = 'detect' and j.subject = i.image_id::text
      where i.image_id = ${imageId}
    `,
  );
  return row;
}

/** Creates a unique picture in the folder of the test. */
async function picture(name = "a.jpg"): Promise<string> {
  const path = join(folder.path, name);
  await writeFile(path, await uniqueJpeg());
  return path;
}

/** Sets a file's time, as upload servers do. */
const setTime = (path: string, ago = 60_000) => utimes(path, new Date(), new Date(Date.now() - ago));

test("detect: a picture that was cut off is processed, in a form that strict decoders take, and its entry says so", async () => {
  const path = join(folder.path, "half.jpg");
  const whole = await readFile(picturePath());
  await writeFile(path, whole.subarray(0, whole.length / 2));
  const id = await entered(path);
  const { status, seen } = await looked(id);
  expect([status, seen]).toEqual(["processed", [path]]);
  const [{ detail }] = await database.db.query((sql) => sql<[{ detail: string }]>`select i.detail from images i where i.image_id = ${id}`);
  expect(detail).toContain("cut off at the bottom");
});

test("detect: a process that lost its job to another one does not mark the picture as deferred", async () => {
  const { db } = database;
  const imageId = await entered(picturePath());
  const { job, stage } = await claimed(imageId);
  await db.query((sql) => freeAbandonedJobs(sql));
  await claimed(imageId);
  await standIn.setMode("error");
  await expect(stage.run(job, new AbortController().signal, () => {})).rejects.toThrow(LeaseLost);
  expect(await outcomeOf(imageId)).toMatchObject({ status: "pending" });
});

test("detect: a picture that the detector refuses is logged with path and reason", async () => {
  const log = keptLog();
  await standIn.setMode("refuse");
  await looked(await entered(picturePath(1)), log);
  expect(log.lines).toMatchObject([
    { level: "info", message: "a picture was skipped", fields: { path: picturePath(1), reason: "refused" } },
  ]);
});

test("detect: a picture that meets the beginning of every outage does not fail for that", async () => {
  const other = { bytes: await readFile(picturePath()), fileName: "b.jpg", mediaType: "image/jpeg" };
  const imageId = await entered(await picture());
  for (let outage = 0; outage < 12; outage += 1) {
    await standIn.setMode("ok");
    await detector.detect(other);
    await standIn.setMode("reset");
    await detector.detect(other);
    expect(await looked(imageId)).toMatchObject({ status: "deferred", reason: "broke_off" });
  }
  await standIn.setMode("ok");
  expect(await looked(imageId)).toMatchObject({ status: "processed" });
});

test("detect: a pipe in place of a picture does not block the stage", async () => {
  const path = join(folder.path, "a.jpg");
  execFileSync("mkfifo", [path]);
  const log = keptLog();
  await looked(await entered(path), log);
  expect(log.lines).toMatchObject([{ fields: { path, reason: "overwritten" } }]);
});

describe("a picture whose content the file watcher cached", () => {
  const kept = async (path: string): Promise<FreshContent> => {
    const fresh = createFreshContent();
    fresh.keep(path, versionOf(await stat(path, { bigint: true })), await readFile(path));
    return fresh;
  };

  test("is processed although its file is deleted", async () => {
    const path = await picture();
    const imageId = await entered(path);
    const fresh = await kept(path);
    await rm(path);
    expect(await looked(imageId, silentLog, fresh)).toEqual({ status: "processed", reason: null, job: null, seen: [path] });
  });

  test("is processed as uploaded although its file was overwritten, and so is the new content", async () => {
    const path = await picture();
    const first = await entered(path);
    const fresh = await kept(path);
    await writeFile(path, await uniqueJpeg());
    const again = await entered(path);
    expect(await looked(first, silentLog, fresh)).toEqual({ status: "processed", reason: null, job: null, seen: [path] });
    expect(await looked(again, silentLog, fresh)).toEqual({ status: "processed", reason: null, job: null, seen: [path] });
  });
});

describe("a picture whose time or name is set after the upload is processed once, under its current entry:", () => {
  test("its time, during detection", async () => {
    const path = await picture();
    const first = await entered(path);
    let again = 0;
    meanwhile = async () => {
      await setTime(path);
      again = await entered(path);
      meanwhile = () => {};
      // the second job waits for the result of the first
      const asked = standIn.requests;
      expect(await looked(again)).toMatchObject({ status: "pending", job: "pending" });
      expect(standIn.requests).toBe(asked);
    };
    expect(await looked(first)).toEqual({ status: "skipped", reason: "overwritten", job: null, seen: [] });
    expect(await looked(again)).toEqual({ status: "processed", reason: null, job: null, seen: [path] });
  });

  test("its name, during detection", async () => {
    const [path, renamed] = [await picture(), join(folder.path, "b.jpg")];
    const first = await entered(path);
    let again = 0;
    meanwhile = async () => {
      await rename(path, renamed);
      again = await entered(renamed);
      meanwhile = () => {};
      expect(await looked(again)).toMatchObject({ status: "pending", job: "pending" });
    };
    expect(await looked(first)).toEqual({ status: "skipped", reason: "missing", job: null, seen: [] });
    expect(await looked(again)).toEqual({ status: "processed", reason: null, job: null, seen: [renamed] });
  });

  test("its name, before detection; only a deleted file becomes a dead letter", async () => {
    const [path, renamed] = [await picture(), join(folder.path, "b.jpg")];
    const first = await entered(path);
    await rename(path, renamed);
    // the new name is not known yet
    expect(await looked(first)).toMatchObject({ status: "deferred", reason: "missing", job: "pending" });
    const again = await entered(renamed);
    expect(await looked(first)).toEqual({ status: "skipped", reason: "missing", job: null, seen: [] });
    await rm(renamed);
    await picture("c.jpg");
    expect(await looked(again)).toMatchObject({ status: "deferred" });
    expect(await looked(again)).toEqual({ status: "skipped", reason: "missing", job: "dead", seen: [] });
  });

  test("either, if detection ended before the second entry was processed", async () => {
    const path = await picture();
    const first = await entered(path);
    await setTime(path);
    const touched = await entered(path);
    await rename(path, `${path}.jpg`);
    const moved = await entered(`${path}.jpg`);
    await database.db.query((sql) => sql`update images set status = 'processed' where image_id = ${first}`);
    const asked = standIn.requests;
    expect(await looked(touched)).toMatchObject({ status: "skipped", reason: "reupload", job: null });
    expect(await looked(moved)).toMatchObject({ status: "skipped", reason: "moved", job: null });
    expect(standIn.requests).toBe(asked);
  });

  test("a second name, by a symbolic or a hard link, at once or later", async () => {
    const path = await picture();
    const names = ["lastsnap.jpg", "hard.jpg", "later.jpg"].map((name) => join(folder.path, name)) as [string, string, string];
    const first = await entered(path);
    await symlink(path, names[0]);
    await link(path, names[1]);
    const others = [await entered(names[0]), await entered(names[1])];
    meanwhile = async () => {
      for (const other of others) expect(await looked(other)).toMatchObject({ status: "pending", job: "pending" });
    };
    expect(await looked(first)).toMatchObject({ status: "processed", seen: [path] });
    for (const other of others) expect(await looked(other)).toEqual({ status: "skipped", reason: "moved", job: null, seen: [] });
    await symlink(path, names[2]);
    expect(await outcomeOf(await entered(names[2]))).toEqual({ status: "skipped", reason: "moved", job: null, seen: [] });
  });

  test("a file that is sent repeatedly is not deferred forever, and a copy is not the same file", async () => {
    const path = await picture();
    await looked(await entered(path));
    await setTime(path, 120_000);
    const copy = join(folder.path, "copy.jpg");
    await copyFile(path, copy);
    const second = await entered(copy);
    meanwhile = async () => {
      await setTime(copy);
      await entered(copy);
    };
    expect(await looked(second)).toMatchObject({ status: "processed", seen: [copy] });
  });
});

describe.skipIf(!ffmpeg)("a video (needs ffmpeg)", () => {
  test("is refused, not unreadable, if the detector refuses each frame", async () => {
    const imageId = await entered(await makeVideo(folder.path, "mp4", 3), "video/mp4");
    await standIn.setMode("refuse");
    expect(await looked(imageId)).toMatchObject({ status: "skipped", reason: "refused" });
  });

  test.each(["", ", also if its header states hours"])("gives each frame a time before the upload%s", async (isWrong) => {
    const path = await makeVideo(folder.path, "mp4", 7);
    const imageId = await entered(isWrong ? await stateLength(path, 36_000) : path, "video/mp4");
    expect(await looked(imageId)).toMatchObject({ status: "processed" });
    const frames = await database.db.query(
      (sql) => sql<{ before: number; detail: string }[]>`
        select extract(epoch from i.taken_at - d.detected_at)::float as before, i.detail
        from detections d
        join images i on i.image_id = d.image_id
        where d.image_id = ${imageId}
        order by d.detected_at
      `,
    );
    const detail = isWrong ? expect.stringMatching(/first 8 s of this video of 36000 s.*its header may state a wrong length/) : null;
    expect(frames).toEqual([0, 2, 4, 6].map((offset) => ({ before: (isWrong ? 8 : 7) - offset, detail })));
  });

  test("counts the parts left out of all of its frames, and reads shares of a frame without a reported size", async () => {
    const bbox = { x: 0.5, y: 0.5, width: 0.25, height: 0.25 };
    answer = { detections: ["person", "vehicle"].map((name) => ({ class: name, confidence: 0.9, bbox })) };
    const imageId = await entered(await makeVideo(folder.path, "mp4", 3), "video/mp4");
    await looked(imageId);
    const rows = await database.db.query(
      (sql) => sql`
        select i.left_out, d.bbox_x, d.bbox_y, d.bbox_width, d.bbox_height
        from images i
        join detections d on d.image_id = i.image_id
        where i.image_id = ${imageId}
      `,
    );
    const left_out = [{ reason: "unknown_class", count: 2, example: JSON.stringify({ class: "vehicle", confidence: 0.9, bbox }) }];
    expect(rows).toEqual(Array(2).fill({ left_out, bbox_x: 80, bbox_y: 60, bbox_width: 40, bbox_height: 30 }));
  });

  test("that is processed only in part gives its frames correct times too", async () => {
    const imageId = await entered(await makeVideo(folder.path, "mp4", 90), "video/mp4");
    expect(await looked(imageId)).toMatchObject({ status: "processed" });
    const [frames] = await database.db.query(
      (sql) => sql<[{ count: number; detail: string; earliest: number; latest: number }]>`
        select count(*), min(i.detail) as detail, max(extract(epoch from i.taken_at - d.detected_at))::float as earliest,
          min(extract(epoch from i.taken_at - d.detected_at))::float as latest
        from detections d
        join images i on i.image_id = d.image_id
        where d.image_id = ${imageId}
      `,
    );
    expect(frames).toMatchObject({ count: 30, earliest: 90, latest: 32 });
    expect(frames.detail).toContain("homesec processed the first 60 s of this video of 90 s");
  });

  test("that was overwritten is left to the entry of its new content", async () => {
    const path = await makeVideo(folder.path, "mp4", 3);
    const imageId = await entered(path, "video/mp4");
    await makeVideo(folder.path, "mp4", 3, ["-t", "1"]);
    const asked = standIn.requests;
    expect(await looked(imageId)).toEqual({ status: "skipped", reason: "overwritten", job: null, seen: [] });
    expect(standIn.requests).toBe(asked);
  });

  test("that grows during detection is processed as a whole under its later entry", async () => {
    const path = await makeVideo(folder.path, "mkv", 3);
    const imageId = await entered(path, "video/x-matroska");
    meanwhile = () => writeFile(path, "more", { flag: "a" });
    expect(await looked(imageId)).toEqual({ status: "deferred", reason: "overwritten", job: "pending", seen: [] });
    expect(await looked(imageId)).toEqual({ status: "skipped", reason: "overwritten", job: null, seen: [] });
  });

  /** Runs the work with programs from these folders only. */
  async function withPath<T>(folders: string, work: () => Promise<T>): Promise<T> {
    const path = process.env["PATH"];
    process.env["PATH"] = folders;
    try {
      return await work();
    } finally {
      process.env["PATH"] = path;
    }
  }

  test("waits without ffmpeg until it is installed or another machine processes the video", async () => {
    const imageId = await entered(await makeVideo(folder.path, "mp4", 3), "video/mp4");
    const waiting = await withPath(folder.path, () => looked(imageId));
    expect(waiting).toEqual({ status: "deferred", reason: "no_ffmpeg", job: "pending", seen: [] });
    expect(await looked(imageId)).toMatchObject({ status: "processed", job: null });
  });

  test("is deferred if its ffmpeg is killed", async () => {
    const imageId = await entered(await makeVideo(folder.path, "mp4", 3), "video/mp4");
    const bin = join(folder.path, "bin");
    await mkdir(bin);
    await writeFile(join(bin, "ffmpeg"), "#!/bin/sh\nkill -KILL $$\n");
    await chmod(join(bin, "ffmpeg"), 0o755);
    const waiting = await withPath(`${bin}:${process.env["PATH"]}`, () => looked(imageId));
    expect(waiting).toMatchObject({ status: "deferred", reason: "unreadable", job: "pending" });
    expect(await looked(imageId)).toMatchObject({ status: "processed", job: null, seen: [expect.any(String), expect.any(String)] });
  });
});
