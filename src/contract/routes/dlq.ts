import { z } from "zod";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { CameraIdText, IdText, Instant } from "../values.ts";

export const DeadLetter = z
  .object({
    job_id: z.int().meta({ description: "Id of the job", example: 70113 }),
    queue: z.string().meta({ description: "The queue in which it waited", example: "detect" }),
    subject: z.string().meta({ description: "What the job is about: the id of an image or event, `delivery:ID` or `notification:ID`" }),
    error: z.string().nullable().meta({ description: "Last error", example: "The detector refused the picture: status 400" }),
    attempts: z.int().meta({ description: "Number of attempts", example: 1 }),
    created_at: Instant.meta({ description: "When the job was made" }),
    failed_at: Instant.nullable().meta({ description: "Time of the last attempt", example: "2026-01-30T16:22:09.911Z" }),
    image: z
      .object({
        image_id: z.int().meta({ description: "Its entry in the ledger" }),
        camera_id: CameraIdText,
        path: z.string().meta({ description: "On the disk of the daemon" }),
        status: z.string().meta({ description: "What became of it" }),
        reason: z.string().nullable().meta({ description: "Why, as one word of a closed list" }),
      })
      .nullable()
      .meta({ description: "The picture, in the queue `detect`; else null" }),
    event: z
      .object({
        event_id: z.int().meta({ description: "Id of the event" }),
        camera_id: CameraIdText,
        started_at: Instant.meta({ description: "Time of its first picture" }),
        analysis_status: z.string().meta({ description: "Status of the analysis" }),
      })
      .nullable()
      .meta({ description: "The event, in the queues `enrich`, `analyze` and `alert`; else null" }),
    delivery: z
      .object({
        delivery_id: z.string().meta({ description: "Id of the delivery" }),
        webhook_id: z.string().meta({ description: "Id of its webhook" }),
        webhook_name: z.string().meta({ description: "What people call that webhook" }),
        event_type: z.string().meta({ description: "Event type of the delivery" }),
        event_id: z.string().meta({ description: "Subject: id of an event, alert or entity" }),
        status: z.string().meta({ description: "Delivery status" }),
        attempt_count: z.int().meta({ description: "Attempts made" }),
      })
      .nullable()
      .meta({ description: "The delivery to an outbound webhook, in the queue `deliver`; else null" }),
    notification: z
      .object({
        notification_id: z.string().meta({ description: "Id of the notification" }),
        alert_id: z.string().nullable().meta({ description: "Id of its alert; null where it tells of a silence that is over" }),
        silence_id: z.string().nullable().meta({ description: "Id of the silence that is over; null where it is about an alert" }),
        kind: z
          .string()
          .meta({ description: "`alert`, `digest` of what an alert held back, `end` of its incident, or `silence` that is over" }),
        channel: z.string().meta({ description: "Channel" }),
        rule_name: z.string().nullable().meta({ description: "The rule that raised the alert, or that was silenced" }),
        camera_id: z.string().nullable().meta({ description: "The camera of the alert, or that was silenced" }),
        status: z.string().meta({ description: "Delivery status" }),
        attempt_count: z.int().meta({ description: "Attempts made" }),
      })
      .nullable()
      .meta({ description: "The notification of an alert or of a silence, in the queue `deliver`; else null" }),
  })
  .meta({
    id: "DeadLetter",
    description: "A failed job that is not retried automatically, with its subject",
    example: {
      subject: "55790",
      image: {
        image_id: 55790,
        camera_id: "front-door",
        path: "/var/lib/homesec/cameras/front-door/2026-01-30_16-22-09.jpg",
        status: "failed",
        reason: "refused",
      },
    },
  });

const Queue = z.string().meta({ description: "The queue", example: "detect" });
const params = z.object({ queue: z.string().meta({ description: "`detect`, `analyze`, `alert` or `deliver`" }) });
const job_id = IdText.optional().meta({ description: "Only this job" });
const refusals = { 404: "There is no such queue, or no such job in it" };

export const dlqRoutes = {
  getDlqStats: route("/api/dlq/stats", {
    method: "get",
    summary: "Count dead letters per queue",
    tag: "system",
    reply: z
      .object({
        queues: z.record(z.string(), z.int()).meta({ description: "How many of each queue" }),
        total_count: z.int().meta({ description: "How many in all", example: 1 }),
      })
      .meta({
        id: "DeadLetterStats",
        description: "Count dead letters per queue",
        example: { queues: { detect: 1, enrich: 0, analyze: 0, alert: 0, deliver: 0 } },
      }),
  }),
  listDeadLetters: route("/api/dlq/{queue}", {
    method: "get",
    summary: "The dead letters of a queue, newest first",
    tag: "system",
    params,
    query: z.object({ job_id, ...pageQuery }),
    reply: listOf(DeadLetter),
    refusals,
  }),
  requeueDeadLetters: route("/api/dlq/{queue}/requeue", {
    method: "post",
    summary: "Requeue dead letters; a delivery gets a new id",
    tag: "system",
    params,
    query: z.object({ job_id }),
    reply: z
      .object({ queue: Queue, requeued: z.int().meta({ description: "Requeued jobs; jobs of disabled webhooks stay" }) })
      .meta({ id: "Requeued", description: "Number of requeued dead letters", example: { requeued: 1 } }),
    refusals: { ...refusals, 409: "The job is for a webhook that is disabled" },
  }),
  purgeDeadLetters: route("/api/dlq/{queue}", {
    method: "delete",
    summary: "Delete dead letters; their subjects keep their status",
    tag: "system",
    params,
    query: z.object({ job_id }),
    reply: z
      .object({ queue: Queue, purged: z.int().meta({ description: "Jobs that were deleted" }) })
      .meta({ id: "Purged", description: "How many dead letters were deleted", example: { purged: 1 } }),
    refusals,
  }),
};
