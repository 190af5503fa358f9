import { dayMs } from "../../../base/clock/clock.ts";
import { modelFault } from "../../../monitoring/detector-model/model-file.ts";
import { createDetector } from "../../../monitoring/upstream/detector.ts";
import type { EventFacts } from "../../../monitoring/upstream/facts.ts";
import { createLanguageModel, type Judgement, type LanguageModel } from "../../../monitoring/upstream/language-model.ts";
import type { Config } from "../../../platform/config/config.ts";
import type { LiveSettings } from "../../../platform/config/settings.ts";
import { type Check, finding, NotPossible, type Outcome, ok, skipped } from "../check.ts";
import { judgedEvents } from "../doctor-repository.ts";
import {
  answered,
  answerTimeoutMs,
  clientOptions,
  examplePicture,
  faulty,
  findService,
  pictureSize,
  refused,
  unanswered,
} from "../upstreams.ts";
import { listed, splitFix } from "../wording.ts";

const detector: Check = {
  id: "detector",
  group: "upstream",
  title: "Detector",
  severity: "error",
  finds: "The detector cannot be reached, or its answer to a small picture is wrong",
  fix: "Start it, or correct DETECTOR_URL",
  async run(examination, signal) {
    const service = await findService(examination, "detector", examination.config().detectorUrl);
    const client = createDetector({ url: service.url, ...clientOptions(examination, service) });
    try {
      const result = await client.detect(await examplePicture(), signal);
      if (result.kind === "refused") return refused(service, result.detail);
      if (result.kind === "unavailable") return await unanswered(service, result);
      const { width, height, inferenceMs, dropped } = result;
      const isSized = width !== null && height !== null;
      const faults = [
        ...Object.entries(dropped).map(([reason, count]) => `${count} of its detections cannot be used (${reason.replaceAll("_", " ")})`),
        ...(isSized ? [] : ["image_width and image_height are missing"]),
        ...(isSized && (width !== pictureSize.width || height !== pictureSize.height)
          ? [`it says ${width} x ${height} for a picture of ${pictureSize.width} x ${pictureSize.height}: boxes will be wrong`]
          : []),
        ...(inferenceMs === null ? ["inference_time_ms is missing"] : []),
      ];
      return faults.length > 0 ? faulty(service, listed(faults)) : await answered(service, `${Math.round(inferenceMs ?? 0)} ms`);
    } finally {
      await client.close();
    }
  },
};

const exportModel = "Export a YOLO detector to ONNX and set DETECTOR_MODEL_PATH to its file";

const detectorModel: Check = {
  id: "detector-model",
  group: "upstream",
  title: "Model of the built-in detector",
  severity: "error",
  finds: "The file of DETECTOR_MODEL_PATH is missing, is not a YOLO model in ONNX format, or has no class that homesec uses",
  fix: exportModel,
  run: (examination) => {
    const config = examination.config();
    if (config.detectorModelPath === undefined) throw new NotPossible("DETECTOR_MODEL_PATH is not set");
    if (config.detectorUrl !== undefined) throw new NotPossible("DETECTOR_URL replaces the built-in detector");
    const fault = modelFault(config);
    if (fault === undefined) return ok(config.detectorModelPath);
    const [text, fix = exportModel] = splitFix(fault);
    return finding(text, fix);
  },
};

const languageModel: Check = {
  id: "language-model",
  group: "upstream",
  title: "Language model",
  severity: "error",
  finds: "The language model cannot be reached, or its answer to an example holds no risk assessment",
  fix: "Start it, or correct LANGUAGE_MODEL_URL; it must answer with one JSON object",
  async run(examination, signal) {
    const service = await findService(examination, "language_model", examination.config().languageModelUrl);
    const client = createLanguageModel({ url: service.url, ...clientOptions(examination, service) });
    try {
      const result = await judgeExample(client, signal);
      if (result.kind === "rejected") return refused(service, result.error);
      if (result.kind === "unavailable") return await unanswered(service, result);
      if (result.kind === "unreadable") {
        return finding(
          `The language model (${result.analyzedBy}) answers, but without a risk assessment: ${result.error}. It wrote: ${result.answer.replace(/\s+/g, " ").slice(0, 120)}`,
          "Use a model that follows instructions, or supports JSON output; its answers must contain risk_score, summary and reasoning",
        );
      }
      return await answered(service, `${result.analyzedBy} scored the example ${result.verdict.riskScore}`);
    } finally {
      await client.close();
    }
  },
};

/** An invented event for the language model to assess. It is stored nowhere. */
const exampleFacts: EventFacts = {
  camera: { id: "homesec-doctor", name: "Example of homesec doctor" },
  startedAt: "2026-01-31T22:15:03Z",
  endedAt: "2026-01-31T22:15:41Z",
  local: { hour: 22, minute: 15, weekday: "saturday", timeZone: "UTC" },
  dwellSeconds: 38,
  frames: 3,
  objects: [{ type: "person", detections: 3, maxConfidence: 0.91, meanConfidence: 0.84, maxSimultaneous: 1, largestShareOfPicture: 0.08 }],
  anomaly: null,
  readings: [],
};

/** The client may send two requests; both together get the time limit of one. */
async function judgeExample(client: LanguageModel, signal: AbortSignal): Promise<Judgement> {
  const overdue = AbortSignal.timeout(answerTimeoutMs);
  try {
    return await client.judge(exampleFacts, AbortSignal.any([signal, overdue]));
  } catch (error) {
    if (!overdue.aborted) throw error;
    const detail = `no assessment within ${answerTimeoutMs / 1000} s`;
    return { kind: "unavailable", reason: "timeout", detail, retryAt: new Date(0) };
  }
}

const settings: Check = {
  id: "service-settings",
  replaces: ["confidence-thresholds", "unused-services"],
  group: "upstream",
  title: "Settings of the services",
  severity: "warning",
  finds:
    "DETECTION_CONFIDENCE_THRESHOLD drops nearly everything, or has no effect below DETECTOR_CONFIDENCE; or a service has a URL, but its feature is off",
  fix: "homesec config set --detection-confidence-threshold 0.5; turn the feature on, or remove the URL",
  run: async (examination) => {
    const live = await examination.settings();
    return [thresholds(examination.config(), live), unusedServices(live)];
  },
};

function thresholds({ detectorUrl, detectorConfidence }: Config, { detectionConfidenceThreshold: threshold }: LiveSettings): Outcome {
  if (threshold >= 0.95)
    return finding(
      `homesec stores only detections with a confidence of ${threshold} or more, which are rare`,
      "homesec config set --detection-confidence-threshold 0.5",
    );
  if (detectorUrl === undefined && detectorConfidence > threshold)
    return finding(
      `The built-in detector reports nothing below ${detectorConfidence} (DETECTOR_CONFIDENCE), so the threshold of ${threshold} has no effect`,
      `Set DETECTOR_CONFIDENCE=${threshold}`,
    );
  return ok(`threshold ${threshold}`);
}

function unusedServices({ visionExtractionEnabled, reidEnabled, visionUrl, embedderUrl, enrichmentUrl }: LiveSettings): Outcome {
  const unused = [
    ...(visionUrl !== null && !visionExtractionEnabled ? (["VISION_URL"] as const) : []),
    ...(enrichmentUrl !== null && !visionExtractionEnabled ? (["ENRICHMENT_URL"] as const) : []),
    ...(embedderUrl !== null && !reidEnabled ? (["EMBEDDER_URL"] as const) : []),
  ];
  if (unused.length === 0) return ok();
  const switches = [...new Set(unused.map((name) => (name === "EMBEDDER_URL" ? "REID_ENABLED" : "VISION_EXTRACTION_ENABLED")))];
  return finding(
    `${unused.join(" and ")} ${unused.length === 1 ? "is" : "are"} set but not used, because ${switches.join(" and ")} ${switches.length === 1 ? "is" : "are"} off`,
    `Set ${switches.map((name) => `${name}=true`).join(" and ")}, or remove ${unused.join(" and ")}`,
  );
}

const minAssessed = 3;

const analyses: Check = {
  id: "analyses",
  group: "upstream",
  title: "Risk assessments",
  severity: "warning",
  finds: "Within the last day, more risk assessments failed than succeeded",
  fix: "See why with homesec explain; use a model that answers correctly",
  async run(examination) {
    const since = new Date(examination.clock.now().getTime() - dayMs);
    const { judged, failed } = await (await examination.rows()).query((sql) => judgedEvents(sql, since));
    if (judged + failed < minAssessed) return skipped("too few events within the last day");
    if (failed <= judged) return ok(`${judged} succeeded, ${failed} failed`);
    return finding(
      `Within the last day, the risk assessment of ${failed} of ${judged + failed} events failed`,
      "See why: homesec dlq list --queue analyze. The language model must answer with one JSON object (check language-model)",
    );
  },
};

export const upstreamChecks: readonly Check[] = [detector, detectorModel, languageModel, settings, analyses];
