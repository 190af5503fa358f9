import { z } from "zod";
import { ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, IdText, Instant, IntText, StorableInstant } from "../values.ts";

const route = routesOf("explain");

const stepStatuses = ["done", "waiting", "stopped", "failed", "note"] as const;

/** Steps from the file to the notification, in order. */
const stepNames = [
  "camera",
  "file",
  "file_seen",
  "file_complete",
  "delivery_note",
  "same_content",
  "detection",
  "parked",
  "more_pictures",
  "batch",
  "event",
  "analysis",
  "score",
  "mode",
  "rule",
  "silence",
  "alert",
  "recipient",
  "notification",
  "notification_attempt",
  "webhook_delivery",
  "webhook_attempt",
  "change",
] as const;

export const Step = z
  .object({
    at: Instant.nullable().meta({ description: "Time of the step; null without a time" }),
    step: z.enum(stepNames).meta({ description: "Step of the pipeline" }),
    status: z.enum(stepStatuses).meta({
      description:
        "`done`: succeeded; `waiting`: continues automatically; `stopped`: ended here for the reason in the text; `failed`: needs attention; `note`: a fact",
    }),
    text: z.string().meta({ description: "Description" }),
    details: z.record(z.string(), z.unknown()).meta({ description: "Values of the step; the keys depend on the step" }),
  })
  .meta({
    id: "Step",
    description: "One step from the file to the notification",
  });

/** What happened to a subject, from the file to the notification. */
export const Explanation = z
  .object({
    subject: z
      .object({
        type: z.enum(["event", "image", "alert", "path", "camera"]).meta({ description: "Kind of subject" }),
        id: z.string().meta({ description: "Id as text, or the path" }),
      })
      .meta({ description: "Subject of the explanation" }),
    found: z.boolean().meta({ description: "Whether the subject exists; if not, the steps give possible reasons" }),
    trace: z.string().nullable().meta({ description: "Trace id of its log lines: the id of its batch; null without a batch" }),
    outcome: z.string().meta({ description: "The answer in one or two sentences" }),
    steps: z.array(Step).meta({ description: "Steps in pipeline order" }),
  })
  .meta({
    id: "Explanation",
    description: "What happened to a subject, from the file to the notification",
    example: {
      subject: { type: "event", id: "1207" },
      found: true,
      trace: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3",
      outcome:
        'Alert 6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11 (high) was raised by rule "People at night" and is delivered: sent by email; webhook failed (The target answered 404).',
      steps: [
        {
          at: "2026-01-31T22:15:00.120Z",
          step: "file_seen",
          status: "done",
          text: "2026-01-31_22-15-00.jpg (184226 bytes, image/jpeg, 768 x 576) arrived at camera front-door and was seen at once.",
          details: { image_id: 55830, camera_id: "front-door" },
        },
        {
          at: "2026-01-31T22:16:10.901Z",
          status: "done",
          step: "event",
          text: "Event 1207 of camera front-door was stored with 1 detection (person).",
          details: { event_id: 1207, kind: "event", camera_id: "front-door", object_types: ["person"] },
        },
        {
          at: "2026-01-31T22:16:11.372Z",
          step: "alert",
          status: "done",
          text: 'Alert 6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11 (high) was raised by rule "People at night". It was delivered 646 ms after it was raised.',
          details: { alert_id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11", severity: "high", status: "delivered" },
        },
      ],
    },
  });

export const explainRoutes = {
  explainEvent: route.get("/api/events/{event_id}/explain", "Explain how an event was created and why it did or did not raise alerts", {
    params: z.object({ event_id: IdText }),
    reply: Explanation,
    refusals: { 404: "No event has this id" },
  }),
  explainImage: route.get("/api/images/{image_id}/explain", "Explain what happened to a picture", {
    params: z.object({ image_id: IdText }),
    reply: Explanation,
    refusals: { 404: "No entry of the ledger has this id" },
    example: { reply: { subject: { type: "image", id: "55830" } } },
  }),
  explainPath: route.get("/api/images/explain", "Explain what happened to a file, or why it is not in the ledger", {
    query: z.object({
      path: z.string().max(4096).regex(/^\//, "Must be an absolute path").meta({ description: "Absolute path on the daemon's disk" }),
    }),
    reply: Explanation,
    example: { reply: { subject: { type: "path", id: "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg" } } },
  }),
  explainAlert: route.get("/api/alerts/{alert_id}/explain", "Explain why an alert was raised and where it was sent", {
    params: z.object({ alert_id: z.string().meta({ description: "Id of an alert" }) }),
    reply: Explanation,
    refusals: { 404: "No alert has this id" },
    example: { reply: { subject: { type: "alert", id: "6f1c2f0a-3d1e-4a57-9a39-0c7b8f0f1a11" } } },
  }),
  explainMoment: route.get("/api/cameras/{camera_id}/explain", "Explain what a camera recorded around a time, or why nothing", {
    params: z.object({ camera_id: CameraIdText }),
    query: z.object({
      at: StorableInstant.meta({ description: "Time, as an ISO 8601 timestamp" }),
      within_seconds: IntText(...ranges.explainWithinSeconds)
        .default(60)
        .meta({ description: "Maximum distance of pictures and events from that time, in seconds" }),
    }),
    reply: Explanation,
    refusals: { 404: "No camera has this id" },
    example: {
      reply: {
        subject: { type: "camera", id: "front-door" },
        trace: null,
        outcome: "Camera front-door, within 30 s of 2026-01-31T22:15:00.000Z: 1 picture, 1 event.",
      },
    },
  }),
};
