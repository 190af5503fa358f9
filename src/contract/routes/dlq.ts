import { z } from "zod";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { IdText, Instant } from "../values.ts";

export const DeadLetter = z
  .object({
    job_id: z.int(),
    queue: z.string(),
    subject: z.string().meta({ description: "What the job is about: the id of an image or event, `delivery:ID` or `notification:ID`" }),
    error: z.string().nullable(),
    attempts: z.int(),
    created_at: Instant,
    failed_at: Instant.nullable().meta({ description: "When it was last tried" }),
    image: z
      .object({ image_id: z.int(), camera_id: z.string(), path: z.string(), status: z.string(), reason: z.string().nullable() })
      .nullable(),
    event: z.object({ event_id: z.int(), camera_id: z.string(), started_at: Instant, analysis_status: z.string() }).nullable(),
    delivery: z
      .object({
        delivery_id: z.string(),
        webhook_id: z.string(),
        webhook_name: z.string(),
        event_type: z.string(),
        event_id: z.string(),
        status: z.string(),
        attempt_count: z.int(),
      })
      .nullable(),
    notification: z
      .object({
        notification_id: z.string(),
        alert_id: z.string(),
        kind: z.string(),
        channel: z.string(),
        rule_name: z.string(),
        camera_id: z.string(),
        status: z.string(),
        attempt_count: z.int(),
      })
      .nullable(),
  })
  .meta({ id: "DeadLetter" });

const params = z.object({ queue: z.string().meta({ description: "`detect`, `analyze`, `alert` or `deliver`" }) });
const job_id = IdText.optional().meta({ description: "Only this job" });
const refusals = { 404: "There is no such queue, or no such job in it" };

export const dlqRoutes = {
  getDlqStats: route("/api/dlq/stats", {
    method: "get",
    summary: "How many jobs will not be tried again by themselves",
    tag: "system",
    reply: z.object({ queues: z.record(z.string(), z.int()), total_count: z.int() }).meta({ id: "DeadLetterStats" }),
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
    summary: "Have dead letters tried again; a delivery becomes a new one",
    tag: "system",
    params,
    query: z.object({ job_id }),
    reply: z.object({ queue: z.string(), requeued: z.int() }).meta({ id: "Requeued" }),
    refusals,
  }),
  purgeDeadLetters: route("/api/dlq/{queue}", {
    method: "delete",
    summary: "Delete dead letters; what they were about keeps its outcome",
    tag: "system",
    params,
    query: z.object({ job_id }),
    reply: z.object({ queue: z.string(), purged: z.int() }).meta({ id: "Purged" }),
    refusals,
  }),
};
