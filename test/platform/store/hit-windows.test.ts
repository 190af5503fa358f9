import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { HitWindows } from "../../../src/platform/store/hit-windows.ts";
import { inProcessStore, openStore } from "../../../src/platform/store/open-store.ts";
import type { Store } from "../../../src/platform/store/store.ts";
import { redisInstalled, redisServer } from "../../support/redis.ts";
import { timed } from "../../support/timed.ts";

const windowMs = 60_000;
const keepMs = 70_000;
const rule = (max: number) => ({ windowMs, max, keepMs });

/** The plain rule: every hit is stored forever and counted again. */
function plainModel() {
  const hits = new Map<string, number[]>();
  return (key: string, at: number, max: number): boolean => {
    const times = hits.get(key) ?? [];
    const inWindow = times.filter((time) => time > at - windowMs && time <= at).length;
    hits.set(key, [...times, at]);
    return inWindow < max;
  };
}

/** Hits of a few keys, dense and with pauses around the relevant lengths. */
const sequence = fc.record({
  max: fc.integer({ min: 1, max: 6 }),
  hits: fc.array(
    fc.record({
      key: fc.constantFrom("a", "b", "c"),
      pauseMs: fc.oneof(fc.integer({ min: 0, max: 20_000 }), fc.constantFrom(0, 1, 59_999, 60_000, 60_001, 69_999, 70_000, 70_001)),
    }),
    { minLength: 1, maxLength: 60 },
  ),
});

async function agreesWithModel(store: Store, prefix: string, runs: number): Promise<void> {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(sequence, async ({ max, hits }) => {
      run += 1;
      const model = plainModel();
      let at = Date.parse("2026-03-01T12:00:00Z");
      for (const { key, pauseMs } of hits) {
        at += pauseMs;
        expect(await store.hit(`${prefix}${run}:${key}`, at, rule(max))).toBe(model(key, at, max));
      }
    }),
    { numRuns: runs },
  );
}

describe("hit counter in process", () => {
  test("hit counter in process: matches a model without limits", async () => {
    await agreesWithModel(inProcessStore(), "", 500);
  });

  test("hit counter in process: a refused hit counts too, so a client that continues stays blocked", async () => {
    const store = inProcessStore();
    const answers: boolean[] = [];
    for (let at = 0; at <= 120_000; at += 20_000) answers.push(await store.hit("k", at, rule(2)));
    expect(answers).toEqual([true, true, false, false, false, false, false]);
    expect(await store.hit("k", 120_000 + windowMs, rule(2))).toBe(true);
  });

  test("hit counter in process: memory is bounded, and idle keys are deleted first", () => {
    const windows = new HitWindows();
    for (let key = 0; key < 50_000; key += 1) windows.hit(`key ${key}`, 1_000, rule(3));
    expect(windows.size).toBe(10_000);
    windows.hit("one", 1_000 + keepMs, rule(3));
    expect(windows.size).toBe(1);
    for (let at = 0; at < 200_000; at += 1) windows.hit("one", 1_000 + keepMs + at, rule(1_000));
    expect(windows.size).toBe(1);
  });

  test("hit counter in process: a clock set back by an hour blocks no client", () => {
    const windows = new HitWindows();
    const now = 10_000_000;
    for (let hit = 0; hit < 5; hit += 1) windows.hit("k", now, rule(5));
    expect(windows.hit("k", now, rule(5))).toBe(false);
    expect(windows.hit("k", now - 3_600_000, rule(5))).toBe(true);
  });
});

describe.skipIf(!redisInstalled)("hit counter on Redis", () => {
  let server: Awaited<ReturnType<typeof redisServer>>;
  let store: Store;
  beforeAll(async () => {
    server = await redisServer();
    store = await openStore({ redisUrl: server.url, log: silentLog });
  });
  afterAll(async () => {
    await store.close();
    await server.stop();
  });

  test("hit counter on Redis: matches a model without limits", async () => {
    await agreesWithModel(store, "model", 60);
  });

  test("hit counter on Redis: two processes count together", async () => {
    const other = await openStore({ redisUrl: server.url, log: silentLog });
    const answers: boolean[] = [];
    for (let hit = 0; hit < 6; hit += 1) answers.push(await (hit % 2 === 0 ? store : other).hit("shared", 1_000 + hit, rule(4)));
    expect(answers).toEqual([true, true, true, true, false, false]);
    await other.close();
  });

  test("hit counter on Redis: a key has only the newest hits and expires 70 s after the last one", async () => {
    for (let hit = 0; hit < 50; hit += 1) await store.hit("bounded", 1_000 + hit, rule(7));
    const { Redis } = await import("ioredis");
    const look = new Redis(server.url);
    expect(await look.llen("homesec:hits:bounded")).toBe(7);
    const left = await look.pttl("homesec:hits:bounded");
    expect(left).toBeGreaterThan(60_000);
    expect(left).toBeLessThanOrEqual(keepMs);
    await look.quit();
  });

  test("hit counter on Redis: a server that hangs costs one wait of 250 ms, and is used again when it is back", timed, async () => {
    const waited = async (): Promise<number> => {
      const begun = performance.now();
      await expect(store.hit("hung", 1, rule(1))).rejects.toThrow();
      return performance.now() - begun;
    };
    process.kill(server.pid, "SIGSTOP");
    try {
      expect(await waited()).toBeLessThan(1_000);
      // Long enough for two probes, which no caller waits for; a late timer on a busy machine is not a wait for Redis
      const waits: number[] = [];
      for (let at = 0; at < 30; at += 1) {
        waits.push(await waited());
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      expect(waits.filter((ms) => ms > 100).length).toBeLessThan(3);
    } finally {
      process.kill(server.pid, "SIGCONT");
    }
    await expect.poll(() => store.hit("back", Date.now(), rule(100)).catch(() => "away")).toBe(true);
  });
});
