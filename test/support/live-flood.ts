import { alert, camera, event, health, pipeline, snapshot, telemetry } from "../commands/live/sample.ts";
import { page } from "../commands/records.ts";
import { LiveStandIn } from "./live-stand-in.ts";

const pagination = page(1);

/** A stand-in for a daemon with some cameras, events and alerts, for `flood`. */
export async function floodStandIn(): Promise<LiveStandIn> {
  const cameras = Array.from({ length: 12 }, (_, at) => camera(`camera-${at}`));
  const daemon = new LiveStandIn((_method, path, query) => {
    if (path === "/api/cameras") return { cameras, count: cameras.length, pagination };
    if (path === "/api/events") return { items: snapshot.events, pagination };
    if (path === "/api/alerts") return { items: query.get("status") === "delivered" ? snapshot.alerts : [], pagination };
    if (path === "/api/detections") return { items: [], pagination };
    return { "/api/system/health/full": health, "/api/system/pipeline": pipeline, "/api/system/telemetry": telemetry }[path];
  });
  await daemon.start();
  return daemon;
}

/** Sends this many messages per second, of all kinds that change the screen, until the returned function is called. */
export function flood(daemon: LiveStandIn, perSecond: number): () => void {
  const startedAt = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    const due = Math.floor(((performance.now() - startedAt) / 1000) * perSecond);
    for (; sent < due; sent += 1) daemon.tell(messageOf(sent));
  }, 20);
  return () => clearInterval(timer);
}

function messageOf(number: number): { readonly type: string; readonly data: unknown } {
  const time = new Date();
  const camera_id = `camera-${number % 12}`;
  const what = event(1_000 + Math.floor(number / 4), { camera_id, started_at: time, ended_at: time, summary: `Number ${number}` });
  switch (number % 4) {
    case 0:
      return { type: "event", data: { ...what, risk_score: null, risk_level: null, analysis_status: "pending", summary: "" } };
    case 1:
      return { type: "event.updated", data: { ...what, risk_score: number % 101 } };
    case 2:
      return {
        type: number % 8 === 2 ? "alert_created" : "alert_delivered",
        data: alert(Math.floor(number / 8), { camera_id, created_at: time }),
      };
    default:
      return { type: "detection.new", data: { ...seen, id: number, camera_id, batch_id: camera_id, detected_at: time, created_at: time } };
  }
}

const seen = {
  ...{ id: 1, file_path: "/srv/a.jpg", file_type: "image/jpeg", object_type: "person", confidence: 0.9, bbox_x: 1, bbox_y: 2 },
  ...{ bbox_width: 3, bbox_height: 4, thumbnail_path: null, event_id: null, batch_id: null, enrichment: null },
};
