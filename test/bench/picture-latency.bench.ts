import { copyFile, mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type Child, startChild } from "./child.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { type LiveMessages, liveMessages } from "./live-messages.ts";
import { preparePictures } from "./prepared-pictures.ts";
import { report } from "./report.ts";
import { median, percentile } from "./statistics.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const rounds = 5;
const picturesPerRound = 100;
const pauseMs = 20;
const bare = "a bare script: read the file, POST it to the same detector, one INSERT on the same PostgreSQL";

let database: TestDatabase;
let upstreams: InstantUpstreams;
let daemon: BenchDaemon;
let live: LiveMessages;
let script: Child<object, number>;

beforeAll(async () => {
  [database, upstreams] = await Promise.all([testDatabase(), instantUpstreams()]);
  daemon = await benchDaemon({ databaseUrl: database.url, upstreamUrl: upstreams.url });
  live = await liveMessages(daemon.url);
  script = startChild("bare-pipeline");
  await script.ask({ databaseUrl: database.url, upstreamUrl: upstreams.url });
});

afterAll(async () => {
  await live?.close();
  await daemon?.stop();
  await Promise.all([script?.stop(), upstreams?.stop()]);
  await database?.close();
});

/** Milliseconds from a complete picture in a camera's folder to the client's message about its detections. */
async function untilHeard(target: string, upload: () => Promise<void>): Promise<number> {
  const heard = live.until(({ type, data }) => type === "detection.new" && data.file_path === target, 30_000);
  const startedAt = performance.now();
  await upload();
  return (await heard) - startedAt;
}

async function measure(upload: (from: string, to: string) => Promise<void>, folder: string) {
  const names = await preparePictures(daemon.staging, picturesPerRound * rounds + 20);
  const pictures = names.map((name) => ({ from: join(daemon.staging, name), to: join(daemon.cameraRoot, folder, name) }));
  await mkdir(join(daemon.cameraRoot, folder));
  // The first pictures register the camera and warm both sides up.
  for (const { from, to } of pictures.splice(0, 20)) {
    await untilHeard(to, () => upload(from, to));
    await script.ask({ paths: [to] });
  }
  const perRound = [];
  for (let round = 0; round < rounds; round += 1) {
    const homesec: number[] = [];
    const baseline: number[] = [];
    for (const { from, to } of pictures.splice(0, picturesPerRound)) {
      await sleep(pauseMs);
      homesec.push(await untilHeard(to, () => upload(from, to)));
      await sleep(pauseMs);
      baseline.push(await script.ask({ paths: [to] }));
    }
    perRound.push({ homesec, baseline });
  }
  return perRound;
}

const ways = [
  { how: "renamed", folder: "renamed", upload: rename },
  { how: "written in one go", folder: "written", upload: (from: string, to: string) => copyFile(from, to) },
] as const;

for (const { how, folder, upload } of ways) {
  test(`latency of a picture that is ${how}`, async ({ task }) => {
    const perRound = await measure(upload, folder);
    const row = (what: string, sumUp: (values: readonly number[]) => number, atMost: number): void =>
      report(task, {
        what: `picture ${how} -> \`detection.new\` on a WebSocket, ${what}`,
        unit: "ms",
        homesec: perRound.map(({ homesec }) => sumUp(homesec)),
        baseline: { what: bare, values: perRound.map(({ baseline }) => sumUp(baseline)) },
        compare: "added",
        limit: { atMost },
      });
    row("p50", median, 25);
    row("p99", (values) => percentile(values, 99), 100);
  });
}
