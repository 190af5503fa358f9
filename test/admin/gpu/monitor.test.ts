import { chmodSync, copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { createGpuMonitor } from "../../../daemon/workers/gpu-monitor.ts";
import { insertGpuStats, latestGpuStats } from "../../../src/admin/gpu/gpu-repository.ts";
import { createNvidiaSmi } from "../../../src/admin/gpu/nvidia-smi.ts";
import { readNvidiaSmi } from "../../../src/admin/gpu/nvidia-smi-answer.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { temporaryFolder } from "../../support/temporary.ts";
import { timed } from "../../support/timed.ts";

const fixture = join(import.meta.dirname, "../../fixtures/gpu/nvidia-smi-q-x.xml");
const folder = temporaryFolder("gpu");
const never = new AbortController().signal;
let desk: Desk;
const stops: (() => Promise<void>)[] = [];

/** An executable in place of nvidia-smi. */
function tool(script: string): string {
  const path = join(folder.path, `tool-${Math.random().toString(36).slice(2)}`);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

async function monitor(command: string, timeoutMs = 5_000) {
  const worker = createGpuMonitor({ db: desk.db, clock: systemClock, log: silentLog, nvidiaSmi: createNvidiaSmi({ command, timeoutMs }) });
  await worker.start();
  stops.push(() => worker.stop());
  return worker;
}

beforeAll(async () => {
  copyFileSync(fixture, join(folder.path, "answer.xml"));
  desk = await openDesk({ HEALTH_CACHE_TTL_SECONDS: "0" });
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
  await desk.db.query((sql) => sql`delete from gpu_stats`);
});
afterAll(async () => {
  await desk.close();
  await folder.remove();
});

const printing = () => tool(`cat ${join(folder.path, "answer.xml")}`);

describe("nvidia-smi runner", () => {
  it("nvidia-smi runner: asks for everything as XML", async () => {
    const command = tool(`[ "$*" = "-q -x" ] && cat ${join(folder.path, "answer.xml")}`);
    expect(await createNvidiaSmi({ command }).ask(never)).toContain("RTX 3080");
  });

  it("nvidia-smi runner: reports a missing tool, or one closed to this user", async () => {
    await expect(createNvidiaSmi({ command: "/nonexistent/nvidia-smi" }).ask(never)).rejects.toThrow("nvidia-smi is not installed");
    const closed = tool("exit 0");
    chmodSync(closed, 0o644);
    await expect(createNvidiaSmi({ command: closed }).ask(never)).rejects.toThrow("nvidia-smi is not installed");
  });

  it("nvidia-smi runner: reports a failure", async () => {
    await expect(createNvidiaSmi({ command: tool("exit 9") }).ask(never)).rejects.toThrow("exit code 9");
  });

  it("nvidia-smi runner: kills a hanging tool and does not start it twice", async () => {
    const log = join(folder.path, "starts");
    const smi = createNvidiaSmi({ command: tool(`echo x >> ${log}; exec sleep 60`), timeoutMs: 300 });
    const first = smi.ask(never);
    await expect(smi.ask(never)).rejects.toThrow("hangs");
    await expect(first).rejects.toThrow("within 0.3 s");
    await eventually(async () => {
      await expect(smi.ask(never)).rejects.toThrow("within 0.3 s");
      return true;
    });
  });

  it("nvidia-smi runner: limits the output", async () => {
    await expect(createNvidiaSmi({ command: tool("exec yes") }).ask(never)).rejects.toThrow("without end");
  });

  it("nvidia-smi runner: stops with the worker", async () => {
    const stop = new AbortController();
    const asked = createNvidiaSmi({ command: tool("exec sleep 60") }).ask(stop.signal);
    stop.abort();
    await expect(asked).rejects.toThrow("cancelled");
  });
});

describe("GPU worker", () => {
  it("GPU worker: stores the card's values and the detector's speed", async () => {
    const now = new Date();
    await desk.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('a', 'A', '/a') on conflict do nothing`;
      await sql`
        insert into images (camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, inference_ms, started_at, finished_at)
        values ('a', '/a/1', 1, 1, 'watch', ${now}, ${now}, 'processed', 20, ${now}, ${now}),
          ('a', '/a/2', 1, 1, 'watch', ${now}, ${now}, 'processed', 30, ${now}, ${now}),
          ('a', '/a/3', 1, 1, 'watch', ${now}, ${now}, 'processed', 900, ${now}, ${new Date(now.getTime() - 90_000)})
      `;
    });
    const worker = await monitor(printing());
    const stats = await eventually(() => desk.db.query((sql) => latestGpuStats(sql, new Date(0))));
    expect(stats).toMatchObject({ ...readNvidiaSmi(await createNvidiaSmi({ command: printing() }).ask(never))[0], inference_fps: 40 });
    expect(stats.recorded_at?.getTime()).toBeGreaterThan(now.getTime() - 1_000);
    expect(worker.message?.()).toBeNull();
  });

  it("GPU worker: reports a missing tool and stores nothing", async () => {
    const worker = await monitor("/nonexistent/nvidia-smi");
    await eventually(() => worker.message?.() === "nvidia-smi is not installed");
    expect(await desk.db.query((sql) => latestGpuStats(sql, new Date(0)))).toBeUndefined();
  });

  it("GPU worker: reports a failing tool and continues", async () => {
    const worker = await monitor(tool("exit 9"));
    await eventually(() => worker.message?.()?.includes("exit code 9"));
    const other = await monitor(tool("echo nonsense"));
    await eventually(() => other.message?.()?.includes("XML"));
  });

  it("GPU worker: stops at once while the tool hangs", timed, async () => {
    const worker = await monitor(tool("exec sleep 60"), 50_000);
    await sleep(100);
    const begun = performance.now();
    await worker.stop();
    expect(performance.now() - begun).toBeLessThan(1_000);
  });
});

describe("GPU routes", () => {
  const look = { ...readNvidiaSmiFixture(), inference_fps: 40 };

  it("GPU routes: all fields are null without a card or with an old sample", async () => {
    desk.at("2026-03-01T12:00:00Z");
    const empty = await desk.ask("getGpuStats");
    expect(new Set(Object.values(empty))).toEqual(new Set([null]));
    expect(Object.keys(empty)).toHaveLength(27);
    await desk.db.query((sql) => insertGpuStats(sql, new Date("2026-03-01T11:59:00Z"), look));
    expect(await desk.ask("getGpuStats")).toEqual(empty);
  });

  it("GPU routes: return the newest sample", async () => {
    desk.at("2026-03-01T12:00:00Z");
    await desk.db.query(async (sql) => {
      await insertGpuStats(sql, new Date("2026-03-01T11:59:50Z"), { ...look, utilization: 1 });
      await insertGpuStats(sql, new Date("2026-03-01T11:59:55.123Z"), { ...look, utilization: 99.5, throttle_reasons: null });
    });
    expect(await desk.ask("getGpuStats")).toEqual({
      ...look,
      recorded_at: "2026-03-01T11:59:55.123Z",
      utilization: 99.5,
      throttle_reasons: [],
    });
  });

  it("GPU routes: average over intervals, oldest first, without empty ones", async () => {
    desk.at("2026-03-01T12:02:00Z");
    await desk.db.query(async (sql) => {
      const store = (time: string, changes: Partial<typeof look>) =>
        insertGpuStats(sql, new Date(`2026-03-01T${time}Z`), { ...look, ...changes });
      await store("10:00:00", { utilization: 50 });
      await store("11:50:00", { utilization: 10, pstate: "P8", throttle_reasons: ["gpu_idle"] });
      await store("11:54:59.999", { utilization: 21, pstate: "P0", throttle_reasons: ["sw_power_cap", "gpu_idle"], power_usage: null });
      await store("12:00:00", { utilization: null });
    });
    const { items, ...rest } = await desk.ask("getGpuHistory", { query: "hours=1" });
    expect(rest).toEqual({ interval: "5m", hours: 1, count: 2 });
    expect(items).toMatchObject([
      {
        recorded_at: "2026-03-01T11:50:00.000Z",
        utilization: 15.5,
        pstate: "P0",
        throttle_reasons: ["gpu_idle", "sw_power_cap"],
        power_usage: look.power_usage,
        gpu_name: look.gpu_name,
      },
      { recorded_at: "2026-03-01T12:00:00.000Z", utilization: null },
    ]);
    const hourly = await desk.ask("getGpuHistory", { query: "interval=1h" });
    expect(hourly.items.map((item) => item.recorded_at?.slice(11, 16))).toEqual(["10:00", "11:00", "12:00"]);
    expect((await desk.ask("getGpuHistory", { query: "interval=1m" })).count).toBe(4);
  });

  it("GPU routes: refuse other hours and intervals", async () => {
    for (const query of ["hours=0", "hours=169", "hours=x", "interval=2m"]) {
      await expect(desk.ask("getGpuHistory", { query })).rejects.toMatchObject({ kind: "invalid" });
    }
  });

  it("GPU routes: average a week quickly, even if the planner believes the table to be empty", async () => {
    await desk.db.query(async (sql) => {
      await sql`insert into gpu_stats (recorded_at) values ('2026-02-01T00:00:00Z')`;
      await sql`delete from gpu_stats`;
      await sql`analyze gpu_stats`;
      await sql`
        insert into gpu_stats (recorded_at, utilization)
        select timestamptz '2026-03-08T00:00:00Z' - n * interval '5 seconds', n % 100
        from generate_series(1, 120960) as g (n)
      `;
    });
    desk.at("2026-03-08T00:00:00Z");
    await gpuTimed("1h", 168);
    expect(await gpuTimed("1m", 168)).toBeLessThan(5_000);
  });

  async function gpuTimed(interval: string, hours: number): Promise<number> {
    const begun = performance.now();
    const { count } = await desk.ask("getGpuHistory", { query: `hours=${hours}&interval=${interval}` });
    expect(count).toBeGreaterThanOrEqual(168);
    return performance.now() - begun;
  }
});

function readNvidiaSmiFixture() {
  const [reading] = readNvidiaSmi(readFileSync(fixture, "utf8"));
  if (!reading) throw new Error("the recording has no card");
  return reading;
}
