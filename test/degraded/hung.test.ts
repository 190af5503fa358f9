import { readdirSync, readFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { ask } from "../admin/system/running.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../support/pictures.ts";
import { redisInstalled, redisServer } from "../support/redis.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";

const fast = {
  BATCH_WINDOW_SECONDS: "2",
  BATCH_IDLE_TIMEOUT_SECONDS: "1",
  HEALTH_CHECK_TIMEOUT_SECONDS: "0.5",
  AI_HEALTH_CHECK_TIMEOUT_SECONDS: "0.5",
  HEALTH_CACHE_TTL_SECONDS: "0",
};

/** Each health endpoint with its status while a part hangs. */
type Expected = Readonly<Record<string, number>>;

/** Requests all of them many times at once: none may wait for the hanging part. */
async function answersInTime(daemon: TestDaemon, expected: Expected): Promise<void> {
  const paths = Object.keys(expected);
  const begun = performance.now();
  const answers = await Promise.all(
    [...paths, ...paths, ...paths, ...paths].map(async (path) => [path, (await ask(daemon, `GET ${path}`)).status]),
  );
  expect(performance.now() - begun).toBeLessThan(8_000);
  for (const [path, status] of answers) expect(status, String(path)).toBe(expected[String(path)]);
}

const upload = async (daemon: TestDaemon, name: string): Promise<void> =>
  await renameIn(join(daemon.cameraRoot, "yard", name), await uniqueJpeg());
const judgedEvents = async (daemon: TestDaemon): Promise<number> => {
  const { items } = (await ask(daemon, "GET /api/events")).body;
  return items.filter(({ analysis_status }: { analysis_status: string }) => analysis_status === "completed").length;
};

/** Returns the health history of a service, newest first. */
async function history(daemon: TestDaemon, service: string): Promise<readonly string[]> {
  const { recent_events } = (await ask(daemon, "GET /api/system/health")).body;
  type Entry = Readonly<Record<"service" | "event_type" | "message", string>>;
  return (recent_events as readonly Entry[])
    .filter((each) => each.service === service)
    .map((each) => `${each.event_type}: ${each.message}`);
}

/** A process and its children, such as a PostgreSQL server and its sessions. */
function family(pid: number): readonly number[] {
  const parentOf = (each: string): number => {
    try {
      return Number(
        readFileSync(`/proc/${each}/stat`, "utf8")
          .replace(/^.*\) \S /s, "")
          .split(" ")[0],
      );
    } catch {
      return 0; // it has just ended
    }
  };
  const all = readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  return [pid, ...all.filter((each) => parentOf(each) === pid).map(Number)];
}

describe("degraded: health answers in time and the rest resumes automatically if this hangs:", () => {
  test("the database", { timeout: 180_000 }, async () => {
    const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
    const daemon = await testDaemon({ env: { ...fast, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url } });
    const server = Number(readFileSync(join(daemon.dataDir, "postgres", "postmaster.pid"), "utf8").split("\n")[0]);
    let stopped: readonly number[] = [];
    try {
      await upload(daemon, "before.jpg");
      await eventually(async () => (await judgedEvents(daemon)) === 1);
      stopped = family(server);
      for (const pid of stopped) process.kill(pid, "SIGSTOP");
      await upload(daemon, "meanwhile.jpg");
      await answersInTime(daemon, {
        "/health": 200,
        "/api/health": 200,
        "/api/system/health": 503,
        "/api/system/health/ready": 503,
        "/api/system/health/full": 503,
        "/api/system/health/websocket": 200,
        "/api/system/monitoring/health": 200,
        "/api/system/monitoring/targets": 200,
        "/api/system/workers": 200,
        "/api/system/circuit-breakers": 200,
      });
      expect((await ask(daemon, "GET /api/system/health")).body).toMatchObject({
        status: "unhealthy",
        services: {
          database: { status: "unhealthy", message: expect.stringContaining("no answer within 0.5 s") },
          ai: { status: "healthy" },
        },
      });
      expect((await ask(daemon, "GET /api/system/health/ready")).body).toMatchObject({ ready: false, status: "not_ready" });
      await eventually(async () => (await history(daemon, "database"))[0] === "failure: no answer within 0.5 s");
      for (const pid of stopped) process.kill(pid, "SIGCONT");
      stopped = [];
      await eventually(async () => (await ask(daemon, "GET /api/system/health")).status === 200);
      await eventually(async () => (await history(daemon, "database"))[0] === "recovery: PostgreSQL answers again");
      await eventually(async () => (await judgedEvents(daemon)) === 2);
    } finally {
      for (const pid of stopped) process.kill(pid, "SIGCONT");
      await daemon.stop();
      await Promise.all([detector.close(), model.close()]);
    }
  });

  test.skipIf(!redisInstalled)("the store", { timeout: 180_000 }, async () => {
    const [database, redis, detector, model] = await Promise.all([
      testDatabase(),
      redisServer(),
      detectorStandIn(),
      languageModelStandIn(),
    ]);
    const daemon = await testDaemon({
      env: { ...fast, DATABASE_URL: database.url, REDIS_URL: redis.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url },
    });
    try {
      await upload(daemon, "before.jpg");
      await eventually(async () => (await judgedEvents(daemon)) === 1);
      process.kill(redis.pid, "SIGSTOP");
      await upload(daemon, "meanwhile.jpg");
      await answersInTime(daemon, {
        "/health": 200,
        "/api/system/health": 503,
        "/api/system/health/ready": 503,
        "/api/system/health/full": 503,
        "/api/system/health/websocket": 200,
        "/api/system/monitoring/health": 200,
        "/api/events": 200,
      });
      expect((await ask(daemon, "GET /api/system/health")).body).toMatchObject({
        status: "degraded",
        services: { database: { status: "healthy" }, store: { status: "unhealthy" } },
      });
      process.kill(redis.pid, "SIGCONT");
      await eventually(async () => (await ask(daemon, "GET /api/system/health")).status === 200);
      await eventually(async () => (await judgedEvents(daemon)) === 2);
    } finally {
      process.kill(redis.pid, "SIGCONT");
      await daemon.stop();
      await Promise.all([redis.stop(), detector.close(), model.close()]);
      await database.close();
    }
  });
});

/** A service that counts health requests and answers nothing else. */
async function patient(delayMs: number, seen: { now: number; most: number }) {
  let asked = 0;
  const server: Server = createServer(async (request, response) => {
    if (request.url !== "/health") {
      request.resume();
      response.writeHead(500).end();
      return;
    }
    asked += 1;
    seen.now += 1;
    seen.most = Math.max(seen.most, seen.now);
    await sleep(delayMs);
    seen.now -= 1;
    response.end("ok");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked: () => asked,
    close: () => new Promise((resolve) => server.close(resolve)),
  };
}

test("degraded: health checks are limited in number and skip a service whose breaker is open", async () => {
  const database = await testDatabase();
  const seen = { now: 0, most: 0 };
  const services = await Promise.all(Array.from({ length: 5 }, () => patient(60, seen)));
  const names = ["DETECTOR_URL", "LANGUAGE_MODEL_URL", "VISION_URL", "EMBEDDER_URL", "ENRICHMENT_URL"];
  const urls = Object.fromEntries(services.map(({ url }, index) => [names[index], url]));
  const all = { ...urls, VISION_EXTRACTION_ENABLED: "true", REID_ENABLED: "true" };
  const daemon = await testDaemon({ env: { ...fast, ...all, DATABASE_URL: database.url, MAX_CONCURRENT_HEALTH_CHECKS: "2" } });
  const health = () => Promise.all(Array.from({ length: 10 }, () => ask(daemon, "GET /api/system/health")));
  try {
    // The reply is cached for 2 s.
    await health();
    await sleep(2_100);
    await health();
    expect(seen.most).toBeLessThanOrEqual(2);
    const [detector, model] = services;
    expect(detector?.asked()).toBeGreaterThanOrEqual(2);

    for (const name of ["a", "b", "c"]) await upload(daemon, `${name}.jpg`);
    await eventually(async () => (await ask(daemon, "GET /api/system/health")).body.services.ai.details.detector === "unhealthy", {
      timeoutMs: 20_000,
    });
    await sleep(200);
    const [before, beforeOther] = [detector?.asked(), model?.asked()];
    await sleep(2_100);
    await health();
    expect(detector?.asked()).toBe(before);
    expect(model?.asked()).toBeGreaterThan(beforeOther ?? 0);
    await ask(daemon, "POST /api/system/circuit-breakers/detector/reset");
    await health();
    expect(detector?.asked()).toBeGreaterThan(before ?? 0);
  } finally {
    await daemon.stop();
    await Promise.all(services.map((service) => service.close()));
    await database.close();
  }
});
