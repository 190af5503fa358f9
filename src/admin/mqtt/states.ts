import type { z } from "zod";
import { type alarmStates, availability, MqttCameraState, MqttHomeState } from "../../contract/mqtt.ts";
import type { CameraNow, HomeNow } from "./home.ts";
import { topicsBelow } from "./topics.ts";

/** What states depend on besides the home. */
export interface StateSettings {
  /** First part of all topics. */
  readonly prefix: string;
  readonly version: string;
  /** How long a class counts as seen after its last detection. */
  readonly occupiedMs: number;
  /** Returns the link for a person to an event; null without PUBLIC_URL. */
  readonly linkOf: (eventId: number) => string | null;
}

/** The state of the alarm panel for each built-in mode. */
const armed: Readonly<Record<string, (typeof alarmStates)[number]>> = {
  home: "armed_home",
  away: "armed_away",
  night: "armed_night",
  off: "disarmed",
};

/** Resolution of the time of the last picture: each picture would otherwise be a new state. */
const lastSeenStepMs = 10_000;

/** Returns the retained texts that say how the home is, by topic. */
export function statesOf(home: HomeNow, settings: StateSettings, now: Date): ReadonlyMap<string, string> {
  const topics = topicsBelow(settings.prefix);
  const states = new Map([[topics.state, wire(MqttHomeState, homeState(home, settings.version, now))]]);
  for (const camera of home.cameras) {
    const own = topics.camera(camera.id);
    states.set(own.state, wire(MqttCameraState, cameraState(camera, settings, now)));
    states.set(own.availability, availability[isAvailable(camera) ? "online" : "offline"]);
  }
  return states;
}

/** A camera without pictures says nothing of what is in front of it. One that has not sent any yet is no fault. */
function isAvailable({ status }: CameraNow): boolean {
  return status === "online" || status === "unknown";
}

/** Encodes a payload as JSON. */
export function wire<T extends z.ZodType>(schema: T, value: z.output<T>): string {
  return JSON.stringify(schema.encode(value));
}

function homeState({ mode, alerts, silencedUntil }: HomeNow, version: string, now: Date): MqttHomeState {
  const { newest } = alerts;
  return {
    version,
    mode: mode.mode,
    mode_since: mode.since,
    mode_set_by: mode.set_by,
    next_mode: mode.pending?.mode ?? null,
    next_mode_at: mode.pending?.effective_at ?? null,
    alarm: alarmState({ mode, alerts }, now),
    open_alerts: alerts.count,
    highest_severity: alerts.highest,
    newest_alert: newest && {
      alert_id: newest.id,
      event_id: newest.eventId,
      camera_id: newest.cameraId,
      severity: newest.severity,
      rule_name: newest.ruleName,
      created_at: newest.createdAt,
    },
    silenced_until: silencedUntil,
  };
}

/**
 * Returns the state of the alarm panel. An alert triggers it only while the mode stays the same, so that switching the mode ends it as
 * acknowledging does.
 */
export function alarmState({ mode, alerts }: Pick<HomeNow, "mode" | "alerts">, now: Date): (typeof alarmStates)[number] {
  if (mode.pending !== null && mode.pending.effective_at > now) return "arming";
  const { gravestSince, heldUntil } = alerts;
  if (gravestSince !== null && mode.mode !== "off" && (mode.since === null || gravestSince >= mode.since)) return "triggered";
  if (heldUntil !== null && heldUntil > now) return "pending";
  return armed[mode.mode] ?? "armed_custom_bypass";
}

function cameraState(camera: CameraNow, { occupiedMs, linkOf }: StateSettings, now: Date): MqttCameraState {
  const { event, lastSeenAt } = camera;
  const isSeen = (objectType: string): boolean => (camera.seen[objectType]?.getTime() ?? 0) + occupiedMs > now.getTime();
  const occupancy = Object.fromEntries(camera.classes.map((objectType) => [objectType, isSeen(objectType)]));
  const isProblem = camera.status === "offline" || camera.status === "error";
  return {
    camera_id: camera.id,
    name: camera.name,
    status: camera.status,
    problem: isProblem,
    reason: isProblem ? camera.reason : null,
    last_seen_at: lastSeenAt && new Date(Math.floor(lastSeenAt.getTime() / lastSeenStepMs) * lastSeenStepMs),
    occupied: Object.values(occupancy).some(Boolean),
    occupancy,
    risk_score: event?.riskScore ?? null,
    risk_level: event?.riskLevel ?? null,
    event: event && {
      event_id: event.id,
      started_at: event.startedAt,
      ended_at: event.endedAt,
      object_types: [...event.objectTypes],
      summary: event.summary,
      url: linkOf(event.id),
    },
    alerts_allowed: camera.silencedUntil === null,
    silenced_until: camera.silencedUntil,
  };
}

/** Returns the milliseconds until time alone changes a state; undefined if it changes none. */
export function msUntilChange(
  { mode, alerts, cameras }: HomeNow,
  { occupiedMs }: Pick<StateSettings, "occupiedMs">,
  now: Date,
): number | undefined {
  const ends = [
    mode.pending?.effective_at,
    alerts.heldUntil ?? undefined,
    ...cameras.flatMap(({ seen, silencedUntil }) => [
      ...Object.values(seen).map((at) => new Date(at.getTime() + occupiedMs)),
      silencedUntil ?? undefined,
    ]),
  ];
  const left = ends.flatMap((end) => (end !== undefined && end > now ? [end.getTime() - now.getTime()] : []));
  return left.length === 0 ? undefined : Math.min(...left);
}
