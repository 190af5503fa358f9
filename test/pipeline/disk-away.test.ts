import { randomUUID } from "node:crypto";
import { mkdir, rename, rm, rmdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { systemClock } from "../../src/base/clock/clock.ts";
import { silentLog } from "../../src/base/log/log.ts";
import { Breaker } from "../../src/monitoring/upstream/breaker.ts";
import { createDetector } from "../../src/monitoring/upstream/detector.ts";
import { createDetectStage } from "../../src/pipeline/detect.ts";
import { parseConfig } from "../../src/platform/config/parse.ts";
import { createSettings } from "../../src/platform/config/settings.ts";
import { claimNextJobs } from "../../src/work/jobs/jobs-repository.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "../daemon/file-watcher/watched-home.ts";
import { detectorStandIn, onePerson, type StandIn } from "../support/upstream.ts";

const clock = systemClock;
let home: Home;
let standIn: StandIn;

beforeEach(async () => {
  home = await watchedHome({ timings: { rescanMs: 300 } });
  standIn = await detectorStandIn({ answer: () => onePerson() });
});
afterEach(() => Promise.all([home.close(), standIn.close()]));

const front = (...names: string[]): string => join(home.root, "front", ...names);

/** Compares each file every second, to reveal files that are processed repeatedly. */
const compareOften = (): void => {
  home.watcher = home.renew({ timings: { rescanMs: 300, fullRescanMs: 1_000 } });
};

/** Uploads pictures and defers each one, because the detector is unavailable. */
async function deferred(...names: string[]): Promise<void> {
  for (const [index, name] of names.entries()) {
    await mkdir(dirname(front(name)), { recursive: true });
    await writeFile(front(name), numbered(await picture(), index));
  }
  await home.watcher.start();
  await home.entries(names.length);
  await standIn.setMode("reset");
  await workOff();
  expect(await outcomes()).toEqual(names.map((name) => [name, "deferred", expect.any(String), "pending"]));
  await standIn.setMode("ok");
}

/** Runs all detect jobs, due or not. */
async function workOff(): Promise<void> {
  const { db } = home.database;
  const breaker = new Breaker("detector", { clock });
  const detector = createDetector({ url: standIn.url, breaker, clock, log: silentLog });
  const { config } = parseConfig({ env: {}, isRoot: false, home: "/nowhere", cwd: "/nowhere" });
  const stage = createDetectStage({
    ...{ db, clock, log: silentLog, detector, atDetector: 4, maxUnstored: 4, enrichmentWaitMs: () => 0, batchMaxDetections: 500 },
    settings: createSettings({ db, config, log: silentLog, clock }),
    detectorAnsweredAt: () => breaker.state().last_success,
    onClosed: () => {},
    onOutcome: () => {},
  });
  const claim = { queue: "detect", processId: randomUUID(), now: new Date(clock.now().getTime() + 600_000) } as const;
  const jobs = await db.query((sql) => claimNextJobs(sql, claim, 100));
  await Promise.all(jobs.map((job) => stage.run(job, new AbortController().signal, () => {})));
  await detector.close();
}

/** The outcome and the job state of each picture. */
async function outcomes(): Promise<readonly (readonly (string | null)[])[]> {
  const rows = await home.database.db.query(
    (sql) => sql<{ path: string; status: string; reason: string | null; job: string | null }[]>`
      select i.path, i.status, i.reason, j.status as job
      from images i
      left join jobs j on j.queue = 'detect' and j.subject = i.image_id::text
      order by i.path
    `,
  );
  return rows.map(({ path, status, reason, job }) => [path.slice(front().length + 1), status, reason, job]);
}

/** The pictures of all detections. */
const seen = async (): Promise<readonly string[]> =>
  (await home.database.db.query((sql) => sql<{ path: string }[]>`select d.file_path as path from detections d order by d.file_path`)).map(
    ({ path }) => path.slice(front().length + 1),
  );

const pending = (count: number) =>
  until(async () => (await home.jobs()).length === count && (await outcomes()).every(([, status]) => status === "pending"));

describe("pictures that wait for the detector", () => {
  it("are processed once when their missing disk is back", async () => {
    const names = ["2026-03-01/a.jpg", "b.jpg", "c.jpg"];
    await deferred(...names);
    await rename(front(), `${home.root}-disk`);
    await mkdir(front());
    await workOff();
    expect(await outcomes()).toEqual(names.map((name) => [name, "skipped", "missing", null]));
    // the watcher has registered the empty folder
    await sleep(1_500);
    await rmdir(front());
    await rename(`${home.root}-disk`, front());
    await pending(3);
    await workOff();
    expect(await outcomes()).toEqual(names.map((name) => [name, "processed", null, null]));
    expect(await seen()).toEqual(names);
    expect((await home.ledger()).map((entry) => entry.same_content_as)).toEqual([null, null, null]);
  });

  it("are skipped as missing if they were deleted with their folder", async () => {
    compareOften();
    await deferred("a.jpg", "b.jpg");
    await rm(front(), { recursive: true });
    await workOff();
    const missing = ["a.jpg", "b.jpg"].map((name) => [name, "skipped", "missing", null]);
    expect(await outcomes()).toEqual(missing);
    await mkdir(front());
    await sleep(2_500);
    expect(await outcomes()).toEqual(missing);
  });

  it("become dead letters if they were deleted alone, until they are back", async () => {
    compareOften();
    const names = ["2026-03-01/a.jpg", "b.jpg", "c.jpg"];
    await deferred(...names);
    await rename(front("2026-03-01", "a.jpg"), join(home.outside, "a.jpg"));
    await rename(front("b.jpg"), join(home.outside, "b.jpg"));
    await workOff();
    const [a, b, c] = [...names.slice(0, 2).map((name) => [name, "skipped", "missing", "dead"]), ["c.jpg", "processed", null, null]];
    expect(await outcomes()).toEqual([a, b, c]);
    await sleep(2_500);
    expect(await outcomes()).toEqual([a, b, c]);
    for (const name of names.slice(0, 2)) await rename(join(home.outside, name.slice(-5)), front(name));
    await until(async () => (await outcomes()).every(([, status]) => status !== "skipped"));
    await workOff();
    expect(await outcomes()).toEqual(names.map((name) => [name, "processed", null, null]));
    expect(await seen()).toEqual(names);
  });
});
