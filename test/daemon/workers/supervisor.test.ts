import { setTimeout } from "node:timers/promises";
import { afterAll, describe, expect, test } from "vitest";
import type { Worker } from "../../../daemon/workers/loop.ts";
import { createSupervisor, type Supervisor } from "../../../daemon/workers/supervisor.ts";
import { currentReadiness } from "../../../src/admin/system/ready.ts";
import { type Clock, systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { eventually } from "../../support/eventually.ts";
import { openDesk } from "../../support/operations.ts";
import { quietRuntime } from "../../support/runtime.ts";

/** A promise that stays pending until it is released. */
function hanging(): { readonly done: Promise<void>; readonly letGo: () => void } {
  let letGo: () => void = () => {};
  const done = new Promise<void>((resolve) => {
    letGo = resolve;
  });
  return { done, letGo: () => letGo() };
}

/** A worker that the test controls. */
function puppet(
  name: string,
  options: {
    readonly failStarts?: number;
    readonly stuckAfterMs?: number;
    readonly critical?: boolean;
    readonly stopHangs?: true;
    /** Starts do not end before this does. */
    readonly startsAfter?: Promise<unknown>;
  } = {},
) {
  const seen = { starts: 0, stops: 0, frozenAt: undefined as number | undefined };
  const worker: Worker = {
    name,
    critical: options.critical ?? true,
    stuckAfterMs: options.stuckAfterMs ?? 60_000,
    start: async () => {
      seen.starts += 1;
      seen.frozenAt = undefined;
      await options.startsAfter;
      if (seen.starts <= (options.failStarts ?? 0)) throw new Error("the port is taken");
    },
    stop: async () => {
      seen.stops += 1;
      if (options.stopHangs && seen.stops === 1) await new Promise(() => {});
    },
    heartbeat: () => seen.frozenAt ?? performance.now(),
  };
  return { worker, seen };
}

interface Supervised extends Supervisor {
  /** The announced states of the workers, in order. */
  readonly announced: readonly { readonly name: string; readonly running: boolean; readonly message: string | null }[];
}

const supervisors: Supervisor[] = [];
afterAll(() => Promise.all(supervisors.map((supervisor) => supervisor.stop())));

function supervise(workers: readonly Worker[], clock: Clock = systemClock): Supervised {
  const announced: Supervised["announced"][number][] = [];
  const supervisor = createSupervisor({
    workers,
    clock,
    log: silentLog,
    announce: async (entry) => {
      if (entry.type === "worker_status") announced.push(entry.data);
    },
  });
  supervisors.push(supervisor);
  return { ...supervisor, announced };
}

// concurrent: each test has its own supervisor, which checks its workers every half second
describe.concurrent("the supervisor", () => {
  test("a worker without a heartbeat is restarted, and each change is announced", async () => {
    const { worker, seen } = puppet("detection_worker", { stuckAfterMs: 300 });
    const { start, states, announced } = supervise([worker]);
    await start();
    expect(states()).toEqual([{ name: "detection_worker", running: true, critical: true, message: null }]);
    seen.frozenAt = performance.now();
    await eventually(() => seen.starts === 2);
    expect(seen.stops).toBe(1);
    await eventually(() => states()[0]?.running);
    expect(announced).toMatchObject([
      { name: "detection_worker", running: false, message: expect.stringContaining("no heartbeat") },
      { name: "detection_worker", running: true, message: null },
    ]);
  });

  test("a worker that cannot start does not stop the others, reports the reason, and is retried at growing intervals", async () => {
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
    // 0.5 s and 1 s, checked every 0.5 s
    expect(performance.now() - startedAt).toBeGreaterThan(1_400);
  });

  test("a worker whose start hangs does not stop the others, reports that, and runs once when the start ends", async () => {
    const mount = hanging();
    const hung = puppet("file_watcher", { startsAfter: mount.done });
    const well = puppet("caretaker");
    const { start, states, announced } = supervise([hung.worker, well.worker]);
    await start();
    const message = expect.stringContaining("its start has taken more than 5 s");
    expect(states()).toMatchObject([
      { name: "file_watcher", running: false, message },
      { name: "caretaker", running: true },
    ]);
    // enough time for a restart, which would start a second run
    await setTimeout(1_200);
    mount.letGo();
    await eventually(() => states()[0]?.running);
    expect(hung.seen).toMatchObject({ starts: 1, stops: 0 });
    expect(announced).toMatchObject([
      { name: "file_watcher", running: false, message },
      { name: "file_watcher", running: true, message: null },
    ]);
  });

  test("a worker whose start hangs during a stop is stopped as soon as it has started", async () => {
    const mount = hanging();
    const hung = puppet("file_watcher", { startsAfter: mount.done });
    const own = supervise([hung.worker]);
    await own.start();
    await own.stop();
    expect(hung.seen.stops).toBe(0);
    mount.letGo();
    await eventually(() => hung.seen.stops === 1);
    expect(own.states()).toMatchObject([{ running: false, message: "stopped" }]);
  });

  test("a stuck worker that cannot be stopped either is replaced anyway", async () => {
    const { worker, seen } = puppet("detection_worker", { stuckAfterMs: 300, stopHangs: true });
    const { start, states } = supervise([worker]);
    await start();
    seen.frozenAt = performance.now();
    await eventually(() => seen.starts === 2 && states()[0]?.running);
  });

  test("pauses between restarts double up to one minute, and start over after one minute of steady work", async () => {
    let ahead = 0;
    const clock: Clock = { now: () => new Date(), monotonic: () => performance.now() + ahead };
    const broken = puppet("gpu_monitor", { failStarts: 9 });
    const heartbeat = () => broken.seen.frozenAt ?? clock.monotonic();
    const { start, states } = supervise([{ ...broken.worker, heartbeat }], clock);
    await start();
    // each pause in turn: less is too early, and the full pause is enough
    for (const [index, pauseMs] of [500, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000].entries()) {
      expect(broken.seen.starts).toBe(index + 1);
      if (pauseMs > 4_000) {
        ahead += pauseMs - 3_000;
        await setTimeout(700);
        expect(broken.seen.starts, `before ${pauseMs} ms`).toBe(index + 1);
        ahead += 3_000;
      } else {
        ahead += pauseMs;
      }
      await eventually(() => broken.seen.starts === index + 2);
    }
    await eventually(() => states()[0]?.running);
    ahead += 61_000;
    broken.seen.frozenAt = clock.monotonic() - 61_000;
    await eventually(() => states()[0]?.running === false);
    await eventually(() => broken.seen.starts === 11, { timeoutMs: 2_500, what: "a restart after the shortest pause" });
  });

  test("readiness is lost while a critical worker is down, kept without any other, and back after its restart", async () => {
    const desk = await openDesk();
    try {
      const broken = puppet("gpu_monitor", { failStarts: 99, critical: false });
      const critical = puppet("detection_worker", { stuckAfterMs: 300 });
      const own = supervise([broken.worker, critical.worker]);
      await own.start();
      const runtime = quietRuntime({ workers: () => own.states(), supervisorAlive: () => own.alive() });
      const readiness = async () => {
        const answer = await currentReadiness(desk.context, runtime);
        return "reply" in answer ? answer : { status: 200, reply: answer };
      };
      expect(await readiness()).toMatchObject({ status: 200, reply: { ready: true } });
      critical.seen.frozenAt = performance.now();
      await eventually(async () => (await readiness()).status === 503);
      expect(own.announced).toContainEqual({ name: "detection_worker", running: false, message: expect.stringContaining("no heartbeat") });
      await eventually(async () => (await readiness()).reply.ready);
    } finally {
      await desk.close();
    }
  });

  test("readiness: the supervisor is not alive before every worker was started", async () => {
    const camera = hanging();
    const watcher = puppet("file_watcher", { critical: false, startsAfter: camera.done });
    const own = supervise([puppet("detection_worker").worker, watcher.worker]);
    expect(own.alive()).toBe(false);
    const started = own.start();
    await eventually(() => own.states()[0]?.running);
    expect(own.alive()).toBe(false);
    camera.letGo();
    await started;
    expect(own.alive()).toBe(true);
  });

  test("a stop ends the workers in reverse order and starts none again, not even one that waits for its restart", async () => {
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
});
