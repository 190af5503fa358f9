import { setTimeout as sleep } from "node:timers/promises";
import type { Fault } from "./faults.ts";
import type { Home } from "./home.ts";
import { insideReports, metric, middleOf, openFiles, residentMb } from "./measures.ts";
import { unfinished } from "./truth.ts";

/** The measurements of a step. */
export interface Row {
  readonly fault: string;
  /** Pictures until now. */
  readonly uploaded: number;
  /** Work that was pending at the end of the step; undefined if the database did not answer. */
  readonly waiting: number | undefined;
  /** After garbage collection: the minimum of the step for objects, and for buffers including those of pictures in progress. */
  readonly objectsMb: number;
  readonly buffersMb: number;
  /** Part of it that is compiled code. */
  readonly codeMb: number;
  /** Resident memory, median of the step. */
  readonly residentMb: number;
  /** Open files: minimum, median and maximum of the step. */
  readonly files: readonly [least: number, middle: number, most: number];
  /** Event loop delay in this step, from the program's metrics, in ms. */
  readonly lagP99: number;
}

/** Duration of a step, and number of garbage collections in it. */
export interface StepTime {
  readonly ms: number;
  readonly collections: number;
}

/** One step: a fault in its first third, with continuous measurement. */
export async function step(home: Home, fault: Fault, { ms, collections }: StepTime): Promise<Row> {
  const { daemon, insideFile } = home;
  const before = insideReports(insideFile).length;
  const end = performance.now() + ms;
  const broken = breakFor(home, fault, ms / 3);
  const files: number[] = [];
  const resident: number[] = [];
  const every = Math.min(1_000, ms / 10);
  let collectAt = performance.now();
  while (performance.now() < end) {
    files.push(openFiles(daemon.pid));
    resident.push(residentMb(daemon.pid));
    if (performance.now() >= collectAt) {
      daemon.kill("SIGUSR2");
      collectAt += ms / collections;
    }
    await sleep(Math.min(every, Math.max(0, end - performance.now())));
  }
  await broken;
  const metrics = await (await home.ask("GET /metrics")).text();
  const inside = insideReports(insideFile).slice(before);
  const leastMb = (of: "heapUsed" | "external" | "code"): number => Math.min(...inside.map((report) => report[of])) / 1024 / 1024;
  return {
    fault: fault.name,
    uploaded: home.uploaded.length,
    waiting: await unfinished(home),
    objectsMb: leastMb("heapUsed"),
    buffersMb: leastMb("external"),
    codeMb: leastMb("code"),
    residentMb: middleOf(resident),
    files: [Math.min(...files), middleOf(files), Math.max(...files)],
    lagP99: metric(metrics, "nodejs_eventloop_lag_p99_seconds") * 1000,
  };
}

async function breakFor(home: Home, fault: Fault, ms: number): Promise<void> {
  const begun = performance.now();
  const heal = await fault.begin(home, ms);
  await sleep(Math.max(0, ms - (performance.now() - begun)));
  await heal?.();
}
