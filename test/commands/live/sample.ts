import type { Snapshot } from "../../../commands/live/data/reducer.ts";
import type {
  Alert,
  Camera,
  Event,
  EventWithDetections,
  Explanation,
  Health,
  Pipeline,
  Silence,
  Telemetry,
} from "../../../commands/live/records.ts";
import type { JournalMessage } from "../../../src/contract/live.ts";
import type { ReplyOf } from "../../../src/contract/routes/index.ts";

type Detection = ReplyOf<"getDetection">;

/** The time on the screens of the tests. */
export const now = new Date("2026-01-31T22:15:00Z");

export const ago = (seconds: number): Date => new Date(now.getTime() - seconds * 1000);

export function camera(id: string, more: Partial<Camera> = {}): Camera {
  return {
    ...{ camera_id: id, name: id.replaceAll("-", " "), folder_path: `/srv/cameras/${id}`, status: "online", last_seen_at: ago(12) },
    ...{ file_pattern: null, time_zone: null, time_template: "auto", clock_offset_seconds: null },
    ...{ created_at: ago(100_000), updated_at: ago(12), deleted_at: null },
    ...more,
  };
}

export function event(id: number, more: Partial<Event> = {}): Event {
  return {
    ...{ id, kind: "event", batch_id: null, camera_id: "front-door", started_at: ago(1_000 - id), ended_at: ago(960 - id) },
    ...{ risk_score: 72, risk_level: "high", summary: "One person at the front door", reasoning: "A person stood there for 42 s." },
    ...{
      reviewed: false,
      notes: "",
      ongoing: false,
      detection_count: 1,
      detection_ids: [7],
      object_types: ["person"],
      thumbnail_url: null,
    },
    ...{ analysis_status: "completed", risk_factors: [{ name: "person", contribution: 60, detail: "91 % sure" }] },
    ...{ analyzed_by: "built-in scorer", created_at: ago(900 - id), deleted_at: null },
    ...more,
  } as Event;
}

export function alert(number: number, more: Partial<Alert> = {}): Alert {
  return {
    ...{ id: `00000000-0000-4000-8000-${String(number).padStart(12, "0")}`, event_id: number, rule_id: null, camera_id: "front-door" },
    ...{ severity: "high", status: "delivered", dedup_key: "front-door", created_at: ago(900 - number), delivered_at: ago(899 - number) },
    ...{ acknowledged_at: null, dismissed_at: null },
    alert_metadata: {
      rule_name: "Somebody at night",
      matched_conditions: ["risk_score >= 70"],
      channels: [],
      reason: null,
      late_seconds: null,
    },
    ...more,
  };
}

export function detection(id: number, more: Partial<Detection> = {}): Detection {
  return {
    ...{ id, camera_id: "front-door", file_path: `/srv/cameras/front-door/${id}.jpg`, file_type: "image/jpeg", detected_at: ago(600) },
    ...{ object_type: "person", confidence: 0.9, bbox_x: 1, bbox_y: 2, bbox_width: 3, bbox_height: 4, thumbnail_path: null },
    ...{ captured_at: null, parked_since: null, event_id: 5, batch_id: null, enrichment: null, created_at: ago(600) },
    ...more,
  };
}

export function silence(number: number, more: Partial<Silence> = {}): Silence {
  return {
    ...{ id: `10000000-0000-4000-8000-${String(number).padStart(12, "0")}`, camera_id: "front-door", camera_name: "Front door" },
    ...{ rule_id: null, rule_name: null, reason: "The painters are here", status: "active", held_back: 2 },
    ...{ created_at: ago(600), ends_at: ago(-7_500), ended_at: null, created_by: null, ended_by: null },
    ...more,
  };
}

export const snapshot: Snapshot = {
  cameras: [
    camera("front-door", { name: "Front door" }),
    camera("garden", { name: "Garten 🌳 hinten", last_seen_at: ago(190) }),
    camera("garage", { status: "offline", last_seen_at: ago(7_300) }),
    camera("玄関", { camera_id: "genkan", name: "玄関カメラ 👨‍👩‍👧 🇯🇵", last_seen_at: ago(3) }),
    camera("new-one", { status: "unknown", last_seen_at: null }),
  ],
  events: [
    event(1, {
      risk_score: 12,
      risk_level: "low",
      reviewed: true,
      summary: "A cat in the garden",
      camera_id: "garden",
      object_types: ["cat"],
    }),
    event(2),
    event(3, { risk_score: 45, risk_level: "medium", summary: "Two people and a car", object_types: ["car", "person"] }),
    event(4, { risk_score: null, risk_level: null, analysis_status: "pending", summary: "" }),
    event(5, { risk_score: 93, risk_level: "critical", summary: "Somebody with \u001b[31ma ladder\u001b[0m\nat 03:00 \u202egnp" }),
    event(6, {
      kind: "camera_health",
      risk_score: null,
      risk_level: null,
      summary: "garage has not sent a picture for 2 h",
      camera_id: "garage",
    }),
    event(7, { risk_score: null, risk_level: null, analysis_status: "failed", summary: "" }),
  ],
  silences: [silence(1)],
  mode: { mode: "away", since: ago(3_600), set_by: "anna", source: "request", pending: null },
  alerts: [alert(2), alert(5, { severity: "critical", status: "pending" })],
  seen: Array.from({ length: 60 }, (_, at) =>
    detection(60 - at, { camera_id: at % 3 ? "front-door" : "garden", detected_at: ago(at * 20 + (at % 7) * 60) }),
  ),
};

export const health: Health = {
  ...{ status: "degraded", ready: true, message: "language_model does not answer" },
  database: { name: "database", status: "healthy", message: "", details: null },
  store: { name: "store", status: "healthy", message: "", details: null },
  ai_services: [
    service("detector", {}),
    service("language_model", { status: "unhealthy", circuit_state: "open", response_time_ms: null, error: "connection refused" }),
  ],
  circuit_breakers: { total: 2, closed: 1, open: 1, half_open: 0, breakers: { detector: "closed", language_model: "open" } },
  workers: ["file_watcher", "detection_worker", "analysis_worker"].map((name) => ({
    name,
    running: true,
    critical: name !== "file_watcher",
  })),
  ...{ timestamp: now, version: "1.2.3" },
};

function service(name: string, more: Partial<Health["ai_services"][number]>): Health["ai_services"][number] {
  return {
    ...{
      name,
      display_name: name,
      status: "healthy",
      url: "built-in",
      response_time_ms: 4.2,
      circuit_state: "closed",
      error: null,
      note: null,
    },
    ...{ last_check: now, ...more },
  };
}

const queue = { running: true, waiting: 3, deferred: 1, in_progress: 2, dead: 0, oldest_waiting_seconds: 7 };

export const pipeline: Pipeline = {
  file_watcher: { running: true, camera_root: "/srv/cameras", pending: 0, stuck: [], watch_mode: "notify" },
  detection_worker: queue,
  batch_aggregator: { running: true, active_batches: 1, batches: [], batch_window_seconds: 90, idle_timeout_seconds: 30 },
  analysis_worker: { ...queue, waiting: 0, dead: 2, oldest_waiting_seconds: null },
  degradation: { mode: "normal", services: {} },
  timestamp: now,
};

const latency = { avg_ms: 300, min_ms: 100, max_ms: 2_400, p50_ms: 320, p95_ms: 900, p99_ms: 2_000, sample_count: 128 };

export const telemetry: Telemetry = {
  queues: { detection_queue: 3, analysis_queue: 0, delivery_queue: 0 },
  latencies: { watch: { ...latency, p50_ms: 4 }, detect: latency, batch: { ...latency, p50_ms: 31_000 }, analyze: null },
  websocket: { connected_clients: 1, messages_sent: 400, replayed: 0, cut_slow: 0 },
  api_requests: { total: 1_000, by_status: { "200": 1_000 }, p50_ms: 2, p99_ms: 30 },
  timestamp: now,
};

export const details: EventWithDetections = {
  ...event(5),
  detections: [0.97, 0.61].map((confidence, at) => detection(70 + at, { confidence })),
  shown_detection_ids: [],
};

export const explanation: Explanation = {
  subject: { type: "event", id: "5" },
  trace: null,
  found: true,
  outcome: "The alert of rule “Somebody at night” waits: the mail server does not answer.",
  steps: [
    { at: ago(600), step: "file_seen", status: "done", text: "front-door/0.jpg arrived", details: {} },
    { at: ago(599), step: "detection", status: "done", text: "2 detections: person 97 %, person 61 %", details: {} },
    { at: ago(560), step: "notification", status: "waiting", text: "email waits until the mail server answers", details: {} },
  ],
};

/** Messages numbered from 1. */
export function numbered(entries: readonly Pick<JournalMessage, "type" | "data">[], first = 1): JournalMessage[] {
  return entries.map((entry, at) => ({ ...entry, sequence: first + at, timestamp: now }) as JournalMessage);
}
