import { linkSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { link, mkdir, readdir, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { timed } from "../../support/timed.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

let home: Home;
let jpeg: Buffer;

const front = (name: string): string => join(home.root, "front", name);

const count = async (): Promise<number> => {
  const [row] = await home.database.db.query((sql) => sql<[{ n: number; paths: number }]>`select count(*)::int as n from images`);
  return row.n;
};

/** Number of pictures at once and of files in a large folder; `BURST=20000` makes them as large as the long forms. */
const burst = Number(process.env["BURST"] ?? 2_000);

/** A small picture, because only the number of pictures matters here. */
async function smallPicture(): Promise<Buffer> {
  const { default: sharp } = await import("sharp");
  return sharp(await picture())
    .resize(64, 48)
    .jpeg()
    .toBuffer();
}

async function settled(wanted: number): Promise<void> {
  try {
    await until(async () => (await count()) >= wanted, 60_000);
  } catch (cause) {
    throw new Error(`${await count()} of ${wanted}; ${JSON.stringify(home.watcher.state())}\n${home.warnings.join("\n")}`, { cause });
  }
  await until(() => home.watcher.state().pending === 0, 20_000);
  const [row] = await home.database.db.query(
    (sql) => sql<[{ images: number; paths: number; jobs: number }]>`
      select count(*)::int as images, count(distinct i.path)::int as paths, (select count(*)::int from jobs) as jobs
      from images i
    `,
  );
  expect(row).toEqual({ images: wanted, paths: wanted, jobs: wanted });
}

describe("bursts: pictures in one folder", () => {
  beforeEach(async () => {
    jpeg = await smallPicture();
    home = await watchedHome();
    await mkdir(join(home.root, "front"));
    await writeFile(front("first.jpg"), jpeg);
  });
  afterEach(() => home.close());

  it(`${burst} at once: none is lost or doubled`, { timeout: 180_000 }, async () => {
    await home.watcher.start();
    await until(async () => (await count()) === 1);
    await mkdir(join(home.outside, "all"));
    for (let n = 0; n < burst; n += 1) writeFileSync(join(home.outside, "all", `${n}.jpg`), numbered(jpeg, n));
    const before = process.memoryUsage().rss;
    let most = before;
    const sampling = setInterval(() => {
      most = Math.max(most, process.memoryUsage().rss);
    }, 50);
    const startedAt = performance.now();
    for (const name of await readdir(join(home.outside, "all"))) await rename(join(home.outside, "all", name), front(name));
    const droppedMs = performance.now() - startedAt;
    await settled(burst + 1);
    clearInterval(sampling);
    const seconds = (performance.now() - startedAt) / 1000;
    const megabytes = (most - before) / 1_048_576;
    process.stdout.write(
      `${burst} renamed in within ${(droppedMs / 1000).toFixed(1)} s: registered after ${seconds.toFixed(1)} s, ${megabytes.toFixed(0)} MB more\n`,
    );
    expect(megabytes).toBeLessThan(200);
  });

  it(`${burst} while the event loop is blocked for 3 s, beyond what the kernel keeps: none is lost`, { timeout: 180_000 }, async () => {
    await home.watcher.start();
    await until(async () => (await count()) === 1);
    for (let n = 0; n < burst; n += 1) writeFileSync(join(home.outside, `${n}.jpg`), numbered(jpeg, n));
    writeFileSync(join(home.outside, "noise"), "");
    const startedAt = performance.now();
    // Links with an ignored name come and go, two events each, so that the queue is full before the pictures arrive.
    const kept = Number(readFileSync("/proc/sys/fs/inotify/max_queued_events", "utf8"));
    for (let n = 0; n < kept; n += 2) {
      linkSync(join(home.outside, "noise"), front(".noise"));
      rmSync(front(".noise"));
    }
    for (let n = 0; n < burst; n += 1) renameSync(join(home.outside, `${n}.jpg`), front(`${n}.jpg`));
    while (performance.now() - startedAt < 3_000) {
      // blocks the event loop
    }
    await settled(burst + 1);
    process.stdout.write(`${burst} renamed in while blocked: registered after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`);
  });
});

describe("bursts: the cost of a picture", () => {
  beforeEach(async () => {
    jpeg = await smallPicture();
    // a busy machine blocks the event loop occasionally, and comparing folders afterwards is not part of this measurement
    home = await watchedHome({ timings: { stallMs: 600_000 } });
  });
  afterEach(() => home.close());

  /** Processor time per picture, in ms, for pictures that arrive one by one. */
  const costIn = async (folder: string): Promise<number> => {
    const known = await count();
    const before = process.cpuUsage();
    for (let n = 0; n < 300; n += 1) {
      await writeFile(join(home.outside, "next"), numbered(jpeg, 100_000 + n));
      await rename(join(home.outside, "next"), join(folder, `live-${n}.jpg`));
      await sleep(1);
    }
    await until(async () => (await count()) === known + 300, 60_000);
    const used = process.cpuUsage(before);
    return (used.user + used.system) / 1000 / 300;
  };

  it("does not grow with the number of files in the folder", { ...timed, timeout: 180_000 }, async () => {
    const [small, large] = [join(home.root, "small"), join(home.root, "large")];
    for (const [folder, files] of [
      [small, 50],
      [large, burst],
    ] as const) {
      await mkdir(folder);
      await writeFile(join(home.outside, `${files}`), numbered(jpeg, files));
      // links, so that many files cost only their names; a file takes 65,000
      for (let n = 0; n < files; n += 1) linkSync(join(home.outside, `${files}`), join(folder, `${n}.jpg`));
    }
    const startedAt = performance.now();
    await home.watcher.start();
    await until(async () => (await count()) === burst + 50, 120_000);
    process.stdout.write(
      `${burst + 50} files found at the start: registered after ${((performance.now() - startedAt) / 1000).toFixed(1)} s\n`,
    );
    await until(() => home.watcher.state().pending === 0);
    await costIn(small);
    const inSmall = await costIn(await fresh(small));
    const inLarge = await costIn(large);
    process.stdout.write(`processor time per picture: ${inSmall.toFixed(2)} ms with few files, ${inLarge.toFixed(2)} ms with ${burst}\n`);
    // twice the promised 1.2, since other tests run at the same time; chokidar would need 100 times
    expect(inLarge / inSmall).toBeLessThan(2.4);
  });

  /** The same folder, with other names for the files measured before. */
  async function fresh(folder: string): Promise<string> {
    for (let n = 0; n < 300; n += 1) await rename(join(folder, `live-${n}.jpg`), join(home.outside, `measured-${n}.jpg`));
    await sleep(200);
    return folder;
  }

  it("is a few milliseconds from its rename to its row", timed, async () => {
    await mkdir(join(home.root, "front"));
    await writeFile(front("first.jpg"), jpeg);
    const registered: (() => void)[] = [];
    home.watcher = home.renew({ onRegistered: () => registered.shift()?.() });
    await home.watcher.start();
    await until(async () => (await count()) === 1);
    const real = await picture();
    const times: number[] = [];
    for (let n = 0; n < 200; n += 1) {
      await writeFile(join(home.outside, "next"), numbered(real, n));
      const seen = new Promise<void>((resolve) => registered.push(resolve));
      const startedAt = performance.now();
      await rename(join(home.outside, "next"), front(`${n}.jpg`));
      await seen;
      times.push(performance.now() - startedAt);
    }
    times.sort((a, b) => a - b);
    process.stdout.write(`rename to committed row: p50 ${times[100]?.toFixed(1)} ms, p99 ${times[197]?.toFixed(1)} ms\n`);
    expect(times[100]).toBeLessThan(15);
  });
});

it("bursts: pictures wait while the database is away and are registered once", async () => {
  jpeg = await smallPicture();
  home = await watchedHome();
  try {
    await mkdir(join(home.root, "front"));
    await writeFile(front("first.jpg"), jpeg);
    let away = true;
    const { db } = home.database;
    const flaky: typeof db = {
      ...db,
      pool: db.pool,
      query: (work) => db.query(work),
      listen: (...listening) => db.listen(...listening),
      close: () => db.close(),
      transaction: (work) => (away ? Promise.reject(new Error("the database is away")) : db.transaction(work)),
    };
    home.watcher = home.renew({ db: flaky });
    await db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('front', 'Front', ${join(home.root, "front")})`);
    await home.watcher.start();
    for (let n = 0; n < 50; n += 1) {
      await writeFile(join(home.outside, `${n}`), numbered(jpeg, n));
      await link(join(home.outside, `${n}`), front(`${n}.jpg`));
    }
    await sleep(600);
    expect(await count()).toBe(0);
    expect(home.watcher.state().pending).toBeGreaterThanOrEqual(50);
    away = false;
    await settled(51);
  } finally {
    await home.close();
  }
});
