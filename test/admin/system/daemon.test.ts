import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import WebSocket from "ws";
import type { TestDaemon } from "../../support/daemon.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { ask, type Running, running } from "./running.ts";

let world: Running;
let daemon: TestDaemon;

beforeEach(async () => {
  world = await running();
  daemon = await world.start({ BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1", LANGUAGE_MODEL_PICTURES: "local" });
});
afterEach(() => world.close());

const upload = async (name: string) => await renameIn(join(daemon.cameraRoot, "yard", name), await uniqueJpeg());
const get = async (path: string) => (await ask(daemon, `GET ${path}`)).body;

/** Makes the detector fail until its breaker is open. */
async function openBreaker(): Promise<void> {
  await world.detector.setMode("error");
  for (let n = 0; n < 4; n += 1) await upload(`fail-${n}.jpg`);
  await eventually(async () => (await breaker("detector")).state === "open");
}

const breaker = async (name: string) => {
  const { breakers } = await get("/api/system/circuit-breakers");
  return breakers.find((entry: { name: string }) => entry.name === name);
};

describe("circuit breakers", () => {
  it("circuit breakers: all five are always listed", async () => {
    const { breakers } = await get("/api/system/circuit-breakers");
    const fresh = { state: "closed", failure_count: 0, last_failure: null };
    expect(breakers).toEqual(
      ["detector", "language_model", "vision", "embedder", "enrichment"].map((name) => ({ name, ...fresh, last_success: null })),
    );
    expect(await ask(daemon, "POST /api/system/circuit-breakers/nobody/reset")).toMatchObject({
      status: 404,
      body: { detail: expect.stringContaining("nobody") },
    });
  });

  it("circuit breakers: a reset resumes all waiting work at once", async () => {
    await openBreaker();
    expect(await breaker("detector")).toMatchObject({ failure_count: 3, reset_at: expect.stringMatching(/Z$/) });
    const { status, body } = await ask(daemon, "GET /api/system/health/full");
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: "degraded",
      circuit_breakers: { total: 5, closed: 4, open: 1, half_open: 0, breakers: { detector: "open", vision: "closed" } },
      ai_services: [
        {
          name: "detector",
          display_name: "Detector",
          status: "unhealthy",
          circuit_state: "open",
          error: "circuit breaker open: status 500: the service failed; its log says why",
        },
        { name: "language_model", status: "healthy", circuit_state: "closed", error: null, url: world.model.url },
      ],
    });
    // A failed picture is pending once its outcome is stored.
    await eventually(async () => (await get("/api/images?status=deferred")).items.length === 4);
    await world.detector.setMode("ok");
    expect(await ask(daemon, "POST /api/system/circuit-breakers/detector/reset")).toMatchObject({
      status: 200,
      body: { name: "detector", previous_state: "open", state: "closed", message: expect.any(String), timestamp: expect.any(String) },
    });
    // Half a minute earlier than without the reset.
    await eventually(async () => (await get("/api/detections")).pagination.total === 4);
    expect((await ask(daemon, "POST /api/system/circuit-breakers/detector/reset")).body.previous_state).toBe("closed");
  });
});

describe("a service whose answers are not about the picture", () => {
  it("health: names the status and the fix until a call succeeds, and no picture is lost", async () => {
    const error = /status 401: the service asks for a key.* set DETECTOR_URL to a proxy that adds the key/;
    await world.detector.setMode(401);
    for (let n = 0; n < 3; n += 1) await upload(`key-${n}.jpg`);
    const health = () => get("/api/system/health");
    await eventually(async () => (await breaker("detector")).state === "open");
    expect(await health()).toMatchObject({
      status: "degraded",
      services: { ai: { message: expect.stringMatching(error) } },
      recent_events: expect.arrayContaining([
        { timestamp: expect.any(String), service: "detector", event_type: "circuit_open", message: expect.stringMatching(error) },
      ]),
    });
    await eventually(async () => (await get("/api/images?status=deferred")).items.length === 3);
    expect(await get("/api/dlq/stats")).toMatchObject({ total_count: 0 });
    await world.detector.setMode("ok");
    await ask(daemon, "POST /api/system/circuit-breakers/detector/reset");
    await eventually(async () => (await get("/api/detections")).pagination.total === 3);
    expect((await health()).services.ai).toMatchObject({ status: "healthy" });
  });
});

describe("dead letters", () => {
  it("dead letters: describe their subject and can be retried or deleted", async () => {
    await world.detector.setMode("refuse");
    for (const name of ["a.jpg", "b.jpg", "c.jpg"]) await upload(name);
    await eventually(async () => (await get("/api/dlq/stats")).total_count === 3);
    expect(await get("/api/dlq/stats")).toEqual({ queues: { detect: 3, enrich: 0, analyze: 0, alert: 0, deliver: 0 }, total_count: 3 });

    const first = await get("/api/dlq/detect?limit=2");
    expect(first).toMatchObject({ items: [{}, {}], pagination: { total: 3, has_more: true } });
    const rest = await get(`/api/dlq/detect?limit=2&cursor=${first.pagination.next_cursor}`);
    const letters = [...first.items, ...rest.items];
    expect(new Set(letters.map(({ image }) => image.path.split("/").at(-1)))).toEqual(new Set(["a.jpg", "b.jpg", "c.jpg"]));
    expect(letters[0]).toMatchObject({
      queue: "detect",
      error: expect.stringContaining("refused"),
      attempts: 1,
      failed_at: expect.any(String),
      event: null,
      image: { camera_id: "yard", status: "skipped", reason: "refused" },
    });
    expect((await get("/api/dlq/detection_queue")).pagination.total).toBe(3);
    expect(await get(`/api/dlq/detect?job_id=${letters[1].job_id}`)).toMatchObject({ items: [{ job_id: letters[1].job_id }] });

    await world.detector.setMode("ok");
    expect(await ask(daemon, `POST /api/dlq/detect/requeue?job_id=${letters[0].job_id}`)).toMatchObject({
      status: 200,
      body: { queue: "detect", requeued: 1 },
    });
    await eventually(async () => (await get("/api/detections")).pagination.total === 1);
    expect(await ask(daemon, `DELETE /api/dlq/detect?job_id=${letters[1].job_id}`)).toMatchObject({ status: 200, body: { purged: 1 } });
    expect((await ask(daemon, "POST /api/dlq/detect/requeue")).body).toEqual({ queue: "detect", requeued: 1 });
    await eventually(async () => (await get("/api/detections")).pagination.total === 2);
    expect(await get("/api/dlq/stats")).toMatchObject({ total_count: 0 });
  });

  it("dead letters: a retried event is pending again and announced live", async () => {
    await world.model.setMode("refuse");
    await upload("a.jpg");
    const [event] = await eventually(async () => {
      const { items } = await get("/api/events");
      return items[0]?.analysis_status === "failed" && items;
    });
    expect((await get("/api/dlq/analyze")).items).toMatchObject([
      { subject: String(event.id), image: null, event: { event_id: event.id, camera_id: "yard", analysis_status: "failed" } },
    ]);
    await world.model.setMode("ok");
    expect((await ask(daemon, "POST /api/dlq/analyze/requeue")).body).toEqual({ queue: "analyze", requeued: 1 });
    await eventually(async () => (await get(`/api/events/${event.id}`)).risk_score === 42);
    const model = await eventually(async () => {
      const { ai_services: services } = await get("/api/system/health/full");
      return services.find(({ name, status }: Record<string, string>) => name === "language_model" && status === "healthy");
    });
    expect(model.note).toContain("does not see pictures: the API /completion takes none");
  });

  it("dead letters: an unknown queue or job is 404", async () => {
    for (const call of ["GET /api/dlq/nothing", "POST /api/dlq/nothing/requeue", "DELETE /api/dlq/nothing"]) {
      expect(await ask(daemon, call)).toMatchObject({ status: 404, body: { detail: expect.stringContaining("detect, enrich, analyze") } });
    }
    for (const call of ["GET /api/dlq/detect", "POST /api/dlq/detect/requeue", "DELETE /api/dlq/detect"]) {
      expect(await ask(daemon, `${call}?job_id=7`)).toMatchObject({ status: 404, body: { detail: expect.stringContaining("7") } });
      expect((await ask(daemon, `${call}?job_id=x`)).status).toBe(422);
    }
    expect((await ask(daemon, "DELETE /api/dlq/analyze")).body).toEqual({ queue: "analyze", purged: 0 });
  });
});

describe("health", () => {
  it("health: the full report covers every part", async () => {
    const { status, body } = await ask(daemon, "GET /api/system/health/full");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "healthy",
      ready: true,
      message: "Everything works",
      database: { name: "database", status: "healthy", details: { pool: { size: 10 } } },
      store: { name: "store", status: "healthy", details: { version: expect.stringMatching(/^(in-process$|redis |valkey )/) } },
      version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    });
    const known = body.workers.map(({ name }: { name: string }) => name);
    for (const name of [
      "gpu_monitor",
      "cleanup_service",
      "file_cleaner",
      "file_watcher",
      "detection_worker",
      "analysis_worker",
      "batch_aggregator",
    ]) {
      expect(known).toContain(name);
    }
    expect(body.workers.filter(({ critical }: { critical: boolean }) => critical).map(({ name }: { name: string }) => name)).toEqual(
      expect.arrayContaining(["detection_worker", "analysis_worker"]),
    );
  });

  it("health: live messages are reported from the hub", async () => {
    expect(await get("/api/system/health/websocket")).toEqual({
      status: "healthy",
      connected_clients: 0,
      broadcaster_running: true,
      last_broadcast: null,
    });
    const socket = new WebSocket(`${daemon.url.replace("http", "ws")}/ws/events`);
    await new Promise((resolve) => socket.once("open", resolve));
    await upload("a.jpg");
    const health = await eventually(async () => {
      const now = await get("/api/system/health/websocket");
      return now.connected_clients === 1 && now.last_broadcast !== null && now;
    });
    expect(Date.parse(health.last_broadcast)).toBeGreaterThan(Date.now() - 20_000);
    expect((await get("/api/system/telemetry")).websocket).toMatchObject({ connected_clients: 1 });
    socket.close();
  });

  it("health: the monitoring route always answers 200", async () => {
    expect(await get("/api/system/monitoring/targets")).toEqual({
      targets: [
        { name: "homesec", url: daemon.url, health_endpoint: `${daemon.url}/api/system/health` },
        { name: "detector", url: world.detector.url, health_endpoint: `${world.detector.url}/health` },
        { name: "language_model", url: world.model.url, health_endpoint: `${world.model.url}/health` },
      ],
    });
    await world.detector.setMode("down");
    await sleep(2_100);
    expect(await ask(daemon, "GET /api/system/monitoring/health")).toMatchObject({
      status: 200,
      body: {
        status: "up",
        checks: {
          database: { status: "healthy", error: null, latency_ms: expect.any(Number) },
          store: { status: "healthy" },
          ai_services: { status: "degraded", error: expect.stringContaining("detector") },
        },
      },
    });
  });

  it("health: answers in time while a service hangs and many clients ask at once", async () => {
    await world.detector.setMode("hang");
    await sleep(2_100);
    const begun = performance.now();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => ask(daemon, n % 2 === 0 ? "GET /api/system/health" : "GET /api/system/health/full")),
    );
    expect(performance.now() - begun).toBeLessThan(10_000);
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]));
  });
});

describe("metrics", () => {
  it("metrics: come from the data that the pipeline stored", async () => {
    await ask(daemon, "POST /api/cameras", { body: { name: "Yard" } });
    // A picture counts as live once its folder is watched.
    await sleep(1_000);
    await upload("a.jpg");
    await eventually(async () => (await get("/api/events")).items[0]?.analysis_status === "completed");
    const { queues, latencies, api_requests } = await get("/api/system/telemetry");
    expect(queues).toEqual({ detection_queue: 0, analysis_queue: 0, delivery_queue: 0 });
    for (const stage of ["watch", "detect", "batch", "analyze"]) {
      const { min_ms, p50_ms, p95_ms, p99_ms, max_ms, avg_ms, sample_count } = latencies[stage];
      expect(sample_count, stage).toBe(1);
      expect([p50_ms, p95_ms, p99_ms, max_ms, avg_ms]).toEqual(Array(5).fill(min_ms));
      expect(min_ms).toBeGreaterThanOrEqual(0);
    }
    expect(latencies.batch.avg_ms).toBeGreaterThan(500);
    expect(api_requests).toMatchObject({ total: expect.any(Number), by_status: { 200: expect.any(Number) }, p50_ms: expect.any(Number) });
    const latency = await get("/api/system/pipeline-latency?window_minutes=5");
    expect(latency.total_pipeline.avg_ms).toBeGreaterThanOrEqual(latency.detect_to_batch.avg_ms);
    expect(latency.watch_to_detect.sample_count).toBe(1);
    expect((await ask(daemon, "GET /api/system/pipeline-latency?window_minutes=0")).status).toBe(422);

    const storage = await get("/api/system/storage");
    const bytes = (await uniqueJpeg()).length;
    expect(storage).toMatchObject({
      images: { file_count: 1, size_bytes: bytes },
      events_count: 1,
      detections_count: 1,
    });
    expect(storage.disk_total_bytes).toBeGreaterThanOrEqual(storage.disk_used_bytes + storage.disk_free_bytes);
    expect(storage.database_bytes).toBeGreaterThan(1_000_000);
  });

  it("metrics: name every worker", async () => {
    const { workers } = await get("/api/system/workers");
    expect(workers).toContainEqual({ name: "gpu_monitor", running: true, message: expect.toSatisfy((it) => it === null || it !== "") });
    expect(workers).toContainEqual({ name: "cleanup_service", running: true, message: null });
  });
});
