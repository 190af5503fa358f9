import { afterAll, beforeAll, expect, test } from "vitest";
import { childrenRunning } from "../../support/children.ts";
import { eventually } from "../../support/eventually.ts";
import { startWorld, type World } from "./world.ts";

/** The process of the built-in enrichment services exits repeatedly before it listens. */

let world: World;
let killing: NodeJS.Timeout | undefined;
beforeAll(async () => {
  world = await startWorld({
    builtIn: true,
    env: { HEALTH_CACHE_TTL_SECONDS: "0", VISION_EXTRACTION_ENABLED: "false", REID_ENABLED: "false" },
  });
});
afterAll(async () => {
  clearInterval(killing);
  await world.stop();
});

interface Health {
  readonly status: string;
  readonly services: { readonly ai: { readonly details: object; readonly message: string | null } };
  readonly recent_events: readonly { readonly service: string; readonly event_type: string; readonly message: string }[];
}

test("a broken built-in service: health says why, its jobs are deferred, and they resume when it works", { timeout: 90_000 }, async () => {
  killing = setInterval(() => {
    for (const pid of childrenRunning(process.pid, "builtin/enrichment")) process.kill(pid, "SIGKILL");
  }, 10);
  await world.patch("/api/system/config", { vision_extraction_enabled: true, reid_enabled: true });
  const health = () => world.get<Health>("/api/system/health");
  const why = /ended \d+ times before it was ready, last with SIGKILL/;
  await eventually(async () => why.test((await health()).services.ai.message ?? ""), { what: "the reason in health", timeoutMs: 20_000 });
  const { status, services, recent_events } = await health();
  expect(status).toBe("degraded");
  expect(services.ai.details).toMatchObject({ vision: "unhealthy", embedder: "unhealthy", enrichment: "unhealthy", detector: "healthy" });
  expect(recent_events).toContainEqual(
    expect.objectContaining({ service: "enrichment", event_type: "failure", message: expect.stringMatching(why) }),
  );

  // the job does not wait forever: it is tried, deferred, and fails after some tries
  await world.upload("yard");
  const found = await world.enrichment(1);
  expect(found).toMatchObject({ has_embedding: false, services: { vision: "failed", embedder: "failed" } });
  expect(found.errors[0]).toMatch(why);
  await eventually(async () => (await world.get<{ items: { risk_score: number }[] }>("/api/events")).items[0]?.risk_score === 42, {
    timeoutMs: 20_000,
  });

  clearInterval(killing);
  await eventually(async () => (await health()).status === "healthy", { what: "health without a hand", timeoutMs: 60_000 });
});
