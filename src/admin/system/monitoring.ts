import type { z } from "zod";
import type { MonitoringHealthReply, TargetsReply, WebsocketHealthReply } from "../../contract/routes/system-health.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Runtime } from "../../work/operations/runtime.ts";
import { resultOf } from "./checks.ts";
import { currentFindings } from "./findings.ts";
import { aiHealth } from "./health.ts";

/** Returns the three checks that a monitoring system needs. Its `up` is the reply itself. */
export async function monitoringHealth(context: OperationContext, runtime: Runtime): Promise<z.output<typeof MonitoringHealthReply>> {
  const { database, store, upstreams } = await currentFindings(context, runtime);
  const ai = aiHealth(upstreams);
  return {
    status: "up",
    checks: {
      database: resultOf(database),
      store: resultOf(store),
      ai_services: {
        status: ai.status === "unknown" ? "unhealthy" : ai.status,
        latency_ms: upstreams.latencyMs,
        error: ai.status === "healthy" ? null : ai.message,
      },
    },
  };
}

/** Returns the monitoring targets: this daemon and the enabled services. */
export async function monitoringTargets(context: OperationContext, runtime: Runtime): Promise<z.output<typeof TargetsReply>> {
  const { upstreams } = await currentFindings(context, runtime);
  // A built-in service that is starting has no address yet.
  const services = upstreams.ok ? upstreams.value.filter(({ url }) => url !== "") : [];
  return {
    targets: [
      { name: "homesec", url: runtime.url(), health_endpoint: `${runtime.url()}/api/system/health` },
      ...services.map(({ name, url }) => ({ name, url, health_endpoint: `${url.replace(/\/+$/, "")}/health` })),
    ],
  };
}

/** Tells whether live messages are sent. */
export function websocketHealth(runtime: Runtime): z.output<typeof WebsocketHealthReply> {
  const live = runtime.live();
  return {
    status: live.running ? "healthy" : "unhealthy",
    connected_clients: live.connectedClients,
    broadcaster_running: live.running,
    last_broadcast: live.lastBroadcast,
  };
}
