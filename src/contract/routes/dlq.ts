import { z } from "zod";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, IdText, Instant } from "../values.ts";

const route = routesOf("system");

export const DeadLetter = z
  .object({
    job_id: z.int().meta({ description: "Id of the job", example: 70113 }),
    queue: z.string().meta({ description: "Queue of the job", example: "detect" }),
    subject: z.string().meta({ description: "Subject of the job: the id of an image or event, `delivery:ID` or `notification:ID`" }),
    error: z.string().nullable().meta({ description: "Last error", example: "The detector refused the picture: status 400" }),
    attempts: z.int().meta({ description: "Number of attempts", example: 1 }),
    created_at: Instant.meta({ description: "Time the job was created" }),
    failed_at: Instant.nullable().meta({ description: "Time of the last attempt", example: "2026-01-30T16:22:09.911Z" }),
    image: z
      .object({
        image_id: z.int().meta({ description: "Id of its entry in the ledger" }),
        camera_id: CameraIdText,
        path: z.string().meta({ description: "Path on the daemon's disk" }),
        status: z.string().meta({ description: "Status of the picture" }),
        reason: z.string().nullable().meta({ description: "Reason of the status, as one word of a closed list" }),
      })
      .nullable()
      .meta({ description: "Picture, in the queue `detect`; otherwise null" }),
    event: z
      .object({
        event_id: z.int().meta({ description: "Id of the event" }),
        camera_id: CameraIdText,
        started_at: Instant.meta({ description: "Time of its first picture" }),
        analysis_status: z.string().meta({ description: "Status of the analysis" }),
      })
      .nullable()
      .meta({ description: "Event, in the queues `enrich`, `analyze` and `alert`; otherwise null" }),
    delivery: z
      .object({
        delivery_id: z.string().meta({ description: "Id of the delivery" }),
        webhook_id: z.string().meta({ description: "Id of its webhook" }),
        webhook_name: z.string().meta({ description: "Name of its webhook" }),
        event_type: z.string().meta({ description: "Event type of the delivery" }),
        event_id: z.string().meta({ description: "Subject: id of an event, alert or entity" }),
        status: z.string().meta({ description: "Delivery status" }),
        attempt_count: z.int().meta({ description: "Attempts made" }),
      })
      .nullable()
      .meta({ description: "Delivery to an outbound webhook, in the queue `deliver`; otherwise null" }),
    notification: z
      .object({
        notification_id: z.string().meta({ description: "Id of the notification" }),
        alert_id: z.string().nullable().meta({ description: "Id of its alert; null for the summary of a silence or a day" }),
        silence_id: z.string().nullable().meta({ description: "Id of the ended silence; null for an alert" }),
        kind: z.string().meta({
          description:
            "`alert`; `repeat` of a critical alert; `digest`: summary of suppressed alerts; `end`: end of the incident; `catch_up`: alerts that were held back for a recipient; `silence`: summary of an ended silence; `summary`: the daily summary",
        }),
        channel: z.string().meta({ description: "Channel" }),
        rule_name: z
          .string()
          .nullable()
          .meta({ description: "Name of the rule that raised the alert or was muted; null if a `catch_up` is about several" }),
        camera_id: z
          .string()
          .nullable()
          .meta({ description: "Camera that the alert is about or that was muted; null if a `catch_up` is about several" }),
        recipient: z.string().nullable().meta({ description: "Recipient of a `catch_up`; otherwise null" }),
        alert_count: z.int().nullable().meta({ description: "Number of alerts of a `catch_up`; otherwise null" }),
        status: z.string().meta({ description: "Delivery status" }),
        attempt_count: z.int().meta({ description: "Attempts made" }),
      })
      .nullable()
      .meta({ description: "Notification of alerts or a silence, in the queue `deliver`; otherwise null" }),
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

const Queue = z.string().meta({ description: "Name of the queue", example: "detect" });
const params = z.object({ queue: z.string().meta({ description: "`detect`, `analyze`, `alert` or `deliver`" }) });
const job_id = IdText.optional().meta({ description: "Only this job" });
const refusals = { 404: "The queue does not exist, or it does not contain this job" };

export const dlqRoutes = {
  getDlqStats: route.get("/api/dlq/stats", "Count dead letters per queue", {
    reply: z
      .object({
        queues: z.record(z.string(), z.int()).meta({ description: "Number of dead letters per queue" }),
        total_count: z.int().meta({ description: "Total number of dead letters", example: 1 }),
      })
      .meta({
        id: "DeadLetterStats",
        description: "Dead letters per queue",
        example: { queues: { detect: 1, enrich: 0, analyze: 0, alert: 0, deliver: 0 } },
      }),
  }),
  listDeadLetters: route.get("/api/dlq/{queue}", "List the dead letters of a queue, newest first", {
    params,
    query: z.object({ job_id, ...pageQuery }),
    reply: listOf(DeadLetter),
    refusals,
  }),
  requeueDeadLetters: route.post("/api/dlq/{queue}/requeue", "Requeue dead letters; a delivery gets a new id", {
    params,
    query: z.object({ job_id }),
    reply: z
      .object({ queue: Queue, requeued: z.int().meta({ description: "Requeued jobs; jobs of disabled webhooks stay" }) })
      .meta({ id: "Requeued", description: "Number of requeued dead letters", example: { requeued: 1 } }),
    refusals: { ...refusals, 409: "The webhook of the job is disabled" },
  }),
  purgeDeadLetters: route.delete("/api/dlq/{queue}", "Delete dead letters; their subjects keep their status", {
    params,
    query: z.object({ job_id }),
    reply: z
      .object({ queue: Queue, purged: z.int().meta({ description: "Number of deleted jobs" }) })
      .meta({ id: "Purged", description: "Number of deleted dead letters", example: { purged: 1 } }),
    refusals,
  }),
};
