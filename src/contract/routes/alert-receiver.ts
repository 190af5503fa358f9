import { z } from "zod";
import { receivedStatuses } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { EndInstant, EnumText, Instant, StartInstant } from "../values.ts";

const route = routesOf("alert receiver");

/** Maximum number of alerts that are stored of one message. */
export const mostSentAlerts = 2_000;

const Texts = z.record(z.string(), z.string());
const Status = EnumText(receivedStatuses);

/** One alert as Alertmanager sends it. Unknown fields are ignored because newer versions send more. */
export const SentAlert = z.object({
  status: Status.meta({ description: "Whether the alert is firing" }),
  labels: Texts.meta({ description: "`alertname`, `severity`, `component`, `camera_id` are read; none is required" }),
  annotations: Texts.meta({ description: "`summary` and `description` are read; none is required" }),
  startsAt: Instant.meta({ description: "Time the alert started firing" }),
  endsAt: Instant.nullable().optional().meta({ description: "End of the alert; null or year 1 while it is firing" }),
  generatorURL: z.string().nullable().optional().meta({ description: "URL of the source; may be empty" }),
  fingerprint: z.string().meta({ description: "Fingerprint of the labels" }),
});

/** The body of Alertmanager's webhook, version 4. Unknown fields are ignored. */
export const SentAlerts = z.object({
  version: z.string().meta({ description: "Version of the format; `4`" }),
  groupKey: z.string().meta({ description: "Grouping key in Alertmanager" }),
  truncatedAlerts: z.int().min(0).default(0).meta({ description: "Number of alerts that Alertmanager left out" }),
  status: Status.meta({ description: "`firing` while at least one alert is firing" }),
  receiver: z.string().meta({ description: "Name of the receiver in the Alertmanager configuration" }),
  groupLabels: Texts.meta({ description: "Labels of the group" }),
  commonLabels: Texts.meta({ description: "Labels common to all alerts" }),
  commonAnnotations: Texts.meta({ description: "Annotations common to all alerts" }),
  externalURL: z.string().meta({ description: "URL of Alertmanager" }),
  alerts: z.array(SentAlert).meta({ description: `The alerts of the group; the first ${mostSentAlerts} are stored` }),
});

/** A received alert, stored once per start time and status. */
export const ReceivedAlert = z
  .object({
    fingerprint: z.string().meta({ description: "Fingerprint of the labels", example: "a362b9d52b5559b6" }),
    status: z.enum(receivedStatuses).meta({ description: "Whether the alert was still firing" }),
    alertname: z.string().meta({ description: "The label `alertname`; this and other short texts are cut after 200 characters" }),
    severity: z.string().meta({ description: "The label `severity`; `info` without it", example: "critical" }),
    component: z.string().meta({ description: "The label `component`; `unknown` without it", example: "detector" }),
    camera_id: z.string().nullable().meta({ description: "The label `camera_id`; null without it" }),
    summary: z.string().meta({ description: "The annotation `summary`", example: "Detector is down" }),
    description: z.string().meta({ description: "The annotation `description`", example: "No answer from the detector for 5 minutes" }),
    labels: Texts.meta({ description: "All labels" }),
    annotations: Texts.meta({ description: "All annotations" }),
    started_at: Instant.meta({ description: "Time the alert started firing" }),
    ended_at: Instant.nullable().meta({ description: "End of the alert; null while it is firing" }),
    generator_url: z.string().nullable().meta({ description: "URL of the source", example: "http://prometheus.example:9090/graph" }),
    receiver: z.string().meta({ description: "Name of the receiver in the Alertmanager configuration", example: "homesec" }),
    group_key: z.string().meta({ description: "Grouping key in Alertmanager", example: '{}:{alertname="DetectorDown"}' }),
    external_url: z.string().meta({ description: "URL of Alertmanager", example: "http://alertmanager.example:9093" }),
    first_received_at: Instant.meta({ description: "First receipt" }),
    last_received_at: Instant.meta({ description: "Last receipt" }),
    received_count: z.int().meta({ description: "Number of receipts", example: 1 }),
  })
  .meta({
    id: "ReceivedAlert",
    description: "An alert received from Alertmanager, one per start time and status",
    example: {
      alertname: "DetectorDown",
      labels: { alertname: "DetectorDown", severity: "critical", component: "detector", service: "detector" },
      annotations: { summary: "Detector is down", description: "No answer from the detector for 5 minutes" },
    },
  });

export const alertReceiverRoutes = {
  receiveAlerts: route.post("/api/webhooks/alerts", "Receive alerts from Alertmanager, store them and notify live clients", {
    itemwise: true,
    largeBodyTier: "bulk",
    body: SentAlerts,
    reply: z.object({
      status: z.enum(["ok", "partial"]).meta({ description: "`partial` when some alerts were not stored" }),
      received: z.int().meta({ description: "Alerts of the request", example: 1 }),
      processed: z.int().meta({ description: "Alerts stored by this or an earlier request", example: 1 }),
      message: z.string().meta({ description: "Summary, including errors", example: "1 of 1 alerts processed" }),
    }),
    example: {
      body: {
        version: "4",
        groupKey: '{}:{alertname="DetectorDown"}',
        truncatedAlerts: 0,
        receiver: "homesec",
        groupLabels: { alertname: "DetectorDown" },
        commonLabels: { alertname: "DetectorDown", severity: "critical", component: "detector", service: "detector" },
        commonAnnotations: { summary: "Detector is down", description: "No answer from the detector for 5 minutes" },
        externalURL: "http://alertmanager.example:9093",
        alerts: [
          {
            status: "firing",
            labels: { alertname: "DetectorDown", severity: "critical", component: "detector", service: "detector" },
            annotations: { summary: "Detector is down", description: "No answer from the detector for 5 minutes" },
            startsAt: "2026-01-31T21:40:13.790Z",
            endsAt: "0001-01-01T00:00:00Z",
            generatorURL: "http://prometheus.example:9090/graph",
            fingerprint: "a362b9d52b5559b6",
          },
        ],
      },
    },
  }),
  listReceivedAlerts: route.get("/api/webhooks/alerts", "List received alerts, newest first", {
    query: z.object({
      status: Status.optional().meta({ description: "Only firing, or only resolved alerts" }),
      severity: z.string().optional().meta({ description: "Only with this label `severity`" }),
      start_date: StartInstant.optional(),
      end_date: EndInstant.optional(),
      ...pageQuery,
    }),
    reply: listOf(ReceivedAlert),
  }),
};
