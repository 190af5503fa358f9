import { z } from "zod";
import { receivedStatuses } from "./constants.ts";
import { Analysis, outboundEvents } from "./outbound-events.ts";
import { Alert } from "./routes/alerts.ts";
import { Anomaly } from "./routes/baselines.ts";
import { Camera } from "./routes/cameras.ts";
import { Detection } from "./routes/detections.ts";
import { Event } from "./routes/events.ts";
import { ModeState } from "./routes/modes.ts";
import { SceneChange } from "./routes/scenes.ts";
import { Silence } from "./routes/silences.ts";
import { WorkerStatus } from "./routes/system-health.ts";
import { Instant } from "./values.ts";

/** Messages with a `sequence`: rows of the journal, numbered without gaps by the only publisher. */
const journal = <T extends string, D extends z.ZodType>(type: T, data: D) =>
  z.object({ type: z.literal(type), data, sequence: z.int(), timestamp: Instant });

/** Control messages: without `sequence`, never replayed. */
const control = <T extends string, D extends z.ZodType>(type: T, data: D) => z.object({ type: z.literal(type), data, timestamp: Instant });

const DetectionBatch = z.object({
  batch_id: z.string(),
  camera_id: z.string(),
  event_id: z.int(),
  started_at: Instant,
  ended_at: Instant,
  detection_count: z.int(),
  close_reason: z.enum(["window", "idle", "full"]),
});

/** An alert from a monitoring system, firing or resolved. */
export const InfrastructureAlert = z.object({
  alertname: z.string(),
  status: z.enum(receivedStatuses),
  severity: z.string(),
  component: z.string(),
  summary: z.string(),
  description: z.string(),
  started_at: Instant,
  fingerprint: z.string(),
  receiver: z.string(),
});

/** An anomaly; `baseline`: an hour with more or fewer detections than usual. */
const AnomalyMessage = Anomaly.extend({ id: z.int(), kind: z.enum(["baseline"]), camera_id: z.string(), hour_started_at: Instant });

/** Every message that the journal stores and clients receive with a sequence. */
export const JournalMessage = z.discriminatedUnion("type", [
  journal("detection.new", Detection),
  journal("detection.batch", DetectionBatch),
  journal("event", Event),
  journal("event.updated", Event),
  journal("event.deleted", z.object({ id: z.int() })),
  journal("entity_discovered", outboundEvents.entity_discovered),
  journal("camera_status", Camera.extend({ previous_status: z.string().nullable(), reason: z.string().nullable() })),
  journal("scene_change", SceneChange),
  journal("batch.analysis_started", Analysis),
  journal("batch.analysis_completed", Analysis.extend({ risk_score: z.int(), risk_level: z.string() })),
  journal("batch.analysis_failed", Analysis.extend({ error: z.string() })),
  journal("alert_created", Alert),
  journal("alert_delivered", Alert),
  journal("alert_acknowledged", Alert),
  journal("alert_dismissed", Alert),
  journal("silence.started", Silence),
  journal("silence.ended", Silence),
  journal("mode.changed", ModeState),
  journal("anomaly", AnomalyMessage),
  journal("infrastructure_alert", InfrastructureAlert),
  journal("worker_status", WorkerStatus),
  journal("circuit_breaker", z.object({ name: z.string(), state: z.enum(["closed", "open", "half_open"]), previous_state: z.string() })),
]);
export type JournalMessage = z.output<typeof JournalMessage>;
export type JournalType = JournalMessage["type"];

/** An entry that a use case adds to the journal in its own transaction. */
export type JournalEntry = {
  [T in JournalType]: { readonly type: T; readonly data: Extract<JournalMessage, { type: T }>["data"] };
}[JournalType];

export const ControlMessage = z.discriminatedUnion("type", [
  control("connected", z.object({ version: z.string(), last_sequence: z.int(), idle_timeout_seconds: z.number() })),
  control("ping", z.object({})),
  control(
    "pong",
    z.object({
      last_sequence: z.int().optional().meta({
        description: "Every subscribed message up to this sequence has been sent; resume from here. Absent while history is being sent",
      }),
    }),
  ),
  control(
    "subscribed",
    z.object({
      types: z.array(z.string()).meta({ description: "The active patterns; `*` is everything" }),
      except: z.array(z.string()).optional().meta({ description: "Excluded patterns" }),
    }),
  ),
  control("error", z.object({ message: z.string() })),
  control("gap", z.object({ from: z.int(), to: z.int() }).meta({ description: "Missing sequences, both ends included" })),
  control("system_status", z.object({ status: z.string() })),
]);
export type ControlMessage = z.output<typeof ControlMessage>;

export type GapMessage = Extract<ControlMessage, { type: "gap" }>;

/** Paths of the WebSocket. */
export const livePaths = ["/ws/events", "/ws"] as const;

/** Reasons in the close frame of a refused connection (1008). Only after `limit` and `messages` does it make sense to retry. */
export const refusals = {
  origin: "Origin not allowed",
  limit: "Too many connections",
  messages: "Too many messages",
  key: "API key missing or not valid",
  token: "Token missing or not valid",
} as const;

/** Every message that a client can receive. */
export const ServerMessage = z.union([JournalMessage, ControlMessage]);
export type ServerMessage = z.output<typeof ServerMessage>;

/** Every message that a client can send. `types` may end in `*`. */
export const ClientMessage = z.discriminatedUnion("type", [
  z.object({ type: z.literal("ping") }),
  z.object({ type: z.literal("pong") }),
  z.object({ type: z.enum(["subscribe", "unsubscribe"]), data: z.object({ types: z.array(z.string().min(1).max(64)).min(1).max(50) }) }),
]);
export type ClientMessage = z.output<typeof ClientMessage>;
