import { modelFault } from "../../../monitoring/detector-model/check.ts";
import { createDetector } from "../../../monitoring/upstream/detector.ts";
import { createLanguageModel, type Judgement, type LanguageModel } from "../../../monitoring/upstream/language-model.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { exampleFacts } from "../example-facts.ts";
import { answered, answerMs, clientOptions, examplePicture, faulty, findService, pictureSize, refused, unanswered } from "../upstreams.ts";
import { listed } from "../wording.ts";

const detector: Check = {
  id: "detector",
  group: "upstream",
  title: "Detector",
  severity: "error",
  finds: "The detector cannot be reached, or its answer to a small picture is not what was agreed",
  remedy: "Start it, or correct DETECTOR_URL",
  async run(examination, signal) {
    const service = await findService(examination, "detector", examination.config().detectorUrl);
    const client = createDetector({ url: service.url, ...clientOptions(examination, service) });
    try {
      const result = await client.detect(await examplePicture(), signal);
      if (result.kind === "refused") return refused(service, result.detail);
      if (result.kind === "unavailable") return await unanswered(service, result);
      const { width, height, inferenceMs, dropped } = result;
      const faults = [
        ...Object.entries(dropped).map(([reason, count]) => `${count} of its detections cannot be used (${reason.replaceAll("_", " ")})`),
        ...(width === null || height === null ? ["image_width and image_height are missing"] : []),
        ...(width !== null && height !== null && (width !== pictureSize.width || height !== pictureSize.height)
          ? [`a picture of ${pictureSize.width} x ${pictureSize.height} is called ${width} x ${height}: boxes will be wrong`]
          : []),
        ...(inferenceMs === null ? ["inference_time_ms is missing"] : []),
      ];
      return faults.length > 0 ? faulty(service, listed(faults)) : await answered(service, `${Math.round(inferenceMs ?? 0)} ms`);
    } finally {
      await client.close();
    }
  },
};

const detectorModel: Check = {
  id: "detector-model",
  group: "upstream",
  title: "Model of the built-in detector",
  severity: "error",
  finds: "The file of DETECTOR_MODEL_PATH is missing, is no YOLO model in ONNX form, or knows no class of ours",
  remedy: "Export a YOLO detector to ONNX and name its file with DETECTOR_MODEL_PATH",
  run: (examination) => {
    const config = examination.config();
    if (config.detectorModelPath === undefined) throw new NotPossible("DETECTOR_MODEL_PATH is not set");
    if (config.detectorUrl !== undefined) throw new NotPossible("DETECTOR_URL replaces the built-in detector");
    const fault = modelFault(config);
    if (fault === undefined) return ok(config.detectorModelPath);
    const [what, ...how] = fault.split("; ");
    return finding(what ?? fault, how.join("; ") || "Export a YOLO detector to ONNX and name its file with DETECTOR_MODEL_PATH");
  },
};

const languageModel: Check = {
  id: "language-model",
  group: "upstream",
  title: "Language model",
  severity: "error",
  finds: "The language model cannot be reached, or no judgement can be read in what it answers to an example",
  remedy: "Start it, or correct LANGUAGE_MODEL_URL; have it answer with one JSON object",
  async run(examination, signal) {
    const service = await findService(examination, "language_model", examination.config().languageModelUrl);
    const client = createLanguageModel({ url: service.url, ...clientOptions(examination, service) });
    try {
      const result = await judgedInTime(client, signal);
      if (result.kind === "rejected") return refused(service, result.error);
      if (result.kind === "unavailable") return await unanswered(service, result);
      if (result.kind === "unreadable") {
        return finding(
          `The language model (${result.analyzedBy}) answers, but no judgement can be read in it: ${result.error}. It wrote: ${result.answer.replace(/\s+/g, " ").slice(0, 120)}`,
          "Take a model that follows instructions, or one that can be held to JSON; its answers must hold risk_score, summary and reasoning",
        );
      }
      return await answered(service, `${result.analyzedBy} scored the example ${result.verdict.riskScore}`);
    } finally {
      await client.close();
    }
  },
};

/** Two questions may be asked: together they have the time of one. */
async function judgedInTime(client: LanguageModel, signal: AbortSignal): Promise<Judgement> {
  const overdue = AbortSignal.timeout(answerMs);
  try {
    return await client.judge(exampleFacts, AbortSignal.any([signal, overdue]));
  } catch (error) {
    if (!overdue.aborted) throw error;
    return { kind: "unavailable", reason: "timeout", detail: `no judgement within ${answerMs / 1000} s`, retryAt: new Date(0) };
  }
}

const thresholds: Check = {
  id: "confidence-thresholds",
  group: "upstream",
  title: "Confidence thresholds",
  severity: "warning",
  finds: "DETECTION_CONFIDENCE_THRESHOLD lets next to nothing pass, or the built-in detector holds back what it would let pass",
  remedy: "homesec config set --detection-confidence-threshold 0.5",
  async run(examination) {
    const { detectorUrl, detectorConfidence } = examination.config();
    const { detectionConfidenceThreshold: threshold } = await examination.settings();
    if (threshold >= 0.95)
      return finding(
        `Only detections with a confidence of ${threshold} or more are stored: next to none`,
        "homesec config set --detection-confidence-threshold 0.5",
      );
    if (detectorUrl === undefined && detectorConfidence > threshold) {
      return finding(
        `The built-in detector tells nothing below ${detectorConfidence} (DETECTOR_CONFIDENCE), so that the threshold of ${threshold} has no effect`,
        `Set DETECTOR_CONFIDENCE=${threshold}`,
      );
    }
    return ok(`${threshold}`);
  },
};

export const upstreamChecks: readonly Check[] = [detector, detectorModel, languageModel, thresholds];
