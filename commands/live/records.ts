import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";

export type Camera = Reply<Routes["listCameras"]>["cameras"][number];
export type Event = Reply<Routes["listEvents"]>["items"][number];
export type EventWithDetections = Reply<Routes["getEvent"]>;
export type Alert = Reply<Routes["listAlerts"]>["items"][number];
export type Explanation = Reply<Routes["explainEvent"]>;
export type Health = Reply<Routes["getFullHealth"]>;
export type Pipeline = Reply<Routes["getPipeline"]>;
export type Silence = Reply<Routes["listSilences"]>["items"][number];
export type Telemetry = Reply<Routes["getTelemetry"]>;
