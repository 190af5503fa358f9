import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { StoredVerdict } from "../../src/alerting/alerts/verdicts-repository.ts";
import { type AnswerOutcome, answerOutcomes } from "../../src/alerting/answers/take.ts";
import { channelKinds, channels, leftOutReasons, objectTypes, riskLevels, severities } from "../../src/contract/constants.ts";
import { JournalMessage } from "../../src/contract/live.ts";
import type { LeftOut } from "../../src/monitoring/upstream/left-out.ts";
import type { DetectOutcome } from "../../src/pipeline/detect.ts";
import { type QueueName, queueNames } from "../../src/work/jobs/jobs-repository.ts";
import type { PublishedRow } from "../../src/work/journal/journal-repository.ts";
import { type UpstreamName, upstreamNames } from "../../src/work/operations/upstream-state.ts";

const stages = ["watch", "batch", ...queueNames] as const;
const deliveryChannels = [...channels, ...channelKinds, "outbound_webhook"] as const;
const deliveryOutcomes = ["success", "retry", "failure"] as const;
const pictureOutcomes = ["processed", "skipped", "deferred", "failed"] as const satisfies readonly DetectOutcome[];
const verdictOutcomes = ["raised", "suppressed", "silenced", "not_matched"] as const;
const journalTypes = JournalMessage.options.map(({ shape }) => shape.type.value);

/** Receives reports from the parts of the daemon as they work. Times are in seconds. */
export interface Work {
  /** Files of a camera were added to the ledger; `pending` of them are still to be processed. */
  picturesRegistered(cameraId: string, files: { readonly added: number; readonly pending: number }): void;
  /** The detect stage has finished with a picture, or deferred it. `leftOut`: parts of the detector's answer. */
  pictureDone(outcome: DetectOutcome, leftOut: readonly LeftOut[]): void;
  /** `watch`: from arrival of a live picture to its ledger entry. `batch`: how long it was open. Queues: from claim to end of a job. */
  stageDone(stage: (typeof stages)[number], seconds: number): void;
  /** A job failed because of a fault in homesec. */
  jobFailed(queue: QueueName): void;
  /** This process published entries of the journal. */
  published(rows: readonly PublishedRow[]): void;
  ruleVerdicts(verdicts: readonly Pick<StoredVerdict, "outcome" | "silence_id">[]): void;
  deliveryAttempted(channel: (typeof deliveryChannels)[number], outcome: (typeof deliveryOutcomes)[number]): void;
  /** Someone pressed a button of a message on a phone. */
  phoneAnswered(outcome: AnswerOutcome): void;
  /** A recipient was notified this many seconds after the alert or event was ready. */
  notified(seconds: number): void;
  upstreamAsked(service: UpstreamName, outcome: "success" | "failure", seconds: number): void;
  /** A call of one of the detectors has ended; `detector` is its place in DETECTOR_URL. */
  detectorAsked(detector: string, outcome: "success" | "failure"): void;
  breakerOpened(service: UpstreamName): void;
  httpAnswered(seconds: number): void;
  selftested(passed: boolean): void;
}

/** Maximum number of cameras with separate time series. A home has about a dozen. Further cameras share one label value. */
const maxCameras = 100;

/** Returns the label value of a camera: its id, or `other` beyond the first hundred. */
export type CameraLabels = (cameraId: string) => string;

/** Creates the camera labels of one daemon, first come, first served. */
export function createCameraLabels(): CameraLabels {
  const known = new Set<string>();
  return (cameraId) => {
    if (known.size < maxCameras) known.add(cameraId);
    return known.has(cameraId) ? cameraId : "other";
  };
}

/** Creates the metrics of the daemon's work. */
export function createWorkMetrics(registry: Registry, cameraLabel: CameraLabels): Work {
  const metrics = createInstruments(registry);
  return {
    picturesRegistered: (cameraId, { added, pending }) => {
      metrics.pictures.inc({ camera_id: cameraLabel(cameraId) }, added);
      metrics.finished.inc({ outcome: "skipped" }, added - pending);
    },
    pictureDone: (outcome, leftOut) => {
      metrics.finished.inc({ outcome });
      for (const { reason, count } of leftOut) metrics.leftOut.inc({ reason }, count);
    },
    stageDone: (stage, seconds) => metrics.durations.observe({ stage }, seconds),
    jobFailed: (queue) => metrics.failures.inc({ queue }),
    published: (rows) => {
      for (const { type, data } of rows) {
        metrics.entries.inc({ type });
        if (type === "detection.new") metrics.detections.inc({ object_type: known(objectTypes, data, "object_type") ?? "other" });
        const level = type === "batch.analysis_completed" ? known(riskLevels, data, "risk_level") : undefined;
        if (level) metrics.judged.inc({ risk_level: level });
        const severity = type === "alert_created" ? known(severities, data, "severity") : undefined;
        if (severity) metrics.alerts.inc({ severity });
      }
    },
    ruleVerdicts: (rows) => {
      for (const { outcome, silence_id } of rows) metrics.verdicts.inc({ outcome: silence_id === null ? outcome : "silenced" });
    },
    deliveryAttempted: (channel, outcome) => metrics.attempts.inc({ channel, outcome }),
    phoneAnswered: (outcome) => metrics.answers.inc({ outcome }),
    notified: (seconds) => metrics.delays.observe(seconds),
    upstreamAsked: (service, outcome, seconds) => {
      metrics.upstreamRequests.inc({ service, outcome });
      metrics.upstreamDurations.observe({ service }, seconds);
    },
    detectorAsked: (detector, outcome) => metrics.detectorRequests.inc({ detector, outcome }),
    breakerOpened: (service) => metrics.breakerOpens.inc({ service }),
    httpAnswered: (seconds) => metrics.httpDurations.observe(seconds),
    selftested: (passed) => {
      metrics.selftests.inc({ outcome: passed ? "passed" : "failed" });
      metrics.selftestFailing.set(passed ? 0 : 1);
    },
  };
}

/** Creates counters and histograms. Known label values start at 0, so that the first event shows as an increase. */
function createInstruments(registry: Registry) {
  const registers = [registry];
  const counter = (name: string, help: string, labels: LabelValues = {}) => {
    const created = new Counter({ name: `homesec_${name}`, help, labelNames: Object.keys(labels), registers });
    for (const values of combinations(labels)) created.inc(values, 0);
    return created;
  };
  const histogram = (name: string, help: string, buckets: number[], labels: LabelValues = {}) => {
    const created = new Histogram({ name: `homesec_${name}`, help, buckets, labelNames: Object.keys(labels), registers });
    for (const values of combinations(labels)) created.zero(values);
    return created;
  };
  const service = upstreamNames;
  return {
    pictures: counter("pictures_total", "Files added to the ledger, by camera; cameras beyond the first 100 count as other", {
      camera_id: [],
    }),
    finished: counter("pictures_finished_total", `Pictures by outcome: ${pictureOutcomes.join(", ")}; deferred ones count again`, {
      outcome: pictureOutcomes,
    }),
    durations: histogram("stage_duration_seconds", `Duration of each stage: ${stages.join(", ")}`, workBuckets, { stage: stages }),
    failures: counter("job_failures_total", "Stage runs that failed because of a fault in homesec, by queue", { queue: queueNames }),
    entries: counter("journal_entries_total", "Journal entries published to clients, by type", { type: journalTypes }),
    detections: counter("detections_total", "Objects detected, by class", { object_type: [...objectTypes, "other"] }),
    leftOut: counter("detections_left_out_total", "Detections left out of the detector's answers or kept without their box, by reason", {
      reason: leftOutReasons,
    }),
    judged: counter("events_judged_total", "Events scored, by risk level", { risk_level: riskLevels }),
    alerts: counter("alerts_total", "Alerts raised, by severity", { severity: severities }),
    verdicts: counter(
      "rule_verdicts_total",
      "Rule verdicts on events: raised, suppressed (by a cooldown), silenced (by a silence), not_matched",
      { outcome: verdictOutcomes },
    ),
    attempts: counter("delivery_attempts_total", `Messages sent by ${deliveryChannels.join(", ")}: ${deliveryOutcomes.join(", ")}`, {
      channel: deliveryChannels,
      outcome: deliveryOutcomes,
    }),
    answers: counter("phone_answers_total", `Buttons pressed on phones: ${answerOutcomes.join(", ")}`, { outcome: answerOutcomes }),
    delays: histogram("notification_delay_seconds", "Time from the alert until a recipient was notified", delayBuckets),
    upstreamRequests: counter("upstream_requests_total", "Calls to upstream services: success, failure", {
      service,
      outcome: ["success", "failure"],
    }),
    detectorRequests: counter("detector_requests_total", "Calls to each detector, by its place in DETECTOR_URL: success, failure", {
      detector: [],
      outcome: [],
    }),
    upstreamDurations: histogram("upstream_request_duration_seconds", "Duration of calls to upstream services", workBuckets, { service }),
    breakerOpens: counter("circuit_breaker_opens_total", "Times that the circuit breaker of a service opened", { service }),
    httpDurations: histogram("http_request_duration_seconds", "Duration of HTTP requests", httpBuckets),
    selftests: counter("selftests_total", "Self-tests by outcome: passed, failed", { outcome: ["passed", "failed"] }),
    selftestFailing: new Gauge({
      name: "homesec_selftest_failing",
      help: "1 from a failed self-test until the next one passes",
      registers,
    }),
  };
}

/** A detector answers within milliseconds to half a minute, a language model within seconds to two minutes. */
const workBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 30, 60, 120];
const delayBuckets = [1, 5, 15, 60, 300, 1_800, 7_200, 86_400];
const httpBuckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Returns the value of a field in an entry if it is one of `values`, which have a time series each. */
function known<V extends string>(values: readonly V[], data: string, field: string): V | undefined {
  const value = (JSON.parse(data) as Readonly<Record<string, unknown>>)[field];
  return values.find((each) => each === value);
}

type LabelValues = Readonly<Record<string, readonly string[]>>;

/** Returns all combinations of label values. A label without known values yields none. */
function combinations(labels: LabelValues): readonly Readonly<Record<string, string>>[] {
  return Object.entries(labels).reduce<readonly Readonly<Record<string, string>>[]>(
    (before, [name, values]) => before.flatMap((each) => values.map((value) => ({ ...each, [name]: value }))),
    [{}],
  );
}
