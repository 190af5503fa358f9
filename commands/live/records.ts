import type { ReplyOf } from "../../src/contract/routes/index.ts";

export type Camera = ReplyOf<"listCameras">["cameras"][number];
export type Event = ReplyOf<"listEvents">["items"][number];
export type EventWithDetections = ReplyOf<"getEvent">;
export type Alert = ReplyOf<"listAlerts">["items"][number];
export type Explanation = ReplyOf<"explainEvent">;
export type Health = ReplyOf<"getFullHealth">;
export type Mode = ReplyOf<"getMode">;
export type Pipeline = ReplyOf<"getPipeline">;
export type Silence = ReplyOf<"listSilences">["items"][number];
export type Telemetry = ReplyOf<"getTelemetry">;

/** The silences that mute every alert of a camera now, longest first. Excludes silences of single rules. */
export function silencesOf(silences: readonly Silence[], cameraId: string, now: Date): readonly Silence[] {
  return silencesAbout(silences, cameraId, now).filter(({ rule_id }) => rule_id === null);
}

/** The silences that mute some alerts of a camera now, longest first. */
export function silencesAbout(silences: readonly Silence[], cameraId: string, now: Date): readonly Silence[] {
  return silences
    .filter(({ camera_id, ends_at }) => (camera_id === null || camera_id === cameraId) && ends_at > now)
    .toSorted((a, b) => b.ends_at.getTime() - a.ends_at.getTime());
}
