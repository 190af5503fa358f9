import type { QueryClient } from "@tanstack/react-query";
import type { ClientRequest } from "../../src/contract/client.ts";
import type { Route } from "../../src/contract/route.ts";
import { alertRoutes } from "../../src/contract/routes/alerts.ts";
import { cameraRoutes } from "../../src/contract/routes/cameras.ts";
import { eventRoutes } from "../../src/contract/routes/events.ts";
import { keyRoutes } from "../../src/contract/routes/keys.ts";
import { modeRoutes } from "../../src/contract/routes/modes.ts";
import { systemRoutes } from "../../src/contract/routes/system.ts";
import { healthRoutes } from "../../src/contract/routes/system-health.ts";
import { call } from "../api/client.ts";
import { wasGuest } from "../api/use-may.tsx";
import { replyKey } from "../api/use-reply.ts";
import { latest, unreviewed } from "../pages/now.tsx";
import { everyCamera } from "../parts/names.tsx";
import { openAlerts } from "../parts/open-alerts.ts";

/** Asks for what the page at this address shows, so that the replies are on their way while the page is put together. */
export function prefetch(cache: QueryClient, path: string): void {
  // these know nothing of the home
  if (/^\/(?:login|shared|invite)\b/.test(path)) return;
  const ask = <R extends Route>(route: R, request: ClientRequest<R>): void =>
    void cache.prefetchQuery({ queryKey: replyKey(route, request), queryFn: ({ signal }) => call(route, request, signal) });
  ask(keyRoutes.getSession, {});
  ask(systemRoutes.getHome, {});
  ask(modeRoutes.getMode, {});
  ask(cameraRoutes.listCameras, everyCamera);
  const [, event] = /^\/events\/(\d{1,15})$/.exec(path) ?? [];
  if (event !== undefined) {
    ask(eventRoutes.getEvent, { params: { event_id: Number(event) } });
    void import("../pages/event.tsx");
  }
  if (path !== "/") return;
  for (const request of [latest, unreviewed]) ask(eventRoutes.listEvents, request);
  if (wasGuest()) return;
  for (const request of openAlerts) ask(alertRoutes.listAlerts, request);
  ask(healthRoutes.getMonitoringHealth, {});
}
