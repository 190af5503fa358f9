import { mkdir, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, test } from "vitest";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { type Child, startChild } from "./child.ts";
import { type BenchDaemon, benchDaemon } from "./daemon.ts";
import { type LiveMessages, liveMessages } from "./live-messages.ts";
import { preparePictures } from "./prepared-pictures.ts";
import { processorMs } from "./process-cost.ts";
import { report } from "./report.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

/** A daemon that has run for a while has compiled its hot code, as this one has after 4,000 pictures. */
const warmUpRounds = 2;
const rounds = 5;
const picturesPerRound = 2_000;
/** Leftover work of one side must not slow the other down. */
const restMs = 500;
/** A full batch becomes an event at once, so that no round waits for a time window. */
const picturesPerEvent = 50;
const setups = [
  { name: "five cameras", cameras: 5, hasLimit: true, isImmediate: false },
  { name: "one camera", cameras: 1, hasLimit: true, isImmediate: false },
  // Each picture is evaluated at once, and each visit raises an alert
  { name: "five cameras with an immediate rule", cameras: 5, hasLimit: false, isImmediate: true },
] as const;

interface Subject {
  readonly name: string;
  readonly cameras: number;
  readonly database: TestDatabase;
  readonly daemon: BenchDaemon;
  readonly live: LiveMessages;
}

let upstreams: InstantUpstreams;
let script: Child<object, number>;
let subjects: readonly Subject[];

beforeAll(async () => {
  upstreams = await instantUpstreams();
  subjects = await Promise.all(
    setups.map(async ({ name, cameras, isImmediate }) => {
      const database = await testDatabase();
      const daemon = await benchDaemon({
        databaseUrl: database.url,
        upstreamUrl: upstreams.url,
        env: { BATCH_MAX_DETECTIONS: String(picturesPerEvent) },
      });
      if (isImmediate) await addImmediateRule(daemon.url);
      return { name, cameras, database, daemon, live: await liveMessages(daemon.url) };
    }),
  );
  script = startChild("bare-pipeline");
  await script.ask({ databaseUrl: subjects[0]?.database.url, upstreamUrl: upstreams.url });
});

afterAll(async () => {
  for (const { live, daemon, database } of subjects ?? []) {
    await live.close();
    await daemon.stop();
    await database.close();
  }
  await Promise.all([script?.stop(), upstreams?.stop()]);
});

async function addImmediateRule(url: string): Promise<void> {
  const rule = { name: "Now", object_types: ["person"], channels: [], cooldown_seconds: 0, immediate: true };
  const { status } = await fetch(`${url}/api/alerts/rules`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(rule),
  });
  if (status !== 201) throw new Error(`the rule was refused with ${status}`);
}

interface Upload {
  readonly from: string;
  readonly to: string;
}

/** Cost of a picture. */
interface Cost {
  readonly perSecond: number;
  /** Processor time of the daemon's or the script's process alone. */
  readonly processorMs: number;
}

/** One round: both over the same pictures, one right after the other. */
interface Round {
  readonly homesec: Cost;
  readonly baseline: Cost;
}

async function costOf(pid: number, pictures: number, work: () => Promise<number>): Promise<Cost> {
  await sleep(restMs);
  const usedBefore = await processorMs(pid);
  const tookMs = await work();
  return { perSecond: (pictures * 1000) / tookMs, processorMs: ((await processorMs(pid)) - usedBefore) / pictures };
}

/** Writes the pictures of a round beside the cameras' folders, and returns their destinations. */
async function prepare({ daemon, cameras }: Subject): Promise<readonly Upload[]> {
  const folders = Array.from({ length: cameras }, (_, n) => join(daemon.cameraRoot, `camera-${n + 1}`));
  for (const folder of folders) await mkdir(folder, { recursive: true });
  const names = await preparePictures(daemon.staging, picturesPerRound);
  return names.map((name, i) => ({ from: join(daemon.staging, name), to: join(folders[i % cameras] as string, name) }));
}

/** Renames the pictures in as fast as possible; resolves with the milliseconds until all are processed and their events analysed. */
async function pipeline({ live }: Subject, pictures: readonly Upload[]): Promise<number> {
  let missing = pictures.length;
  let unjudged = pictures.length / picturesPerEvent;
  const done = live.until(({ type }) => {
    if (type === "detection.new") missing -= 1;
    if (type === "batch.analysis_completed") unjudged -= 1;
    return missing === 0 && unjudged === 0;
  }, 120_000);
  const startedAt = performance.now();
  for (const { from, to } of pictures) await rename(from, to);
  return (await done) - startedAt;
}

test("pictures: pass all stages fast", async ({ task }) => {
  const perRound: (readonly Round[])[] = [];
  for (let round = -warmUpRounds; round < rounds; round += 1) {
    const costs: Round[] = [];
    for (const subject of subjects) {
      const pictures = await prepare(subject);
      const paths = pictures.map(({ to }) => to);
      const homesec = await costOf(subject.daemon.pid, pictures.length, () => pipeline(subject, pictures));
      const baseline = await costOf(script.pid, paths.length, () => script.ask({ paths }));
      costs.push({ homesec, baseline });
    }
    if (round >= 0) perRound.push(costs);
  }
  const what = "the same bare script over the same pictures, one after the other";
  for (const [index, { name, hasLimit }] of setups.entries()) {
    const row = (title: string, unit: string, figure: keyof Cost) => ({
      what: `${title}, ${name}`,
      unit,
      homesec: perRound.map((costs) => costs[index]?.homesec[figure] ?? Number.NaN),
      baseline: { what, values: perRound.map((costs) => costs[index]?.baseline[figure] ?? Number.NaN) },
      compare: "ratio" as const,
    });
    const limit = hasLimit ? { limit: { atLeast: 0.5 } } : {};
    report(task, { ...row("sustained pictures per second, all stages", "pictures/s", "perSecond"), ...limit });
    report(task, row("processor time of the process per picture", "ms", "processorMs"));
  }
});
