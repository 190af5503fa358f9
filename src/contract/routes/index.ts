import type { Reply } from "../route.ts";
import { alertReceiverRoutes } from "./alert-receiver.ts";
import { alertRoutes } from "./alerts.ts";
import { analyticsRoutes } from "./analytics.ts";
import { baselineRoutes } from "./baselines.ts";
import { cameraRoutes } from "./cameras.ts";
import { channelRoutes } from "./channels.ts";
import { detectionBulkRoutes, detectionRoutes } from "./detections.ts";
import { dlqRoutes } from "./dlq.ts";
import { entityRoutes } from "./entities.ts";
import { eventRoutes } from "./events.ts";
import { evidenceRoutes } from "./evidence.ts";
import { explainRoutes } from "./explain.ts";
import { imageRoutes } from "./images.ts";
import { keyRoutes } from "./keys.ts";
import { maskRoutes } from "./masks.ts";
import { modeRoutes } from "./modes.ts";
import { notificationRoutes } from "./notifications.ts";
import { parkingRoutes } from "./parking.ts";
import { pullRoutes } from "./pulls.ts";
import { receiverRoutes } from "./receivers.ts";
import { recipientRoutes } from "./recipients.ts";
import { ruleDraftRoutes } from "./rule-drafts.ts";
import { ruleRoutes } from "./rules.ts";
import { sceneRoutes } from "./scenes.ts";
import { shareRoutes } from "./shares.ts";
import { silenceRoutes } from "./silences.ts";
import { statisticsRoutes } from "./statistics.ts";
import { summaryRoutes } from "./summaries.ts";
import { documentRoutes, systemRoutes } from "./system.ts";
import { doctorRoutes } from "./system-doctor.ts";
import { gpuRoutes } from "./system-gpu.ts";
import { webPushRoutes } from "./web-push.ts";
import { webhookRoutes } from "./webhooks.ts";
import { zoneRoutes } from "./zones.ts";

/** Every route of homesec by its operation id. */
export const routes = {
  ...cameraRoutes,
  ...receiverRoutes,
  ...pullRoutes,
  ...parkingRoutes,
  ...baselineRoutes,
  ...sceneRoutes,
  ...zoneRoutes,
  ...maskRoutes,
  ...detectionRoutes,
  ...detectionBulkRoutes,
  ...entityRoutes,
  ...eventRoutes,
  ...imageRoutes,
  ...explainRoutes,
  ...statisticsRoutes,
  ...alertReceiverRoutes,
  ...ruleRoutes,
  ...ruleDraftRoutes,
  ...alertRoutes,
  ...silenceRoutes,
  ...modeRoutes,
  ...analyticsRoutes,
  ...summaryRoutes,
  ...systemRoutes,
  ...gpuRoutes,
  ...doctorRoutes,
  ...webhookRoutes,
  ...dlqRoutes,
  ...notificationRoutes,
  ...channelRoutes,
  ...webPushRoutes,
  ...recipientRoutes,
  ...shareRoutes,
  ...evidenceRoutes,
  ...keyRoutes,
  ...documentRoutes,
};
export type Routes = typeof routes;
export type OperationId = keyof Routes;
/** The decoded JSON reply of an operation. */
export type ReplyOf<K extends OperationId> = Reply<Routes[K]>;
