import type { Config } from "../../../platform/config/config.ts";
import type { LiveSettings } from "../../../platform/config/settings.ts";
import { type Check, finding, type Outcome, ok } from "../check.ts";

export const serviceSettings: Check = {
  id: "service-settings",
  replaces: ["confidence-thresholds", "unused-services"],
  group: "upstream",
  title: "Settings of the services",
  severity: "warning",
  finds:
    "DETECTION_CONFIDENCE_THRESHOLD drops nearly everything, or has no effect below DETECTOR_CONFIDENCE; or a service has a URL, but its feature is off",
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
