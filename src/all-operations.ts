import { analyticsOperations } from "./admin/analytics/operations.ts";
import { dlqOperations } from "./admin/dead-letters/operations.ts";
import { doctorOperations } from "./admin/doctor/operations.ts";
import { documentOperations } from "./admin/documents/operations.ts";
import { evidenceOperations } from "./admin/evidence/operations.ts";
import { explainOperations } from "./admin/explain/operations.ts";
import { gpuOperations } from "./admin/gpu/operations.ts";
import { keyOperations } from "./admin/keys/operations.ts";
import { systemOperations } from "./admin/system/operations.ts";
import { alertReceiverOperations } from "./alerting/alert-receiver/operations.ts";
import { alertOperations } from "./alerting/alerts/operations.ts";
import { modeOperations } from "./alerting/mode-switching/operations.ts";
import { notificationOperations } from "./alerting/notifications/operations.ts";
import { channelOperations } from "./alerting/phones/operations.ts";
import { recipientOperations } from "./alerting/recipients/operations.ts";
import { ruleDraftOperations } from "./alerting/rule-drafts/operations.ts";
import { ruleOperations } from "./alerting/rules/operations.ts";
import { silenceOperations } from "./alerting/silences/operations.ts";
import { summaryOperations } from "./alerting/summaries/operations.ts";
import { webPushOperations } from "./alerting/web-push/operations.ts";
import { webhookOperations } from "./alerting/webhooks/operations.ts";
import { baselineOperations } from "./monitoring/baselines/operations.ts";
import { detectionBulkOperations } from "./monitoring/bulk/detections.ts";
import { eventBulkOperations } from "./monitoring/bulk/events.ts";
import { cameraOperations } from "./monitoring/cameras/operations.ts";
import { detectionOperations } from "./monitoring/detections/operations.ts";
import { detectionStatisticsOperations } from "./monitoring/detections/statistics.ts";
import { entityOperations } from "./monitoring/entities/operations.ts";
import { eventOperations } from "./monitoring/events/operations.ts";
import { eventStatisticsOperations } from "./monitoring/events/statistics.ts";
import { imageOperations } from "./monitoring/images/operations.ts";
import { maskOperations } from "./monitoring/masks/operations.ts";
import { parkingOperations } from "./monitoring/parked/operations.ts";
import { pullOperations } from "./monitoring/pulls/operations.ts";
import { receiverOperations } from "./monitoring/receivers/operations.ts";
import { sceneOperations } from "./monitoring/scenes/operations.ts";
import { shareOperations } from "./monitoring/shares/operations.ts";
import { zoneOperations } from "./monitoring/zones/operations.ts";
import type { Operations } from "./work/operations/operation.ts";

/** The use case of each route. */
export const operations: Operations = {
  ...cameraOperations,
  ...receiverOperations,
  ...pullOperations,
  ...parkingOperations,
  ...baselineOperations,
  ...sceneOperations,
  ...zoneOperations,
  ...maskOperations,
  ...detectionOperations,
  ...detectionBulkOperations,
  ...entityOperations,
  ...eventOperations,
  ...eventBulkOperations,
  ...eventStatisticsOperations,
  ...detectionStatisticsOperations,
  ...alertReceiverOperations,
  ...alertOperations,
  ...silenceOperations,
  ...modeOperations,
  ...analyticsOperations,
  ...ruleOperations,
  ...ruleDraftOperations,
  ...imageOperations,
  ...explainOperations,
  ...systemOperations,
  ...gpuOperations,
  ...doctorOperations,
  ...webhookOperations,
  ...dlqOperations,
  ...notificationOperations,
  ...summaryOperations,
  ...channelOperations,
  ...webPushOperations,
  ...recipientOperations,
  ...shareOperations,
  ...evidenceOperations,
  ...keyOperations,
  ...documentOperations,
};
