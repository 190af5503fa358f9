// Over 400 lines: the statements of the interface outside its tables, in its order. They share one database and one pair of services.
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import WebSocket from "ws";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

let database: TestDatabase;
let detector: StandIn;
let model: StandIn;

/** A daemon with these variables on the shared database. */
async function withDaemon<T>(env: Readonly<Record<string, string>>, work: (daemon: TestDaemon) => Promise<T>): Promise<T> {
  const daemon = await testDaemon({
    env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, RATE_LIMIT_ENABLED: "false", ...env },
  });
  try {
    return await work(daemon);
  } finally {
    await daemon.stop();
  }
}

const ask = async (url: string, init: RequestInit & { readonly json?: unknown } = {}) => {
  const { json, ...rest } = init;
  const response = await fetch(url, {
    ...rest,
    ...(json !== undefined && { body: JSON.stringify(json), headers: { "content-type": "application/json" } }),
  });
  const text = await response.text();
  const isJson = response.headers.get("content-type")?.includes("json") === true;
  return { status: response.status, headers: response.headers, body: isJson ? (JSON.parse(text) as Record<string, unknown>) : text };
};

/** How a WebSocket connection ended, and the messages received before. */
function connect(url: string, protocols: readonly string[] = []) {
  return new Promise<{ readonly code: number; readonly reason: string; readonly messages: readonly string[]; readonly protocol: string }>(
    (resolve, reject) => {
      const socket = new WebSocket(url.replace("http", "ws"), [...protocols]);
      const messages: string[] = [];
      let protocol = "";
      socket.on("open", () => {
        protocol = socket.protocol;
      });
      socket.on("message", (data) => {
        messages.push(String(data));
        if (messages.length === 1) socket.close(1000);
      });
      socket.on("close", (code, reason) => resolve({ code, reason: String(reason), messages, protocol }));
      socket.on("error", reject);
    },
  );
}

beforeAll(async () => {
  [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
});
afterAll(async () => {
  await Promise.all([detector.close(), model.close(), database.close()]);
});

describe("Authentication", () => {
  const keys = { API_KEY_ENABLED: "true", API_KEYS: '["first-key-1234567890","second-key-1234567890"]' };

  test("rules 1 to 4 and the 401 bodies, through one daemon with keys", async () => {
    await withDaemon(keys, async ({ url }) => {
      const list = `${url}/api/events`;
      expect(await ask(list)).toMatchObject({ status: 401, body: { detail: "API key required" } });
      expect(await ask(list, { headers: { "X-API-Key": "wrong" } })).toMatchObject({ status: 401, body: { detail: "Invalid API key" } });
      expect((await ask(list, { headers: { "X-API-Key": "second-key-1234567890" } })).status).toBe(200);
      expect((await ask(`${list}?api_key=first-key-1234567890`)).status).toBe(200);
      // with both present, the header wins
      expect((await ask(`${list}?api_key=first-key-1234567890`, { headers: { "X-API-Key": "wrong" } })).status).toBe(401);
      expect((await ask(`${list}?api_key=wrong`, { headers: { "X-API-Key": "first-key-1234567890" } })).status).toBe(200);
      for (const path of ["/health", "/api/health"]) expect((await ask(url + path)).status).toBe(200);
      for (const path of [
        "/api/cameras/none/snapshot",
        "/api/detections/999999/thumbnail",
        "/api/detections/999999/image",
        "/api/detections/999999/video",
      ]) {
        expect([path, (await ask(url + path)).status]).toEqual([path, 404]);
      }
      for (const path of ["/metrics", "/openapi.json", "/api/detections/999999/video/thumbnail", "/api/system/health"]) {
        expect([path, (await ask(url + path)).status]).toEqual([path, 401]);
      }
    });
  });

  test("rule 1: off by default", async () => {
    await withDaemon({ API_KEYS: "first-key-1234567890,second-key-1234567890" }, async ({ url }) => {
      expect((await ask(`${url}/api/events`)).status).toBe(200);
    });
  });

  test("rule 5: WebSocket takes the query parameter first and the subprotocol else; refusals close with 1008", async () => {
    await withDaemon(keys, async ({ url }) => {
      const events = `${url}/ws/events`;
      expect(await connect(events)).toMatchObject({ code: 1008, messages: [] });
      expect((await connect(`${events}?api_key=first-key-1234567890`)).messages.length).toBe(1);
      expect(await connect(events, ["api-key.second-key-1234567890"])).toMatchObject({
        protocol: "api-key.second-key-1234567890",
        code: 1000,
      });
      expect((await connect(`${events}?api_key=wrong`, ["api-key.first-key-1234567890"])).code).toBe(1008);
      expect((await connect(events, ["api-key.wrong"])).code).toBe(1008);
    });
  });
});

describe("Analytics", () => {
  const paths = [
    "detection-trends",
    "risk-history",
    "camera-uptime",
    "object-distribution",
    "risk-score-distribution",
    "risk-score-trends",
  ].map((name) => `/api/analytics/${name}`);

  test("dates: both required, readable, in order, at most 365 days", async () => {
    await withDaemon({}, async ({ url }) => {
      for (const path of paths) {
        const status = async (query: string) => (await ask(`${url}${path}?${query}`)).status;
        expect([path, await status("")]).toEqual([path, 422]);
        expect([path, await status("start_date=2026-01-01")]).toEqual([path, 422]);
        expect([path, await status("start_date=2026-01-01&end_date=soon")]).toEqual([path, 422]);
        expect([path, await status("start_date=2026-02-30&end_date=2026-03-01")]).toEqual([path, 422]);
        expect([path, await status("start_date=2026-01-02&end_date=2026-01-01")]).toEqual([path, 400]);
        expect([path, await status("start_date=2025-01-01&end_date=2025-12-31")]).toEqual([path, 200]);
        expect([path, await status("start_date=2025-01-01&end_date=2026-01-01")]).toEqual([path, 400]);
      }
      const wrong = await ask(`${url}${paths[0]}?start_date=2026-01-02&end_date=2026-01-01`);
      expect(typeof (wrong.body as { detail: unknown }).detail).toBe("string");
    });
  });

  test("rule 3: answers are cached for 5 minutes with an ETag, and a client with a current copy gets 304", async () => {
    await withDaemon({}, async ({ url }) => {
      for (const path of paths) {
        const full = `${url}${path}?start_date=2026-01-01&end_date=2026-01-02`;
        const first = await ask(full);
        expect(first.headers.get("cache-control")).toBe("max-age=300, private");
        const etag = first.headers.get("etag") as string;
        expect(etag).toBeTruthy();
        expect((await ask(full, { headers: { "If-None-Match": etag } })).status).toBe(304);
        expect((await ask(`${url}${path}`)).headers.get("cache-control")).not.toBe("max-age=300, private");
      }
    });
  });

  test("rules 1 and 2: uptime counts days with detections, and risk-history has its own risk levels", async () => {
    await withDaemon({}, async ({ url }) => {
      expect((await ask(`${url}/api/cameras`, { method: "POST", json: { name: "Analytics", camera_id: "analytics" } })).status).toBe(201);
      const event = (risk_score: number, day: string) => ({ camera_id: "analytics", started_at: `${day}T12:00:00Z`, risk_score });
      const scores = [0, 29, 30, 59, 60, 84, 85, 100];
      const bulk = await ask(`${url}/api/events/bulk`, {
        method: "POST",
        json: { events: scores.map((score) => event(score, "2026-05-02")) },
      });
      expect(bulk.body).toMatchObject({ succeeded: 8, failed: 0 });
      const range = "start_date=2026-05-01&end_date=2026-05-04";
      const history = await ask(`${url}/api/analytics/risk-history?${range}`);
      const zero = { low: 0, medium: 0, high: 0, critical: 0 };
      expect((history.body as { data_points: unknown[] }).data_points).toEqual([
        { date: "2026-05-01", ...zero },
        { date: "2026-05-02", low: 2, medium: 2, high: 2, critical: 2 },
        { date: "2026-05-03", ...zero },
        { date: "2026-05-04", ...zero },
      ]);
      const detection = (day: string) => ({
        camera_id: "analytics",
        file_path: `/${day}.jpg`,
        detected_at: `${day}T23:59:59Z`,
        object_type: "cat",
        confidence: 0.9,
      });
      const days = ["2026-05-01", "2026-05-01", "2026-05-04"];
      await ask(`${url}/api/detections/bulk`, { method: "POST", json: { detections: days.map(detection) } });
      const uptime = await ask(`${url}/api/analytics/camera-uptime?${range}`);
      expect((uptime.body as { cameras: unknown[] }).cameras).toContainEqual({
        camera_id: "analytics",
        camera_name: "Analytics",
        uptime_percentage: 50,
        detection_count: 3,
      });
    });
  });
});

describe("Camera baseline configuration", () => {
  test("rules 1 to 4", async () => {
    await withDaemon({}, async ({ url }) => {
      await ask(`${url}/api/cameras`, { method: "POST", json: { name: "Baseline", camera_id: "baseline" } });
      const config = `${url}/api/cameras/baseline/baseline/config`;
      const stored = await ask(config, { method: "PUT", json: { threshold_stdev: 4, min_samples: 3 } });
      // rule 1: without the override, the camera's values are ignored
      expect(stored).toMatchObject({
        status: 200,
        body: { override_global_config: false, global_config: { threshold_stdev: 2, min_samples: 10 } },
      });
      expect((await ask(config, { method: "PUT", json: { override_global_config: true } })).body).toMatchObject({
        override_global_config: true,
      });
      // rule 2
      await database.db.query(async (sql) => {
        await sql`
          insert into activity_baselines (camera_id, day_of_week, hour, avg_count, variance, sample_count, last_hour, updated_at)
          values ('baseline', 0, 9, 4, 2, 12, now(), now()), ('baseline', 0, 10, 1, 1, 12, now(), now())
        `;
        await sql`
          insert into class_baselines (camera_id, object_class, day_of_week, hour, avg_count, variance, sample_count, updated_at)
          values ('baseline', 'person', 0, 9, 4, 2, 12, now())
        `;
      });
      const learned = async () => {
        const of = async (path: string) =>
          (await ask(`${url}/api/cameras/baseline/baseline${path}`)).body as { data_points?: number; entries?: unknown[] };
        return [(await of("")).data_points, (await of("/activity")).entries?.length, (await of("/classes")).entries?.length];
      };
      expect(await learned()).toEqual([24, 2, 2]);
      const reset = `${url}/api/cameras/baseline/baseline/reset`;
      expect((await ask(reset, { method: "POST" })).body).toEqual({ activity_baselines_deleted: 2, class_baselines_deleted: 1 });
      expect((await ask(reset, { method: "POST" })).body).toEqual({ activity_baselines_deleted: 0, class_baselines_deleted: 0 });
      expect(await learned()).toEqual([0, 0, 0]);
      // rule 3
      for (const path of ["config", "reset"]) {
        const method = path === "config" ? "GET" : "POST";
        const missing = await ask(`${url}/api/cameras/nobody/baseline/${path}`, { method });
        expect(missing).toMatchObject({ status: 404, body: { detail: expect.stringContaining("nobody") } });
      }
      // rule 4
      for (const json of [{ threshold_stdev: 0.4 }, { threshold_stdev: 5.1 }, { min_samples: 0 }, { min_samples: 1.5 }]) {
        const refused = await ask(config, { method: "PUT", json });
        expect([json, refused.status]).toEqual([json, 422]);
        expect((refused.body as { detail: unknown[] }).detail).toMatchObject([
          { loc: ["body", Object.keys(json)[0]], msg: expect.any(String) },
        ]);
      }
      for (const json of [{ threshold_stdev: 0.5 }, { threshold_stdev: 5 }, { min_samples: 1 }]) {
        expect([json, (await ask(config, { method: "PUT", json })).status]).toEqual([json, 200]);
      }
    });
  });
});

describe("Rule evaluation", () => {
  test("items 1 to 5: each condition, all of them together, and those that are not set", async () => {
    await withDaemon({}, async ({ url }) => {
      for (const camera_id of ["gate", "shed"]) await ask(`${url}/api/cameras`, { method: "POST", json: { name: camera_id, camera_id } });
      const seen = async (camera_id: string, object_type: string, confidence: number) => {
        const detection = { camera_id, file_path: "/x.jpg", detected_at: "2026-05-01T12:00:00Z", object_type, confidence };
        const { body } = await ask(`${url}/api/detections/bulk`, { method: "POST", json: { detections: [detection] } });
        return (body as { results: { id: number }[] }).results[0]?.id;
      };
      const detections = [await seen("gate", "person", 0.9), await seen("shed", "dog", 0.5)];
      const event = (camera_id: string, risk_score: number, detection: unknown) => ({
        ...{ camera_id, started_at: "2026-05-01T12:00:00Z", risk_score, detection_ids: [detection] },
      });
      const stored = await ask(`${url}/api/events/bulk`, {
        method: "POST",
        json: { events: [event("gate", 70, detections[0]), event("shed", 69, detections[1])] },
      });
      const event_ids = (stored.body as { results: { id: number }[] }).results.map(({ id }) => id);
      const matching = async (conditions: object, at?: string) => {
        const rule = await ask(`${url}/api/alerts/rules`, { method: "POST", json: { name: "Rule", ...conditions } });
        expect(rule.status).toBe(201);
        const json = { event_ids, ...(at !== undefined && { at }) };
        const test = await ask(`${url}/api/alerts/rules/${(rule.body as { id: string }).id}/test`, { method: "POST", json });
        const { results } = test.body as { results: { event_id: number; matches: boolean }[] };
        return ["gate", "shed"].filter((_, index) => results.some((one) => one.matches && one.event_id === event_ids[index]));
      };
      // rule 1
      expect(await matching({ risk_threshold: 70 })).toEqual(["gate"]);
      expect(await matching({ risk_threshold: 69 })).toEqual(["gate", "shed"]);
      // rule 2
      expect(await matching({ object_types: ["dog", "cat"] })).toEqual(["shed"]);
      // rule 3
      expect(await matching({ camera_ids: ["shed"] })).toEqual(["shed"]);
      expect(await matching({ camera_ids: [] })).toEqual(["gate", "shed"]);
      // rule 4
      expect(await matching({ min_confidence: 0.5 })).toEqual(["gate", "shed"]);
      expect(await matching({ min_confidence: 0.51 })).toEqual(["gate"]);
      // rule 5
      const schedule = { days: ["friday"], start_time: "22:00", end_time: "06:00", timezone: "Europe/Berlin" };
      expect(await matching({ schedule }, "2026-05-02T03:59:00Z")).toEqual(["gate", "shed"]);
      expect(await matching({ schedule }, "2026-05-02T04:00:00Z")).toEqual([]);
      // all configured conditions must hold; others are skipped
      expect(await matching({ risk_threshold: 70, object_types: ["dog"] })).toEqual([]);
      expect(await matching({ risk_threshold: 60, object_types: ["dog"] })).toEqual(["shed"]);
      expect(await matching({})).toEqual(["gate", "shed"]);
    });
  });

  test("items 6 and 7: several rules trigger for one event, and a cooldown suppresses repeats with the same key", async () => {
    await withDaemon({}, async ({ url }) => {
      const { body: camera } = await ask(`${url}/api/cameras`, { method: "POST", json: { name: "Porch" } });
      const { camera_id } = camera as { camera_id: string };
      const rules = new Map<unknown, string>();
      for (const rule of [
        { name: "cooling", cooldown_seconds: 300 },
        { name: "cooling too", cooldown_seconds: 300, risk_threshold: 50 },
        { name: "never cooling", cooldown_seconds: 0 },
      ]) {
        const { body } = await ask(`${url}/api/alerts/rules`, {
          method: "POST",
          json: { severity: "high", camera_ids: [camera_id], ...rule },
        });
        rules.set((body as { id: string }).id, rule.name);
      }
      const alertsAfter = async (events: number, count: number) => {
        const json = { events: Array.from({ length: events }, () => ({ camera_id, started_at: "2026-05-01T12:00:00Z", risk_score: 90 })) };
        expect((await ask(`${url}/api/events/bulk`, { method: "POST", json })).status).toBe(207);
        return await eventually(async () => {
          const { body } = await ask(`${url}/api/alerts?camera_id=${camera_id}`);
          const names = (body as { items: { rule_id: string }[] }).items.flatMap(({ rule_id }) => rules.get(rule_id) ?? []);
          return names.length >= count && names.toSorted();
        });
      };
      // rule 6
      expect(await alertsAfter(1, 3)).toEqual(["cooling", "cooling too", "never cooling"]);
      // rule 7
      expect(await alertsAfter(3, 6)).toEqual([
        "cooling",
        "cooling too",
        "never cooling",
        "never cooling",
        "never cooling",
        "never cooling",
      ]);
    });
  });
});

describe("Rate limiting", () => {
  test("items 1 and 5: requests per minute plus burst are allowed, the next one is refused with headers and body", async () => {
    await withDaemon(
      {
        RATE_LIMIT_ENABLED: "true",
        RATE_LIMIT_REQUESTS_PER_MINUTE: "3",
        RATE_LIMIT_BURST: "2",
        RATE_LIMIT_SEARCH_REQUESTS_PER_MINUTE: "1",
      },
      async ({ url }) => {
        for (let n = 0; n < 5; n += 1) expect((await ask(`${url}/api/cameras`)).status).toBe(200);
        const refused = await ask(`${url}/api/cameras`);
        expect(refused).toMatchObject({
          status: 429,
          body: { detail: { error: expect.any(String), message: expect.any(String), retry_after_seconds: 60, tier: "default" } },
        });
        expect(
          Object.fromEntries(
            ["retry-after", "x-ratelimit-limit", "x-ratelimit-remaining"].map((name) => [name, refused.headers.get(name)]),
          ),
        ).toEqual({ "retry-after": "60", "x-ratelimit-limit": "5", "x-ratelimit-remaining": "0" });
        expect(Number(refused.headers.get("x-ratelimit-reset"))).toBeGreaterThan(Date.now() / 1000);
        // analytics errors are a plain string; these requests count against the same limit
        const analytics = await ask(`${url}/api/analytics/risk-history?start_date=2026-01-01&end_date=2026-01-02`);
        expect(analytics).toMatchObject({ status: 429, body: { detail: expect.any(String) } });
        // another tier has its own counter: search is 1 + burst 10
        for (let n = 0; n < 11; n += 1) expect((await ask(`${url}/api/events/search?q=x`)).status).toBe(200);
        expect(await ask(`${url}/api/events/search?q=x`)).toMatchObject({ status: 429, body: { detail: { tier: "search" } } });
        // never limited
        for (let n = 0; n < 10; n += 1) {
          expect((await ask(`${url}/health`)).status).toBe(200);
          expect((await ask(`${url}/metrics`)).status).toBe(200);
          expect((await ask(`${url}/api/system/monitoring/health`)).status).toBe(200);
        }
      },
    );
  });

  test("item 8 and the tiers: media, bulk, export and WebSocket", async () => {
    const env = {
      RATE_LIMIT_ENABLED: "true",
      RATE_LIMIT_MEDIA_REQUESTS_PER_MINUTE: "1",
      RATE_LIMIT_BULK_REQUESTS_PER_MINUTE: "1",
      RATE_LIMIT_BULK_BURST: "1",
      RATE_LIMIT_EXPORT_REQUESTS_PER_MINUTE: "1",
      RATE_LIMIT_WEBSOCKET_CONNECTIONS_PER_MINUTE: "1",
    };
    await withDaemon(env, async ({ url }) => {
      const refusedAt = async (call: () => Promise<{ status: number }>) => {
        for (let n = 1; n < 50; n += 1) if ((await call()).status === 429) return n;
        return undefined;
      };
      expect(await refusedAt(() => ask(`${url}/api/detections/999999/image`))).toBe(12);
      expect(await refusedAt(() => ask(`${url}/api/events/bulk`, { method: "DELETE", json: { event_ids: [999_999] } }))).toBe(3);
      expect(await refusedAt(() => ask(`${url}/api/events/export?format=csv`))).toBe(2);
      const codes: number[] = [];
      for (let n = 0; n < 4; n += 1) codes.push((await connect(`${url}/ws/events`)).code);
      expect(codes).toEqual([1000, 1000, 1000, 1008]);
    });
  });

  test("item 2: RATE_LIMIT_ENABLED=false switches it off", async () => {
    await withDaemon({ RATE_LIMIT_ENABLED: "false", RATE_LIMIT_REQUESTS_PER_MINUTE: "1", RATE_LIMIT_BURST: "1" }, async ({ url }) => {
      for (let n = 0; n < 10; n += 1) expect((await ask(`${url}/api/cameras`)).status).toBe(200);
    });
  });

  test("item 4: X-Forwarded-For counts from a trusted proxy only", async () => {
    // with a shared Redis, the daemons before this one would have used up the minute's requests
    const env = { RATE_LIMIT_ENABLED: "true", RATE_LIMIT_REQUESTS_PER_MINUTE: "1", RATE_LIMIT_BURST: "1", REDIS_URL: "" };
    const statuses = async (url: string) => {
      const seen: number[] = [];
      for (let n = 0; n < 4; n += 1) {
        seen.push((await ask(`${url}/api/cameras`, { headers: { "X-Forwarded-For": `203.0.113.${n}, 10.0.0.1` } })).status);
      }
      return seen;
    };
    await withDaemon(env, async ({ url }) => expect(await statuses(url)).toEqual([200, 200, 429, 429]));
    await withDaemon({ ...env, TRUSTED_PROXY_IPS: "127.0.0.0/8" }, async ({ url }) =>
      expect(await statuses(url)).toEqual([200, 200, 200, 200]),
    );
  });
});

describe("Errors", () => {
  test("404, 405, 409, 413, 415, 422 with their bodies", async () => {
    await withDaemon({}, async ({ url }) => {
      expect(await ask(`${url}/api/cameras/nobody`)).toMatchObject({ status: 404, body: { detail: expect.stringContaining("nobody") } });
      expect(await ask(`${url}/api/events/999999`)).toMatchObject({ status: 404, body: { detail: expect.stringContaining("999999") } });
      expect(await ask(`${url}/api/nothing`)).toMatchObject({ status: 404, body: { detail: expect.any(String) } });
      const method = await ask(`${url}/api/cameras`, { method: "DELETE" });
      expect([method.status, method.headers.get("allow")]).toEqual([405, expect.stringContaining("POST")]);
      await ask(`${url}/api/cameras`, { method: "POST", json: { name: "Twice" } });
      expect(await ask(`${url}/api/cameras`, { method: "POST", json: { name: "Twice" } })).toMatchObject({
        status: 409,
        body: { detail: expect.any(String) },
      });
      expect((await ask(`${url}/api/cameras`, { method: "POST", json: { name: "x".repeat(1_100_000) } })).status).toBe(413);
      expect((await ask(`${url}/api/cameras`, { method: "POST", body: "name=x", headers: { "content-type": "text/plain" } })).status).toBe(
        415,
      );
      expect(await ask(`${url}/api/cameras`, { method: "POST", json: {} })).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["body", "name"], msg: expect.any(String), type: "missing" }] },
      });
      expect(await ask(`${url}/api/events/abc`)).toMatchObject({
        status: 422,
        body: { detail: [{ loc: ["path", "event_id"], type: "int_parsing" }] },
      });
    });
  });

  test("an impossible id is not a format error", async () => {
    await withDaemon({}, async ({ url }) => {
      expect(await ask(`${url}/api/events/99999999999999999999`)).toMatchObject({
        status: 404,
        body: { detail: "Event 99999999999999999999 does not exist; no id is that long" },
      });
      expect(await ask(`${url}/api/alerts?rule_id=11111111-1111-1111-1111-111111111111`)).toMatchObject({
        status: 200,
        body: { items: [] },
      });
    });
  });

  test("offset pagination carries its warning and header", async () => {
    await withDaemon({}, async ({ url }) => {
      for (const path of ["/api/events", "/api/detections", "/api/cameras", "/api/events/deleted", "/api/outbound-webhooks"]) {
        const old = await ask(`${url}${path}?offset=0`);
        expect([path, old.headers.get("deprecation"), typeof (old.body as { deprecation_warning?: string }).deprecation_warning]).toEqual([
          path,
          "true",
          "string",
        ]);
        const fresh = await ask(`${url}${path}`);
        expect([path, fresh.headers.get("deprecation"), "deprecation_warning" in (fresh.body as object)]).toEqual([path, null, false]);
      }
    });
  });
});

describe("Input bounds", () => {
  test("each bound is accepted, and one beyond it is rejected", async () => {
    await withDaemon({}, async ({ url }) => {
      const days = "start_date=2026-01-01&end_date=2026-01-02";
      const cases: readonly [path: string, good: readonly (string | number)[], bad: readonly (string | number)[]][] = [
        [`/api/analytics/risk-score-distribution?${days}&bucket_size=`, [1, 50], [0, 51, "x", 1.5]],
        ["/api/system/gpu/stats/history?hours=", [1, 168], [0, 169, "x"]],
        ["/api/system/gpu/stats/history?interval=", ["1m", "5m", "15m", "1h"], ["2m", "", "1d"]],
        ["/api/events?limit=", [1, 1000], [0, 1001, -1, "x"]],
        ["/api/events?min_risk_score=", [0, 100], [-1, 101]],
        ["/api/detections?min_confidence=", [0, 1, 0.5], [-0.1, 1.1, "high"]],
      ];
      for (const [path, good, bad] of cases) {
        for (const value of good) expect([path, value, (await ask(url + path + value)).status]).toEqual([path, value, 200]);
        for (const value of bad) expect([path, value, (await ask(url + path + value)).status]).toEqual([path, value, 422]);
      }
    });
  });
});

describe("WebSocket", () => {
  test("/ws/events and /ws answer with `connected`, and an idle connection is closed after WEBSOCKET_IDLE_TIMEOUT_SECONDS", async () => {
    await withDaemon({ WEBSOCKET_IDLE_TIMEOUT_SECONDS: "1" }, async ({ url }) => {
      for (const path of ["/ws/events", "/ws"]) {
        expect(JSON.parse((await connect(url + path)).messages[0] as string)).toMatchObject({ type: "connected" });
      }
      const socket = new WebSocket(`${url.replace("http", "ws")}/ws/events`);
      const closed = await new Promise<[number, string]>((resolve) =>
        socket.on("close", (code, reason) => resolve([code, String(reason)])),
      );
      expect(closed).toEqual([1000, "Idle timeout"]);
    });
  });
});
