import { alertReceiverExamples } from "./alert-receiver.ts";
import { alertExamples } from "./alerts.ts";
import { analyticsExamples } from "./analytics.ts";
import { baselineExamples } from "./baselines.ts";
import { cameraExamples } from "./cameras.ts";
import { detectionExamples } from "./detections.ts";
import { dlqExamples } from "./dlq.ts";
import { documentExamples } from "./documents.ts";
import { entityExamples } from "./entities.ts";
import { eventExamples } from "./events.ts";
import type { Examples } from "./example.ts";
import { explainExamples } from "./explain.ts";
import { gpuExamples } from "./gpu.ts";
import { imageExamples } from "./images.ts";
import { notificationExamples } from "./notifications.ts";
import { ruleExamples } from "./rules.ts";
import { sceneExamples } from "./scenes.ts";
import { silenceExamples } from "./silences.ts";
import { statisticsExamples } from "./statistics.ts";
import { systemExamples } from "./system.ts";
import { webhookExamples } from "./webhooks.ts";

/**
 * An example of each body and reply, for the document of the API and nothing else: load them when it is made. A route without one
 * does not compile.
 */
export const examples: Examples = {
  ...cameraExamples,
  ...baselineExamples,
  ...sceneExamples,
  ...detectionExamples,
  ...entityExamples,
  ...eventExamples,
  ...imageExamples,
  ...explainExamples,
  ...statisticsExamples,
  ...alertReceiverExamples,
  ...ruleExamples,
  ...alertExamples,
  ...silenceExamples,
  ...analyticsExamples,
  ...systemExamples,
  ...gpuExamples,
  ...webhookExamples,
  ...dlqExamples,
  ...notificationExamples,
  ...documentExamples,
};
