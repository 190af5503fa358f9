import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { createAppOf } from "../../../daemon/http/app.ts";
import { type Listening, listen } from "../../../daemon/http/listen.ts";
import { systemOperations } from "../../../src/admin/system/operations.ts";
import type { Clock } from "../../../src/base/clock/clock.ts";
import { silentLog } from "../../../src/base/log/log.ts";
import { systemRoutes } from "../../../src/contract/routes/system.ts";
import { parseConfig } from "../../../src/platform/config/parse.ts";
import { createSettings } from "../../../src/platform/config/settings.ts";
import type { DiskSpace } from "../../../src/platform/disk/disk.ts";
import { createOutbound } from "../../../src/platform/outbound/outbound.ts";
import { sealerOf } from "../../../src/platform/secrets/sealer.ts";
import { inProcessStore } from "../../../src/platform/store/open-store.ts";
import type { OperationContext } from "../../../src/work/operations/operation.ts";
import type { WorkerState } from "../../../src/work/operations/runtime.ts";
import type { UpstreamState } from "../../../src/work/operations/upstream-state.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { quietRuntime } from "../../support/runtime.ts";

const now = new Date("2026-01-31T12:00:00Z");
const noDatabase = { query: () => Promise.reject(new Error("connection refused")) };
const hanging = () => new Promise<never>(() => {});

/** State of the runtime in a test; each test changes what it needs. */
interface Facts {
  monotonic: number;
  probes: number;
  upstreams: () => Promise<readonly UpstreamState[]>;
  workers: readonly WorkerState[];
  supervisorAlive: boolean;
  freeBytes: number;
  pictureDisk: () => Promise<DiskSpace | undefined>;
  db: OperationContext["db"];
  storeVersion: () => Promise<string>;
  detectorBreaker: "open" | "closed";
}

let database: TestDatabase;
let facts: Facts;
let served: Listening;

const upstream = (name: UpstreamState["name"], healthy = true): UpstreamState => ({
  name,
  healthy,
  builtIn: true,
  url: "http://127.0.0.1:1",
  responseMs: 1,
  error: healthy ? null : "status 500",
  checkedAt: now,
});
const worker = (name: string, running = true): WorkerState => ({ name, running, critical: true, message: running ? null : "crashed" });

beforeAll(async () => {
  database = await testDatabase();
});
afterAll(async () => {
  await database.close();
});

beforeEach(async () => {
  facts = {
    monotonic: 0,
    probes: 0,
    upstreams: async () => [upstream("detector"), upstream("language_model")],
    workers: [worker("detection_worker"), worker("analysis_worker"), worker("batch_aggregator")],
    supervisorAlive: true,
    freeBytes: 50,
    pictureDisk: async () => undefined,
    db: database.db,
    storeVersion: async () => "in-process",
    detectorBreaker: "open",
  };
  const runtime = quietRuntime({
    workers: () => facts.workers,
    supervisorAlive: () => facts.supervisorAlive,
    breakers: () => [
      { name: "detector", state: facts.detectorBreaker, failure_count: 3, last_failure: now, last_success: null, reset_at: now },
      { name: "language_model", state: "closed", failure_count: 0, last_failure: null, last_success: null, reset_at: null },
    ],
    probeUpstreams: () => {
      facts.probes += 1;
      return facts.upstreams();
    },
    watcher: () => ({
      running: true,
      cameraRoot: "/cameras",
      watchMode: "notify",
      pending: 2,
      stuck: [{ path: "/cameras/a/x.jpg", reason: "incomplete", since: now }],
    }),
    pictureDisk: () => facts.pictureDisk(),
    disk: async () => ({ freeBytes: facts.freeBytes, totalBytes: 100, usedBytes: 100 - facts.freeBytes }),
    recentEvents: () => [{ timestamp: now, service: "detector", event_type: "recovery", message: "answers again" }],
  });
  const { config } = parseConfig({
    env: { HEALTH_CHECK_TIMEOUT_SECONDS: "0.2" },
    isRoot: false,
    home: "/nonexistent",
    cwd: "/nonexistent",
  });
  const clock: Clock = { now: () => now, monotonic: () => facts.monotonic };
  const context: OperationContext = {
    get db() {
      return facts.db;
    },
    store: { ...inProcessStore(), version: () => facts.storeVersion() },
    config,
    settings: createSettings({ db: database.db, config, log: silentLog, clock }),
    clock,
    log: silentLog,
    outbound: createOutbound({ allow: [] }),
    sealer: sealerOf(Buffer.alloc(32), "/nonexistent"),
    runtime,
  };
  const app = createAppOf(systemRoutes, systemOperations as never, { context, log: silentLog, allowedHosts: [], strictReplies: true });
  served = await listen({ app, host: "127.0.0.1", port: 0 });
  return () => served.close();
});

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely here
const get = async (path: string): Promise<{ status: number; body: any; ms: number }> => {
  const begun = performance.now();
  const response = await fetch(`http://127.0.0.1:${served.port}${path}`);
  const text = await response.text();
  return { status: response.status, body: text.startsWith("{") ? JSON.parse(text) : text, ms: performance.now() - begun };
};

describe("liveness", () => {
  it.each(["/health", "/api/health"])("liveness: %s needs nothing", async (path) => {
    facts.db = noDatabase as unknown as OperationContext["db"];
    expect(await get(path)).toMatchObject({ status: 200, body: { status: "alive", version: expect.stringMatching(/^\d+\.\d+\.\d+/) } });
  });
});

describe("health", () => {
  it("health: is 200 if everything is healthy, with the pool, the store's version and each service", async () => {
    const { status, body } = await get("/api/system/health");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      status: "healthy",
      services: {
        database: { status: "healthy", details: { pool: { overflow: 0, checkedin: expect.any(Number) } } },
        store: { status: "healthy", details: { version: "in-process" } },
        ai: { status: "healthy", details: { detector: "healthy", language_model: "healthy" } },
      },
      timestamp: "2026-01-31T12:00:00.000Z",
      recent_events: [{ timestamp: "2026-01-31T12:00:00.000Z", service: "detector", event_type: "recovery", message: "answers again" }],
    });
    expect(Object.keys(body.services.database.details.pool).toSorted()).toEqual(
      ["checkedin", "checkedout", "overflow", "size", "total_connections"].toSorted(),
    );
  });

  it("health: names notifications that were refused and wait, with the answer", async () => {
    await database.db.query(async (sql) => {
      await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/nowhere')`;
      await sql`
        with event as (
          insert into events (camera_id, started_at, ended_at) values ('yard', now(), now()) returning event_id
        ), alert as (
          insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at)
          select gen_random_uuid(), e.event_id, 'r', 'yard', 'high', 'k', now(), now() from event e
          returning alert_id
        )
        insert into notifications (notification_id, alert_id, kind, channel, status, reason, attempt_count, next_attempt_at, expires_at, created_at)
        select gen_random_uuid(), a.alert_id, k.kind, k.channel, 'waiting', k.reason, 1, ${now}::timestamptz + k.wait, 'infinity', ${now}
        from alert a
        cross join (values ('alert', 'email', '550 5.4.5 Daily limit exceeded', interval '10 minutes'), ('alert', 'webhook', '503', interval '30 seconds'))
          as k (kind, channel, reason, wait)
      `;
    });
    const { status, body } = await get("/api/system/health");
    await database.db.query((sql) => emptyTables(sql, "cameras"));
    expect([status, body.status]).toEqual([200, "healthy"]);
    expect(body.recent_events.filter(({ service }: { service: string }) => service === "notifications")).toEqual([
      {
        timestamp: "2026-01-31T12:00:00.000Z",
        service: "notifications",
        event_type: "delayed",
        message: "1 notification by email waits to be sent: 550 5.4.5 Daily limit exceeded; next attempt at 2026-01-31T12:10:00.000Z",
      },
    ]);
  });

  it("health: is 503 with the same body if degraded or unhealthy", async () => {
    facts.upstreams = async () => [upstream("detector", false), upstream("language_model")];
    expect(await get("/api/system/health")).toMatchObject({
      status: 503,
      body: {
        status: "degraded",
        services: { ai: { status: "degraded", details: { detector: "unhealthy" }, message: "detector: status 500" } },
      },
    });
    facts.monotonic = 6_000;
    facts.upstreams = async () => [upstream("detector", false), upstream("language_model", false)];
    expect(await get("/api/system/health")).toMatchObject({
      status: 503,
      body: { status: "unhealthy", services: { ai: { status: "unhealthy" } } },
    });
    facts.monotonic = 12_000;
    facts.db = { ...noDatabase, pool: database.db.pool } as unknown as OperationContext["db"];
    facts.upstreams = async () => [];
    expect(await get("/api/system/health")).toMatchObject({
      status: 503,
      body: {
        status: "unhealthy",
        services: { database: { status: "unhealthy", message: "PostgreSQL does not answer: connection refused" } },
      },
    });
  });

  it("health: explains why it is degraded if no service is the reason", async () => {
    facts.workers = [worker("analysis_worker", false)];
    facts.freeBytes = 4;
    facts.pictureDisk = async () => ({ freeBytes: 3, totalBytes: 100, usedBytes: 97 });
    const { body } = await get("/api/system/health");
    expect(body.status).toBe("degraded");
    expect(body.recent_events).toMatchObject([
      { service: "analysis_worker", event_type: "stopped", message: "crashed" },
      { service: "disk", event_type: "low_space", message: "4.0 % of the disk is free" },
      { service: "disk", event_type: "low_space", message: "3.0 % of the disk with CAMERA_ROOT is free" },
      { service: "detector" },
    ]);
  });

  it("health: names a stopped worker, also one that does not lower the health", async () => {
    const message = "its start has taken more than 5 s and continues";
    facts.workers = [...facts.workers, { name: "file_watcher", running: false, critical: false, message }];
    const { status, body } = await get("/api/system/health");
    expect([status, body.status]).toEqual([200, "healthy"]);
    expect(body.recent_events).toMatchObject([{ service: "file_watcher", event_type: "stopped", message }, { service: "detector" }]);
  });

  it("health: answers in time when everything hangs", async () => {
    facts.db = { query: hanging, pool: database.db.pool } as unknown as OperationContext["db"];
    facts.storeVersion = hanging;
    facts.upstreams = hanging;
    facts.pictureDisk = hanging;
    const { status, body, ms } = await get("/api/system/health");
    expect(ms).toBeLessThan(2_000);
    expect(status).toBe(503);
    expect(body).toMatchObject({
      status: "unhealthy",
      services: {
        database: { status: "unhealthy" },
        store: { status: "unhealthy", details: { version: "unknown" } },
        ai: { status: "unknown" },
      },
    });
    expect(body.services.database.message).toContain("no answer within 0.2 s");
  });

  it("health: checks run once in 5 seconds, however many clients ask", async () => {
    facts.upstreams = async () => {
      await sleep(50);
      return [upstream("detector")];
    };
    await Promise.all(Array.from({ length: 10 }, () => get("/api/system/health")));
    facts.monotonic = 4_900;
    await get("/api/system/health");
    expect(facts.probes).toBe(1);
    facts.monotonic = 5_000;
    await get("/api/system/health");
    expect(facts.probes).toBe(2);
  });

  it.each(["/api/system/health", "/api/system/health/full"])("health: %s checks anew as soon as a breaker has changed", async (path) => {
    facts.detectorBreaker = "closed";
    facts.upstreams = async () => [upstream("detector", facts.detectorBreaker === "closed"), upstream("language_model")];
    expect((await get(path)).body.status).toBe("healthy");
    facts.detectorBreaker = "open";
    expect((await get(path)).body.status).not.toBe("healthy");
    expect(facts.probes).toBe(2);
  });
});

describe("readiness", () => {
  it("readiness: is 200 with four checks and the workers", async () => {
    const { status, body } = await get("/api/system/health/ready");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      ready: true,
      status: "ready",
      checks: {
        database: { status: "healthy", error: null },
        store: { status: "healthy" },
        pipeline_workers: { status: "healthy" },
        supervisor: { status: "healthy" },
      },
    });
    expect(body.workers[0]).toEqual({ name: "detection_worker", running: true, message: null });
  });

  it("readiness: is 503 if a critical worker is down, the supervisor is silent or the database is away", async () => {
    facts.workers = [worker("detection_worker", false)];
    facts.supervisorAlive = false;
    expect(await get("/api/system/health/ready")).toMatchObject({
      status: 503,
      body: {
        ready: false,
        status: "degraded",
        checks: { pipeline_workers: { error: "detection_worker: crashed" }, supervisor: { status: "unhealthy" } },
      },
    });
    facts.db = noDatabase as unknown as OperationContext["db"];
    expect(await get("/api/system/health/ready")).toMatchObject({ status: 503, body: { ready: false, status: "not_ready" } });
  });
});

describe("pipeline", () => {
  it("pipeline: counts jobs and lists open batches", async () => {
    await database.db.transaction(async (sql) => {
      await sql`
        insert into jobs (queue, subject, position, available_at, created_at)
        values ('detect', '1', ${now}, ${now}, ${new Date(now.getTime() - 8_000)}),
          ('detect', '2', ${now}, ${new Date(now.getTime() + 60_000)}, ${now})
      `;
      await sql`insert into cameras (camera_id, name, folder_path) values ('front', 'Front', '/cameras/front')`;
      await sql`
        insert into batches (camera_id, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at)
        values ('front', ${now}, ${now}, ${now}, 3, ${new Date(now.getTime() - 20_000)}, ${new Date(now.getTime() - 5_000)})
      `;
    });
    const { status, body } = await get("/api/system/pipeline");
    expect(status).toBe(200);
    expect(body).toMatchObject({
      file_watcher: { running: true, camera_root: "/cameras", pending: 2, watch_mode: "notify", stuck: [{ reason: "incomplete" }] },
      detection_worker: { running: true, waiting: 1, deferred: 1, in_progress: 0, dead: 0, oldest_waiting_seconds: 8 },
      analysis_worker: { running: true, waiting: 0, oldest_waiting_seconds: null },
      batch_aggregator: {
        running: true,
        active_batches: 1,
        batches: [{ camera_id: "front", detection_count: 3, age_seconds: 20, last_activity_seconds: 5 }],
        batch_window_seconds: 90,
        idle_timeout_seconds: 30,
      },
      degradation: { mode: "degraded", services: { detector: "open", language_model: "closed" } },
    });
  });
});

describe("other system routes", () => {
  it("metrics: are Prometheus text", async () => {
    expect(await get("/metrics")).toMatchObject({ status: 200, body: "homesec_up 1\n" });
  });

  it("system routes: say that they need the daemon if none is running", async () => {
    const alone = { runtime: undefined } as OperationContext;
    for (const id of ["getHealth", "getReady", "getPipeline", "getMetrics"] as const) {
      await expect(systemOperations[id]({}, alone)).rejects.toMatchObject({
        kind: "invalid",
        message: expect.stringContaining("homesec serve"),
      });
    }
    await expect(systemOperations.alive({}, alone)).resolves.toMatchObject({ status: "alive" });
  });
});
