import { z } from "zod";
import { examples } from "../examples.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { EndInstant, EnumText, Instant, StartInstant } from "../values.ts";

export const receivedStatuses = ["firing", "resolved"] as const;

const Texts = z.record(z.string(), z.string());
const Status = EnumText(receivedStatuses);

/** One alert as an alert manager sends it. Unknown fields are ignored: newer versions send more. */
export const SentAlert = z.object({
  status: Status,
  labels: Texts.meta({ description: "`alertname`, `severity`, `component`, `camera_id` are read; none is required" }),
  annotations: Texts.meta({ description: "`summary` and `description` are read; none is required" }),
  startsAt: Instant,
  endsAt: Instant.nullable().optional().meta({ description: "Null or in year 1 while it fires" }),
  generatorURL: z.string().nullable().optional(),
  fingerprint: z.string(),
});

/** The body of the alert manager's webhook, version 4. Unknown fields are ignored. */
export const SentAlerts = z
  .object({
    version: z.string(),
    groupKey: z.string(),
    truncatedAlerts: z.int().min(0).default(0),
    status: Status,
    receiver: z.string(),
    groupLabels: Texts,
    commonLabels: Texts,
    commonAnnotations: Texts,
    externalURL: z.string(),
    alerts: z.array(SentAlert),
  })
  .meta({ examples: [examples.sentAlerts] });

/** An alert that was received, once per start and state, however often it was repeated. */
export const ReceivedAlert = z
  .object({
    fingerprint: z.string(),
    status: z.enum(receivedStatuses),
    alertname: z.string(),
    severity: z.string(),
    component: z.string(),
    camera_id: z.string().nullable(),
    summary: z.string(),
    description: z.string(),
    labels: Texts,
    annotations: Texts,
    started_at: Instant,
    ended_at: Instant.nullable(),
    generator_url: z.string().nullable(),
    receiver: z.string(),
    group_key: z.string(),
    external_url: z.string(),
    first_received_at: Instant,
    last_received_at: Instant,
    received_count: z.int().meta({ description: "How often it was sent" }),
  })
  .meta({ id: "ReceivedAlert" });

export const alertReceiverRoutes = {
  receiveAlerts: route("/api/webhooks/alerts", {
    method: "post",
    summary: "Receive alerts of an alert manager: log them, store each once, tell live clients of each",
    tag: "alert receiver",
    itemwise: true,
    body: SentAlerts,
    reply: z.object({
      status: z.enum(["ok", "partial"]).meta({ description: "`partial`: some could not be stored" }),
      received: z.int(),
      processed: z.int(),
      message: z.string(),
    }),
  }),
  listReceivedAlerts: route("/api/webhooks/alerts", {
    method: "get",
    summary: "List the alerts that were received, the newest first",
    tag: "alert receiver",
    query: z.object({
      status: Status.optional(),
      severity: z.string().optional(),
      start_date: StartInstant.optional(),
      end_date: EndInstant.optional(),
      ...pageQuery,
    }),
    reply: listOf(ReceivedAlert),
  }),
};
