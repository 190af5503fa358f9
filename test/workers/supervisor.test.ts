import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { createSupervisor, type Supervisor } from "../../daemon/workers/supervisor.ts";
import type { Worker } from "../../daemon/workers/worker.ts";
import { systemClock } from "../../src/clock/clock.ts";
import { silentLog } from "../../src/log/log.ts";
import { eventually } from "../support/eventually.ts";

/** A worker whose life the test decides. */
function puppet(name: string, options: { readonly failStarts?: number; readonly stuckAfterMs?: number } = {}) {
  const seen = { starts: 0, stops: 0, frozenAt: undefined as number | undefined };
  const worker: Worker = {
    name,
    critical: true,
    stuckAfterMs: options.stuckAfterMs ?? 60_000,
    start: async () => {
      seen.starts += 1;
      seen.frozenAt = undefined;
      if (seen.starts <= (options.failStarts ?? 0)) throw new Error("the port is taken");
    },
    stop: async () => {
      seen.stops += 1;
    },
    heartbeat: () => seen.frozenAt ?? performance.now(),
  };
  return { worker, seen };
}

const told: { name: string; running: boolean; message: string | null }[] = [];
let supervisor: Supervisor | undefined;
function supervise(workers: readonly Worker[]): Supervisor {
  told.length = 0;
  supervisor = createSupervisor({
    workers,
    clock: systemClock,
    log: silentLog,
    announce: async (entry) => {
      if (entry.type === "worker_status") told.push(entry.data);
    },
  });
  return supervisor;
}
afterEach(() => supervisor?.stop());

test("a worker that gives no sign of life is restarted, and each change is told", async () => {
  const { worker, seen } = puppet("detection_worker", { stuckAfterMs: 300 });
  const { start, states } = supervise([worker]);
  await start();
  expect(states()).toEqual([{ name: "detection_worker", running: true, critical: true, message: null }]);
  seen.frozenAt = performance.now();
  await eventually(() => seen.starts === 2);
  expect(seen.stops).toBe(1);
  await eventually(() => states()[0]?.running);
  expect(told).toMatchObject([
    { name: "detection_worker", running: false, message: expect.stringContaining("no sign of life") },
    { name: "detection_worker", running: true, message: null },
  ]);
});

test("a worker that cannot start does not keep the others from running, says why, and is tried again with longer pauses", async () => {
  const broken = puppet("file_watcher", { failStarts: 2 });
  const well = puppet("analysis_worker");
  const { start, states } = supervise([broken.worker, well.worker]);
  const startedAt = performance.now();
  await start();
  expect(states()).toMatchObject([
    { name: "file_watcher", running: false, message: "could not start: the port is taken" },
    { name: "analysis_worker", running: true },
  ]);
  await eventually(() => states()[0]?.running);
  expect(broken.seen.starts).toBe(3);
  // 0.5 s and 1 s, looked at every 0.5 s
  expect(performance.now() - startedAt).toBeGreaterThan(1_400);
});

test("stopping ends the workers last first and starts none again, not even one that waits for its restart", async () => {
  const order: string[] = [];
  const workers = ["first", "second"].map((name) => {
    const { worker } = puppet(name);
    return { ...worker, stop: async () => void order.push(name) };
  });
  const broken = puppet("third", { failStarts: 99 });
  const own = supervise([...workers, broken.worker]);
  await own.start();
  await own.stop();
  const { starts } = broken.seen;
  expect(order).toEqual(["second", "first"]);
  await setTimeout(1_200);
  expect(broken.seen.starts).toBe(starts);
});
