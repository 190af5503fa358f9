import { z } from "zod";
import { alertStatuses, cameraStatuses, riskLevels, severities } from "./constants.ts";
import { wireForm } from "./json-schema.ts";
import { CameraIdText, Instant } from "./values.ts";

/** The states of an alarm panel in Home Assistant that the home can be in. */
export const alarmStates = [
  "disarmed",
  "armed_home",
  "armed_away",
  "armed_night",
  "armed_custom_bypass",
  "arming",
  "pending",
  "triggered",
] as const;

/** Kinds of messages about the events of a camera. */
export const cameraEventTypes = ["stored", "scored", "health"] as const;

/** Kinds of messages about alerts. */
export const alertEventTypes = ["raised", "acknowledged", "dismissed"] as const;

/** The states of availability topics, as plain text. */
export const availability = { online: "online", offline: "offline" } as const;

const Url = z
  .string()
  .nullable()
  .meta({ description: "Its page; null without PUBLIC_URL", example: "http://192.168.1.10:8000/events/1207" });
const EventId = z.int().meta({ description: "Id of the event", example: 1207 });
const Score = z.int().nullable().meta({ description: "Risk score, 0 to 100; null until scored", example: 72 });
const Level = z.enum(riskLevels).nullable().meta({ description: "Level of the score", example: "high" });
const Classes = z.array(z.string()).meta({ description: "Detected classes", example: ["person"] });
const Summary = z
  .string()
  .meta({ description: "Summary in one sentence; empty until scored", example: "1 person at Front door, for 40 s." });
const StartedAt = Instant.meta({ description: "Time of its first picture", example: "2026-01-31T22:15:00.120Z" });
const AlertId = z.uuid().meta({ description: "Id of the alert", example: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11" });
const Severity = z.enum(severities).meta({ description: "Severity of the rule", example: "high" });
const RuleName = z.string().meta({ description: "Rule that raised it", example: "People at night" });
const CameraName = z.string().meta({ description: "Name of the camera", example: "Front door" });

/** The topic `homesec/state`. */
export const MqttHomeState = z
  .object({
    version: z.string().meta({ description: "Version of homesec", example: "0.2.0" }),
    mode: z.string().meta({ description: "Mode of the home", example: "away" }),
    mode_since: Instant.nullable().meta({ description: "When it took effect; null since the installation" }),
    mode_set_by: z.string().nullable().meta({ description: "Who chose it; null if unknown, and for a schedule", example: "MQTT" }),
    next_mode: z.string().nullable().meta({ description: "The mode after the exit delay; null without one", example: null }),
    next_mode_at: Instant.nullable().meta({ description: "When that takes effect", example: null }),
    alarm: z.enum(alarmStates).meta({
      description:
        "The mode as a state of an alarm panel; `arming` in the exit delay, `pending` in the entry delay, `triggered` while an alert of severity high or critical is open that was raised in this mode",
      example: "armed_away",
    }),
    open_alerts: z.int().meta({ description: "Alerts that no one has acknowledged or dismissed", example: 1 }),
    highest_severity: z.enum(severities).nullable().meta({ description: "Highest severity of the open alerts", example: "high" }),
    newest_alert: z
      .object({
        alert_id: AlertId,
        event_id: EventId,
        camera_id: CameraIdText,
        severity: Severity,
        rule_name: RuleName,
        created_at: Instant,
      })
      .nullable()
      .meta({ description: "The newest open alert; null without one" }),
    silenced_until: Instant.nullable().meta({ description: "All alerts are silenced until then; null if they are not", example: null }),
  })
  .meta({ id: "MqttHomeState", description: "State of the home, retained at `homesec/state`" });
export type MqttHomeState = z.output<typeof MqttHomeState>;

/** The topic `homesec/camera/<id>/state`. */
export const MqttCameraState = z
  .object({
    camera_id: CameraIdText,
    name: CameraName,
    status: z.enum(cameraStatuses).meta({ description: "Status of the camera", example: "online" }),
    problem: z.boolean().meta({ description: "Whether it is offline, or its folder cannot be read", example: false }),
    reason: z.string().nullable().meta({ description: "Why; null without a problem", example: null }),
    last_seen_at: Instant.nullable().meta({
      description: "Arrival of its newest picture, to 10 seconds",
      example: "2026-01-31T22:15:40.000Z",
    }),
    occupied: z.boolean().meta({ description: "Whether something was seen within BATCH_IDLE_TIMEOUT_SECONDS", example: true }),
    occupancy: z.record(z.string(), z.boolean()).meta({ description: "The same for each class", example: { person: true, car: false } }),
    risk_score: Score,
    risk_level: Level,
    event: z
      .object({ event_id: EventId, started_at: StartedAt, ended_at: Instant, object_types: Classes, summary: Summary, url: Url })
      .nullable()
      .meta({ description: "Its newest event; null without one" }),
    alerts_allowed: z.boolean().meta({ description: "False while a silence mutes all alerts of the camera", example: true }),
    silenced_until: Instant.nullable().meta({ description: "End of that silence; null without one", example: null }),
  })
  .meta({ id: "MqttCameraState", description: "State of a camera, retained at `homesec/camera/<camera_id>/state`" });
export type MqttCameraState = z.output<typeof MqttCameraState>;

/** The topic `homesec/camera/<id>/event`. */
export const MqttCameraEvent = z
  .object({
    event_type: z.enum(cameraEventTypes).meta({
      description: "`stored`: a new event; `scored`: it has its score; `health`: an incident of the camera itself",
      example: "stored",
    }),
    camera_id: CameraIdText,
    event_id: EventId,
    started_at: StartedAt,
    ended_at: Instant.meta({ description: "Time of its last picture", example: "2026-01-31T22:15:40.370Z" }),
    object_types: Classes,
    risk_score: Score,
    risk_level: Level,
    summary: Summary,
    url: Url,
  })
  .meta({ id: "MqttCameraEvent", description: "A new event, at `homesec/camera/<camera_id>/event`, not retained" });
export type MqttCameraEvent = z.output<typeof MqttCameraEvent>;

/** The topic `homesec/alert`. */
export const MqttAlertEvent = z
  .object({
    event_type: z.enum(alertEventTypes).meta({ description: "What happened to the alert", example: "raised" }),
    alert_id: AlertId,
    event_id: EventId,
    camera_id: CameraIdText,
    severity: Severity,
    rule_name: RuleName,
    status: z.enum(alertStatuses).meta({ description: "Status of the alert", example: "pending" }),
    created_at: Instant.meta({ description: "Time it was raised", example: "2026-01-31T22:16:11.372Z" }),
    by: z.string().nullable().meta({ description: "Who acknowledged or dismissed it; null if unknown", example: null }),
    url: Url,
  })
  .meta({ id: "MqttAlertEvent", description: "A change of an alert, at `homesec/alert`, not retained" });
export type MqttAlertEvent = z.output<typeof MqttAlertEvent>;

/** The topic `homesec/result`. */
export const MqttResult = z
  .object({
    topic: z.string().meta({ description: "Topic of the command", example: "homesec/mode/set" }),
    ok: z.boolean().meta({ description: "Whether it was carried out", example: false }),
    message: z.string().nullable().meta({ description: "Why not, and what to do; null if it was", example: "No mode has the name party" }),
  })
  .meta({ id: "MqttResult", description: "Result of a command, at `homesec/result`, not retained" });
export type MqttResult = z.output<typeof MqttResult>;

/** Returns the JSON Schema of what homesec publishes over MQTT, one definition for each kind of topic. */
export function mqttSchema(): Record<string, unknown> {
  const payloads = [MqttHomeState, MqttCameraState, MqttCameraEvent, MqttAlertEvent, MqttResult];
  // Each payload has an id, so that its definition stands beside the others
  const definitions = payloads.map((schema) => z.toJSONSchema(schema, { ...wireForm, io: "input" }).$defs);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Messages of homesec over MQTT",
    $defs: Object.assign({}, ...definitions),
  };
}
