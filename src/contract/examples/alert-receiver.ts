import type { alertReceiverRoutes } from "../routes/alert-receiver.ts";
import type { ExamplesOf } from "./example.ts";
import { listOf } from "./page.ts";

const labels = { alertname: "DetectorDown", severity: "critical", component: "detector", service: "detector" };
const annotations = { summary: "Detector is down", description: "No answer from the detector for 5 minutes" };
const fingerprint = "a362b9d52b5559b6";
const generatorUrl = "http://prometheus.example:9090/graph";
const groupKey = '{}:{alertname="DetectorDown"}';
const alertManager = "http://alertmanager.example:9093";

export const alertReceiverExamples = {
  receiveAlerts: {
    body: {
      version: "4",
      groupKey,
      truncatedAlerts: 0,
      status: "firing",
      receiver: "homesec",
      groupLabels: { alertname: labels.alertname },
      commonLabels: labels,
      commonAnnotations: annotations,
      externalURL: alertManager,
      alerts: [
        {
          status: "firing",
          labels,
          annotations,
          startsAt: "2026-01-31T21:40:13.790Z",
          endsAt: "0001-01-01T00:00:00Z",
          generatorURL: generatorUrl,
          fingerprint,
        },
      ],
    },
    reply: { status: "ok", received: 1, processed: 1, message: "1 of 1 alerts processed" },
  },
  listReceivedAlerts: {
    reply: listOf({
      fingerprint,
      status: "firing" as const,
      alertname: labels.alertname,
      severity: labels.severity,
      component: labels.component,
      camera_id: null,
      summary: annotations.summary,
      description: annotations.description,
      labels,
      annotations,
      started_at: "2026-01-31T21:40:13.790Z",
      ended_at: null,
      generator_url: generatorUrl,
      receiver: "homesec",
      group_key: groupKey,
      external_url: alertManager,
      first_received_at: "2026-01-31T21:45:14.022Z",
      last_received_at: "2026-01-31T21:45:14.022Z",
      received_count: 1,
    }),
  },
} satisfies ExamplesOf<typeof alertReceiverRoutes>;
