import { expect, it } from "vitest";
import { silentLog } from "../../../src/base/log/log.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import { createLimiter } from "../../../src/platform/limits/limiter.ts";
import { allowancesOf } from "../../../src/platform/limits/tiers.ts";
import { openStore } from "../../../src/platform/store/open-store.ts";

const configured = (env: Record<string, string>) =>
  allowancesOf(parseConfig({ env, isRoot: false, home: "/home/ada", cwd: "/srv" }).config);

function virtualClock() {
  let now = new Date("2026-03-01T12:00:00.250Z");
  return {
    now: () => now,
    monotonic: () => now.getTime(),
    pass: (seconds: number) => {
      now = new Date(now.getTime() + seconds * 1_000);
    },
  };
}

it("rate limits: the default tiers match the interface", () => {
  expect(configured({})).toEqual({
    default: { requestsPerMinute: 60, burst: 10 },
    media: { requestsPerMinute: 120, burst: 10 },
    websocket: { requestsPerMinute: 100, burst: 2 },
    search: { requestsPerMinute: 30, burst: 10 },
    export: { requestsPerMinute: 10, burst: 0 },
    ai_inference: { requestsPerMinute: 10, burst: 3 },
    bulk: { requestsPerMinute: 10, burst: 2 },
  });
});

it("rate limits: use each tier's variables, and RATE_LIMIT_BURST for the default tier only", () => {
  expect(
    configured({
      RATE_LIMIT_REQUESTS_PER_MINUTE: "1",
      RATE_LIMIT_BURST: "2",
      RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: "3",
      RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: "4",
      RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: "5",
      RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: "6",
      RATE_LIMIT_AI_INFERENCE_REQUESTS_PER_MINUTE: "7",
      RATE_LIMIT_AI_INFERENCE_BURST: "8",
      RATE_LIMIT_BULK_REQUESTS_PER_MINUTE: "9",
      RATE_LIMIT_BULK_BURST: "10",
    }),
  ).toEqual({
    default: { requestsPerMinute: 1, burst: 2 },
    media: { requestsPerMinute: 3, burst: 10 },
    websocket: { requestsPerMinute: 4, burst: 2 },
    search: { requestsPerMinute: 5, burst: 10 },
    export: { requestsPerMinute: 6, burst: 0 },
    ai_inference: { requestsPerMinute: 7, burst: 8 },
    bulk: { requestsPerMinute: 9, burst: 10 },
  });
});

it("rate limits: count per tier and client, over a sliding window", async () => {
  const clock = virtualClock();
  const store = await openStore({ log: silentLog });
  const limiter = createLimiter({ store, allowances: configured({}), clock, log: silentLog });
  for (let count = 0; count < 10; count += 1) {
    expect(await limiter.count("export", "192.0.2.1")).toBeUndefined();
    clock.pass(1);
  }
  expect(await limiter.count("export", "192.0.2.1")).toEqual({
    tier: "export",
    total: 10,
    resetAt: new Date("2026-03-01T12:01:10.250Z"),
  });
  expect(await limiter.count("export", "192.0.2.2")).toBeUndefined();
  expect(await limiter.count("bulk", "192.0.2.1")).toBeUndefined();
  clock.pass(49);
  expect(await limiter.count("export", "192.0.2.1")).toBeDefined();
  // 62 s after the first: seven of the first ten and the two refused ones are in the window
  clock.pass(3);
  expect(await limiter.count("export", "192.0.2.1")).toBeUndefined();
});

it("rate limits: allow everything while the store is down, and log it once", async () => {
  const said: string[] = [];
  const log = { ...silentLog, warn: (_: object, message: string) => said.push(message) };
  const store = await openStore({ redisUrl: "redis://127.0.0.1:1", log: silentLog });
  const limiter = createLimiter({ store, allowances: configured({}), clock: virtualClock(), log });
  const begun = performance.now();
  for (let count = 0; count < 100; count += 1) expect(await limiter.count("export", "192.0.2.1")).toBeUndefined();
  expect(performance.now() - begun).toBeLessThan(2_000);
  expect(said).toHaveLength(1);
  await store.close();
});
