import { link, mkdir, rename, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { uniqueJpeg } from "../support/pictures.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { type LiveMessages, liveMessages } from "./live-messages.ts";
import { preparePictures } from "./prepared-pictures.ts";
import { processorMs } from "./process-cost.ts";
import { report } from "./report.ts";
import { median } from "./statistics.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const rounds = 5;
const picturesPerRound = 300;
/** With 300 pictures a round lasts 15 s, so that each contains a regular rescan. */
const everyMs = 50;
const few = 50;
const many = 50_000;

interface Subject {
  readonly database: TestDatabase;
  readonly daemon: BenchDaemon;
  readonly live: LiveMessages;
}

let upstreams: InstantUpstreams;
let subjects: { readonly few: Subject; readonly many: Subject };

beforeAll(async () => {
  upstreams = await instantUpstreams();
  subjects = { few: await start(few), many: await start(many) };
});

afterAll(async () => {
  for (const { live, daemon, database } of subjects ? Object.values(subjects) : []) {
    await live.close();
    await daemon.stop();
    await database.close();
  }
  await upstreams?.stop();
});

/** A daemon with one camera whose folder holds this many old, processed pictures. */
async function start(files: number): Promise<Subject> {
  const database = await testDatabase();
  const daemon = await benchDaemon({
    databaseUrl: database.url,
    upstreamUrl: upstreams.url,
    prepare: (cameraRoot) => fillFolder(database, join(cameraRoot, "front"), files),
  });
  await settled(daemon.pid);
  return { database, daemon, live: await liveMessages(daemon.url) };
}

/** All names are links to one file, so that one statement can fill the ledger. */
async function fillFolder({ db }: TestDatabase, folder: string, files: number): Promise<void> {
  await mkdir(folder);
  const original = join(folder, "old-1.jpg");
  await writeFile(original, await uniqueJpeg());
  for (let i = 2; i <= files; i += 1) await link(original, join(folder, `old-${i}.jpg`));
  const { size, mtimeNs } = await stat(original, { bigint: true });
  await db.transaction(async (sql) => {
    await sql`insert into cameras (camera_id, name, folder_path) values ('front', 'front', ${folder})`;
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, media_type, found_by, found_at, taken_at, status, finished_at)
      select 'front', ${folder} || '/old-' || i || '.jpg', ${String(size)}::bigint, ${String(mtimeNs)}::bigint, 'image/jpeg', 'scan',
        now() - interval '1 day', now() - interval '1 day', 'processed', now() - interval '1 day'
      from generate_series(1, ${files}::int) as i
    `;
  });
  await db.query((sql) => sql`analyze images`);
}

/** Waits until the process has been nearly idle for two seconds. */
async function settled(pid: number): Promise<void> {
  for (let before = await processorMs(pid); ; ) {
    await sleep(2_000);
    const now = await processorMs(pid);
    if (now - before < 100) return;
    before = now;
  }
}

/** Uploads pictures at a steady pace. Returns the daemon's processor time per picture and the median latency. */
async function cost({ daemon, live }: Subject): Promise<{ readonly processor: number; readonly wall: number }> {
  const names = await preparePictures(daemon.staging, picturesPerRound);
  const usedBefore = await processorMs(daemon.pid);
  const wall: number[] = [];
  let nextAt = performance.now();
  for (const name of names) {
    await sleep(Math.max(0, nextAt - performance.now()));
    nextAt = Math.max(nextAt + everyMs, performance.now());
    const target = join(daemon.cameraRoot, "front", name);
    const heard = live.until(({ type, data }) => type === "detection.new" && data.file_path === target, 30_000);
    const startedAt = performance.now();
    await rename(join(daemon.staging, name), target);
    wall.push((await heard) - startedAt);
  }
  return { processor: ((await processorMs(daemon.pid)) - usedBefore) / names.length, wall: median(wall) };
}

test("pictures: the cost of one does not depend on the size of its folder", async ({ task }) => {
  const perRound: Record<keyof typeof subjects, { readonly processor: number; readonly wall: number }>[] = [];
  for (let round = -1; round < rounds; round += 1) {
    const figures = { few: await cost(subjects.few), many: await cost(subjects.many) };
    // The first round is a warm-up.
    if (round >= 0) perRound.push(figures);
  }
  for (const { key, name } of [
    { key: "processor", name: "processor time per picture" },
    { key: "wall", name: "time until `detection.new`" },
  ] as const) {
    report(task, {
      what: `${name} with ${many.toLocaleString("en")} files in the folder`,
      unit: "ms",
      homesec: perRound.map((round) => round.many[key]),
      baseline: { what: `the same with ${few} files`, values: perRound.map((round) => round.few[key]) },
      compare: "ratio",
      limit: { atMost: 1.2 },
    });
  }
});
