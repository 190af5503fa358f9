import { mkdir, open, readFile, rename } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, test } from "vitest";
import { programVersion } from "../../src/base/version.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { freePort } from "../support/free-port.ts";
import { serveHomesec } from "../support/homesec-process.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { startChild } from "./child.ts";
import {
  deepstackTrigger,
  homesecPeer,
  type Peer,
  packageVersion,
  type Receiver,
  type Running,
  script,
  startAlertmanager,
  startReceiver,
} from "./peers.ts";
import { preparePictures } from "./prepared-pictures.ts";
import { processorMs } from "./process-cost.ts";
import { report } from "./report.ts";
import { percentile } from "./statistics.ts";
import { type InstantUpstreams, instantUpstreams } from "./upstreams.ts";

const singles = 60;
const burst = 1_000;
const slow = 40;
const slowPieces = 5;
const slowGapMs = 400;
const restarted = 50;
/** When no further picture was reported for this time, those that are missing count as lost. */
const quietMs = 8_000;

/** What one program did with the same pictures. */
interface Outcome {
  readonly singleMs: readonly number[];
  readonly burst: Handled & { readonly seconds: number; readonly processorSeconds: number };
  readonly slow: Handled & { readonly ms: readonly number[]; readonly early: number };
  readonly restart: Handled;
}

interface Handled {
  readonly handled: number;
  readonly doubled: number;
}

let receiver: Receiver;
let upstreams: InstantUpstreams;
let database: TestDatabase;
let own: Outcome;

const homesec = homesecPeer(
  programVersion(),
  () => database.url,
  () => receiver,
);
const peers: readonly Peer[] = [script, deepstackTrigger("events"), deepstackTrigger("polling")];

beforeAll(async () => {
  [receiver, upstreams, database] = await Promise.all([startReceiver(), instantUpstreams(), testDatabase()]);
  own = await outcomeOf(homesec);
}, 300_000);

afterAll(async () => {
  await receiver?.close();
  await upstreams?.stop();
  await database?.close();
});

/** Gives a program the pictures in a new folder. */
async function outcomeOf(peer: Peer): Promise<Outcome> {
  const { path: root } = temporaryFolder("peer");
  const folder = join(root, "cameras", "yard");
  const staging = join(root, "staging");
  await mkdir(folder, { recursive: true });
  const start = (): Promise<Running> => peer.start({ home: root, folder, detectorUrl: upstreams.url, receiverUrl: receiver.url });
  // made when they are needed: a program may pass over a picture that is older than its start
  const take = (count: number): Promise<readonly string[]> => preparePictures(staging, count);
  const arrive = async (name: string): Promise<void> => await rename(join(staging, name), join(folder, name));
  const program = { running: await start() };
  for (const name of await take(5)) await arrive(name);
  await sleep(4_000);
  const singleMs = await oneByOne(await take(singles), arrive);
  const burstOutcome = await allAtOnce(await take(burst), arrive, () => program.running.pid);
  await revive();
  const slowOutcome = await slowly(await take(slow), staging, folder);
  const restart = await acrossRestart(await take(restarted), await take(restarted), arrive, program, start);
  await program.running.kill();
  return { singleMs, burst: burstOutcome, slow: slowOutcome, restart };

  /** A program that the burst has ended starts again for what follows. */
  async function revive(): Promise<void> {
    if (await isAlive(program.running.pid)) return;
    program.running = await start();
  }
}

async function oneByOne(names: readonly string[], arrive: (name: string) => Promise<void>): Promise<readonly number[]> {
  const arrived = new Map<string, number>();
  for (const name of names) {
    arrived.set(name, performance.now());
    await arrive(name);
    await sleep(100);
  }
  await untilQuiet(names);
  return names.flatMap((name) => (receiver.heard.get(name)?.slice(0, 1) ?? []).map((at) => at - (arrived.get(name) ?? 0)));
}

async function allAtOnce(names: readonly string[], arrive: (name: string) => Promise<void>, pid: () => number): Promise<Outcome["burst"]> {
  const before = await processorMs(pid());
  const startedAt = performance.now();
  await Promise.all(names.map(arrive));
  await untilQuiet(names);
  const last = Math.max(startedAt, ...names.flatMap((name) => receiver.heard.get(name) ?? []));
  const used = await processorMs(pid()).catch(() => Number.NaN);
  return { ...handled(names), seconds: (last - startedAt) / 1000, processorSeconds: (used - before) / 1000 };
}

/** Writes each picture in pieces, as a camera with a slow connection does. */
async function slowly(names: readonly string[], staging: string, folder: string): Promise<Outcome["slow"]> {
  const closed = new Map<string, number>();
  await Promise.all(
    names.map(async (name, at) => {
      await sleep(at * 50);
      const bytes = await readFile(join(staging, name));
      const file = await open(join(folder, name), "w");
      const piece = Math.ceil(bytes.length / slowPieces);
      for (let from = 0; from < bytes.length; from += piece) {
        await file.write(bytes.subarray(from, from + piece));
        if (from + piece < bytes.length) await sleep(slowGapMs);
      }
      await file.close();
      closed.set(name, performance.now());
    }),
  );
  await untilQuiet(names);
  const first = names.flatMap((name) => (receiver.heard.get(name)?.slice(0, 1) ?? []).map((at) => at - (closed.get(name) ?? 0)));
  return { ...handled(names), ms: first.filter((ms) => ms >= 0), early: first.filter((ms) => ms < 0).length };
}

/** Kills the program while pictures arrive, goes on while it is away, and starts it again. */
async function acrossRestart(
  before: readonly string[],
  away: readonly string[],
  arrive: (name: string) => Promise<void>,
  program: { running: Running },
  start: () => Promise<Running>,
): Promise<Handled> {
  await Promise.all(before.map(arrive));
  await program.running.kill();
  for (const name of away) await arrive(name);
  program.running = await start();
  await untilQuiet([...before, ...away]);
  return handled([...before, ...away]);
}

async function untilQuiet(names: readonly string[]): Promise<void> {
  let seen = -1;
  let quietSince = performance.now();
  while (performance.now() - quietSince < quietMs) {
    const { handled: now } = handled(names);
    if (now !== seen) quietSince = performance.now();
    seen = now;
    if (now === names.length && performance.now() - quietSince > 1_000) return;
    await sleep(50);
  }
}

function handled(names: readonly string[]): Handled {
  const counts = names.map((name) => receiver.heard.get(name)?.length ?? 0);
  return { handled: counts.filter((count) => count > 0).length, doubled: counts.filter((count) => count > 1).length };
}

const isAlive = async (pid: number): Promise<boolean> =>
  await processorMs(pid).then(
    () => true,
    () => false,
  );

test("homesec reports every picture of a burst, and a slow one within a second", ({ task }) => {
  const row = (what: string, unit: string, value: number, limit: { readonly atMost: number } | { readonly atLeast: number }): void =>
    report(task, { what, unit, homesec: [value], compare: "absolute", limit });
  row(`${burst} pictures at once, reported`, "pictures", own.burst.handled, { atLeast: burst });
  row(`${burst} pictures at once, until the last report`, "s", own.burst.seconds, { atMost: 2.5 });
  row(`${slow} pictures written slowly, closed -> reported, p99`, "ms", percentile(own.slow.ms, 99), { atMost: 1_000 });
});

describe.each(peers)("beside $name", (peer) => {
  test.skipIf(peer.version === undefined)(
    `the same pictures as ${peer.name} (needs BENCH_DEEPSTACK_TRIGGER for node-deepstackai-trigger)`,
    async ({ task }) => {
      const other = await outcomeOf(peer);
      const version = peer === script ? `chokidar ${await packageVersion("chokidar")}, awaitWriteFinish` : peer.version;
      const row = (what: string, unit: string, figure: (outcome: Outcome) => number, compare: "ratio" | "added" = "added"): void =>
        report(task, {
          ...{ what: `${what}, beside ${peer.name}`, unit, compare },
          homesec: [figure(own)],
          baseline: { what: `${peer.name} (${version}), the same pictures and the same instant detector`, values: [figure(other)] },
        });
      row("picture renamed -> reported, p50", "ms", ({ singleMs }) => percentile(singleMs, 50));
      row(`${burst} pictures at once, reported`, "pictures", (outcome) => outcome.burst.handled);
      row(`${burst} pictures at once, until the last report`, "s", (outcome) => outcome.burst.seconds);
      row(`${burst} pictures at once, processor time`, "s", (outcome) => outcome.burst.processorSeconds);
      row(
        `${slow} pictures written slowly, reported once and complete`,
        "pictures",
        ({ slow: { handled: all, doubled, early } }) => all - doubled - early,
      );
      if (other.slow.ms.length > 0)
        row(`${slow} pictures written slowly, closed -> reported, p99`, "ms", (outcome) => percentile(outcome.slow.ms, 99));
      row(`kill -9 between ${2 * restarted} pictures, reported once`, "pictures", ({ restart }) => restart.handled - restart.doubled);
    },
    300_000,
  );
});

describe("beside Alertmanager", () => {
  test("alerts received over 8 connections", async ({ task, skip }) => {
    const alertmanager = await startAlertmanager(await freePort());
    if (!alertmanager) return skip("Alertmanager is not installed");
    const data = await testDatabase();
    const daemon = await serveHomesec({ DATABASE_URL: data.url, DATA_DIR: temporaryFolder("bench").path });
    const load = startChild<object, number>("post-alerts");
    const ask = (url: string, form: "list" | "group"): Promise<number> => load.ask({ url, form, connections: 8, forMs: 3_000 });
    const values: { homesec: number[]; other: number[] } = { homesec: [], other: [] };
    for (let round = -1; round < 3; round += 1) {
      const homesecRate = await ask(`${daemon.url}/api/webhooks/alerts`, "group");
      const otherRate = await ask(`${alertmanager.url}/api/v2/alerts`, "list");
      if (round < 0) continue;
      values.homesec.push(homesecRate);
      values.other.push(otherRate);
    }
    await load.stop();
    await alertmanager.kill();
    daemon.kill("SIGTERM");
    await daemon.exit;
    await data.close();
    report(task, {
      ...{
        what: "alerts received over 8 connections, committed",
        unit: "requests/s",
        compare: "ratio",
        homesec: values.homesec,
        limit: { atLeast: 0.2 },
      },
      baseline: { what: `Alertmanager ${alertmanager.version}, which keeps them in memory`, values: values.other },
    });
  }, 180_000);
});
