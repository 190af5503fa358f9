import type { ReplyOf } from "../../src/contract/routes/index.ts";

export type Camera = ReplyOf<"listCameras">["cameras"][number];
export type Event = ReplyOf<"listEvents">["items"][number];
export type EventWithDetections = ReplyOf<"getEvent">;
export type Alert = ReplyOf<"listAlerts">["items"][number];
export type Explanation = ReplyOf<"explainEvent">;
export type Health = ReplyOf<"getFullHealth">;
export type Pipeline = ReplyOf<"getPipeline">;
export type Silence = ReplyOf<"listSilences">["items"][number];
export type Telemetry = ReplyOf<"getTelemetry">;
