import type { Runtime } from "../../src/work/operations/runtime.ts";

/** The runtime of a healthy, idle daemon. */
export function quietRuntime(changes: Partial<Runtime> = {}): Runtime {
  return {
    startedAt: new Date("2026-01-31T12:00:00Z"),
    version: "1.2.3",
    environment: () => ({}),
    configuration: () => undefined,
    workers: () => [],
    daemons: () => [],
    supervisorAlive: () => true,
    url: () => "http://127.0.0.1:8000",
    breakers: () => [],
    resetBreaker: async () => "closed",
    probeUpstreams: async () => [],
    receivers: () => [],
    watcher: () => ({ running: true, cameraRoot: "/cameras", watchMode: "notify", pending: 0, stuck: [] }),
    disk: async () => ({ freeBytes: 50, totalBytes: 100, usedBytes: 50 }),
    pictureDisk: async () => undefined,
    live: () => ({ connectedClients: 0, messagesSent: 0, replayed: 0, cutSlow: 0, running: true, lastBroadcast: null }),
    requests: () => ({ total: 0, byStatus: {}, p50Ms: null, p99Ms: null }),
    recentEvents: () => [],
    selftest: async ({ timeoutMs }) => ({
      status: "failed",
      message: "nothing runs here that could be tested",
      started_at: new Date("2026-01-31T12:00:00Z"),
      duration_ms: 0,
      timeout_seconds: timeoutMs / 1_000,
      detector: "built-in",
      stages: [],
    }),
    countAnswer: () => undefined,
    metrics: async () => "homesec_up 1\n",
    ...changes,
  };
}
