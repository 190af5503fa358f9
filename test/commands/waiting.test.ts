import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { cli } from "../support/cli.ts";
import { page } from "./records.ts";

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((done) => server.close(done));
  }
});

async function standIn(listener: RequestListener, port = 0): Promise<number> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((done) => server.listen(port, "127.0.0.1", done));
  return (server.address() as AddressInfo).port;
}

describe("too many requests", () => {
  const limited = (seconds: string, refusals: number) => {
    let asked = 0;
    return standIn((_request, response) => {
      asked += 1;
      const body = { cameras: [], count: 0, pagination: page(0) };
      if (asked > refusals) return void response.end(JSON.stringify(body));
      response.writeHead(429, { "Retry-After": seconds });
      response.end(
        JSON.stringify({ detail: { error: "rate_limit", message: "Too many requests", retry_after_seconds: 1, tier: "default" } }),
      );
    });
  };

  it("too many requests: the command waits and says so on standard error, except with --quiet", async () => {
    const url = `http://127.0.0.1:${await limited("1", 1)}`;
    expect(await cli(["cameras", "list", "-o", "id", "--url", url])).toEqual({
      code: 0,
      out: "",
      err: "rate limit reached; continuing in 1 s\n",
    });
    const quiet = `http://127.0.0.1:${await limited("1", 1)}`;
    expect(await cli(["cameras", "list", "-o", "id", "--quiet", "--url", quiet])).toEqual({ code: 0, out: "", err: "" });
  });

  it("too many requests: Ctrl-C ends the wait", async () => {
    const stop = new AbortController();
    const url = `http://127.0.0.1:${await limited("60", 9)}`;
    const { code } = await cli(["cameras", "list", "--url", url], { signal: stop.signal, onErr: () => stop.abort("SIGINT") });
    expect(code).toBe(130);
  });
});

describe("health --wait", () => {
  const check = { status: "healthy", latency_ms: 1, error: null };
  const checks = { database: check, store: check, pipeline_workers: check, supervisor: check };
  const service = { status: "healthy", message: "", details: null };
  const timestamp = "2026-01-31T12:00:00.000Z";
  const queue = { running: true, waiting: 0, deferred: 0, in_progress: 0, dead: 0, oldest_waiting_seconds: null };
  const bodies = (
    isReady: boolean,
    { ai = service, stuck = [], dead = 0 }: { readonly ai?: object; readonly stuck?: readonly object[]; readonly dead?: number } = {},
  ): Readonly<Record<string, unknown>> => ({
    "/api/system/health": { status: "healthy", services: { database: service, store: service, ai }, timestamp, recent_events: [] },
    "/api/system/health/ready": { ready: isReady, status: isReady ? "ready" : "not_ready", checks, workers: [] },
    "/api/system/pipeline": {
      file_watcher: { running: true, camera_root: "/srv", pending: 0, stuck, watch_mode: "notify" },
      detection_worker: queue,
      batch_aggregator: { running: true, active_batches: 0, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
      analysis_worker: queue,
      degradation: { mode: "normal", services: {} },
      timestamp,
    },
    "/api/zones": { zones: [] },
    "/api/masks": { masks: [] },
    "/api/cameras?limit=1000": {
      cameras: [],
      count: 0,
      pagination: { limit: 1000, offset: 0, total: 0, next_cursor: null, has_more: false },
    },
    "/api/dlq/stats": { queues: { detect: dead }, total_count: dead },
  });
  const daemon = (readyAfter: number): RequestListener => {
    let asked = 0;
    return (request, response) => {
      if (request.url?.endsWith("/ready")) asked += 1;
      const isReady = asked > readyAfter;
      response.writeHead(request.url?.endsWith("/ready") && !isReady ? 503 : 200).end(JSON.stringify(bodies(isReady)[request.url ?? ""]));
    };
  };

  it("health --wait: continues as soon as a daemon is ready", async () => {
    const port = await standIn(() => {});
    await new Promise((done) => servers.pop()?.close(done));
    const waiting = cli(["health", "--wait", "30", "-o", "id", "--url", `http://127.0.0.1:${port}`]);
    await standIn(daemon(2), port);
    expect(await waiting).toMatchObject({ code: 0, err: "healthy, ready\n" });
  });

  it("health --wait: waits for built-in services that are starting", async () => {
    let asked = 0;
    const loading = { status: "degraded", message: "detector: starting", details: { detector: "starting" } };
    const url = `http://127.0.0.1:${await standIn((request, response) => {
      if (request.url === "/api/system/health") asked += 1;
      const ai = asked > 2 ? { ...service, details: { detector: "healthy" } } : loading;
      response.writeHead(200).end(JSON.stringify(bodies(true, { ai })[request.url ?? ""]));
    })}`;
    expect(await cli(["health", "--wait", "30s", "--url", url])).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^detector +healthy/m),
    });
    expect(asked).toBe(4);
  });

  it.each([
    [
      "an incomplete file",
      bodies(true, { stuck: [{ path: "/srv/gate/1.jpg", reason: "the end is not there yet", since: timestamp }] }),
      "incomplete file: /srv/gate/1.jpg",
    ],
    ["a dead letter", bodies(true, { dead: 1 }), "no longer retried: 1 picture; see homesec dlq list --queue detect"],
  ])("health: ends with 7 while it names %s, and with 0 if only services and workers count", async (_, replies, line) => {
    const url = `http://127.0.0.1:${await standIn((request, response) => response.end(JSON.stringify(replies[request.url ?? ""])))}`;
    const { code, err } = await cli(["health", "-o", "id", "--url", url]);
    expect([code, err.split("\n")]).toEqual([7, ["healthy, ready, needs attention", expect.stringContaining(line), ""]]);
    expect(await cli(["health", "--parts-only", "-o", "id", "--url", url])).toMatchObject({ code: 0, err: "healthy, ready\n" });
  });

  it("health --wait: ends with 7 when the daemon is not ready in time, with 6 when none answers", async () => {
    const url = `http://127.0.0.1:${await standIn(daemon(99))}`;
    expect(await cli(["health", "--wait", "1s", "-o", "id", "--url", url])).toMatchObject({ code: 7, err: "healthy, not ready\n" });
    const port = await standIn(() => {});
    await new Promise((done) => servers.pop()?.close(done));
    expect(await cli(["health", "--wait", "1s", "--url", `http://127.0.0.1:${port}`])).toMatchObject({ code: 6, out: "" });
  });
});
