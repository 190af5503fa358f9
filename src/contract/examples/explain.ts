import type { z } from "zod";
import type { explainRoutes, Step } from "../routes/explain.ts";
import { alert } from "./alerts.ts";
import { camera, cameraId } from "./cameras.ts";
import { person } from "./detections.ts";
import { event } from "./events.ts";
import type { ExamplesOf } from "./example.ts";
import { alertId, batchId, eventId, imageId, notificationId, picturePath, ruleId, ruleName } from "./ids.ts";
import { image } from "./images.ts";
import { matchedConditions } from "./rules.ts";

type Steps = z.input<typeof Step>[];

const seen: Steps = [
  {
    at: image.taken_at,
    step: "file_seen",
    status: "done",
    text: `2026-01-31_22-15-00.jpg (184226 bytes, image/jpeg, 768 x 576) arrived at camera ${cameraId} and was seen at once.`,
    details: { image_id: imageId, camera_id: cameraId, path: picturePath, found_by: "watch" },
  },
  {
    at: image.found_at,
    step: "file_complete",
    status: "done",
    text: `It was complete and entered into the ledger as image ${imageId}, 14 ms after its arrival.`,
    details: { image_id: imageId, sha256: image.sha256 },
  },
  {
    at: image.finished_at,
    step: "detection",
    status: "done",
    text: "The detector built-in looked at it (331 ms of inference, 371 ms in all) and kept 1 detection: person 89 %.",
    details: {
      image_id: imageId,
      outcome: "processed",
      reason: null,
      detections: [{ id: person.id, object_type: "person", confidence: person.confidence }],
    },
  },
];

const judged: Steps = [
  {
    at: "2026-01-31T22:16:10.901Z",
    step: "batch",
    status: "done",
    text: "The batch held 2 detections within 40.3 s and was closed since nothing more came.",
    details: { batch_id: batchId, status: "closed", close_reason: "idle", detection_count: 2 },
  },
  {
    at: event.created_at,
    step: "event",
    status: "done",
    text: `Event ${eventId} of camera ${cameraId} was stored with 2 detections (dog, person).`,
    details: { event_id: eventId, kind: "event", camera_id: cameraId, object_types: event.object_types },
  },
  {
    at: "2026-01-31T22:16:11.350Z",
    step: "score",
    status: "done",
    text: "The event has risk score 72 (high); judged by built-in scorer.",
    details: { analysis_status: "completed", risk_score: 72, risk_level: "high", risk_factors: event.risk_factors },
  },
];

const raised: Steps = [
  {
    at: alert.created_at,
    step: "rule",
    status: "done",
    text: `Rule "${ruleName}" matched (${matchedConditions.join(", ")}) and raised alert ${alertId}.`,
    details: { rule_id: ruleId, outcome: "raised", matched_conditions: matchedConditions, alert_id: alertId },
  },
  {
    at: alert.created_at,
    step: "alert",
    status: "done",
    text: `Alert ${alertId} (high) was raised by rule "${ruleName}". It was delivered 646 ms after it was raised.`,
    details: { alert_id: alertId, event_id: eventId, rule_id: ruleId, severity: "high", status: "delivered" },
  },
  {
    at: alert.delivered_at,
    step: "notification",
    status: "done",
    text: "The notification by email was sent 646 ms after it was queued.",
    details: { notification_id: notificationId, alert_id: alertId, channel: "email", status: "sent", attempt_count: 1 },
  },
];

const outcome = `Alert ${alertId} (high) was raised by rule "${ruleName}" and is delivered: sent by email; webhook failed (The target answered 404).`;

export const explainExamples = {
  explainEvent: {
    reply: {
      subject: { type: "event", id: String(eventId) },
      found: true,
      trace: batchId,
      outcome,
      steps: [...seen, ...judged, ...raised],
    },
  },
  explainImage: {
    reply: {
      subject: { type: "image", id: String(imageId) },
      found: true,
      trace: batchId,
      outcome: `The picture is part of event ${eventId}. ${outcome}`,
      steps: [...seen, ...judged, ...raised],
    },
  },
  explainPath: {
    reply: {
      subject: { type: "path", id: picturePath },
      found: true,
      trace: batchId,
      outcome: `The picture is part of event ${eventId}. ${outcome}`,
      steps: [...seen, ...judged, ...raised],
    },
  },
  explainAlert: {
    reply: { subject: { type: "alert", id: alertId }, found: true, trace: batchId, outcome, steps: [...judged, ...raised] },
  },
  explainMoment: {
    reply: {
      subject: { type: "camera", id: cameraId },
      found: true,
      trace: null,
      outcome: `Camera ${cameraId}, within 30 s of 2026-01-31T22:15:00.000Z: 1 picture, 1 event.`,
      steps: [
        {
          at: null,
          step: "camera",
          status: "note",
          text: `Camera ${cameraId} is online now; its newest picture is of ${camera.last_seen_at}.`,
          details: { camera_id: cameraId, status: camera.status, last_seen_at: camera.last_seen_at },
        },
        {
          at: image.taken_at,
          step: "detection",
          status: "done",
          text: `Image ${imageId}, 2026-01-31_22-15-00.jpg: The detector built-in looked at it and kept 1 detection: person 89 %. Part of event ${eventId}.`,
          details: { image_id: imageId, outcome: "processed", reason: null },
        },
        {
          at: event.started_at,
          step: "event",
          status: "done",
          text: `Event ${eventId} of camera ${cameraId} was stored with 2 detections (dog, person). ${outcome}`,
          details: { event_id: eventId, kind: "event", camera_id: cameraId, object_types: event.object_types },
        },
      ],
    },
  },
} satisfies ExamplesOf<typeof explainRoutes>;
