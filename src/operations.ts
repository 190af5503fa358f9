import { alertReceiverOperations } from "./alert-receiver/operations.ts";
import { alertOperations } from "./alerts/operations.ts";
import { analyticsOperations } from "./analytics/operations.ts";
import { baselineOperations } from "./baselines/operations.ts";
import { detectionBulkOperations } from "./bulk/detections.ts";
import { eventBulkOperations } from "./bulk/events.ts";
import { cameraOperations } from "./cameras/operations.ts";
import { dlqOperations } from "./dead-letters/operations.ts";
import { detectionOperations } from "./detections/operations.ts";
import { detectionStatisticsOperations } from "./detections/statistics.ts";
import { documentOperations } from "./documents/operations.ts";
import { entityOperations } from "./entities/operations.ts";
import { eventOperations } from "./events/operations.ts";
import { eventStatisticsOperations } from "./events/statistics.ts";
import { explainOperations } from "./explain/operations.ts";
import { gpuOperations } from "./gpu/operations.ts";
import { imageOperations } from "./images/operations.ts";
import { notificationOperations } from "./notifications/operations.ts";
import type { Operations } from "./operations/operation.ts";
import { ruleOperations } from "./rules/operations.ts";
import { sceneOperations } from "./scenes/operations.ts";
import { silenceOperations } from "./silences/operations.ts";
import { systemOperations } from "./system/operations.ts";
import { webhookOperations } from "./webhooks/operations.ts";

/** The use case of each route. */
export const operations: Operations = {
  ...cameraOperations,
  ...baselineOperations,
  ...sceneOperations,
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
  ...analyticsOperations,
  ...ruleOperations,
  ...imageOperations,
  ...explainOperations,
  ...systemOperations,
  ...gpuOperations,
  ...webhookOperations,
  ...dlqOperations,
  ...notificationOperations,
  ...documentOperations,
};
