import { leastConfidence } from "../../../monitoring/upstream/deepstack.ts";
import type { Config } from "../../../platform/config/config.ts";
import { uselessSecondOpinion } from "../../../platform/config/cross-checks.ts";
import { detectorAddress, detectorList, usesBuiltInDetector } from "../../../platform/config/detector-address.ts";
import type { LiveSettings } from "../../../platform/config/settings.ts";
import { type Check, finding, type Outcome, ok } from "../check.ts";

export const serviceSettings: Check = {
  id: "service-settings",
  replaces: ["confidence-thresholds", "unused-services"],
  group: "upstream",
  title: "Confidence thresholds",
  severity: "warning",
  finds:
    "DETECTION_CONFIDENCE_THRESHOLD drops nearly everything, or has no effect below the confidence that the detector reports; DETECTOR_SECOND_OPINION_BELOW has no effect",
  run: async (examination) => thresholds(examination.config(), await examination.settings()),
};

function thresholds({ detectorConfidence }: Config, settings: LiveSettings): Outcome {
  const { detectorUrl, detectionConfidenceThreshold: threshold } = settings;
  if (threshold >= 0.95)
    return finding(
      `homesec stores only detections with a confidence of ${threshold} or more, which are rare`,
      "homesec config set --detection-confidence-threshold 0.5",
    );
  const list = detectorList(detectorUrl);
  if (usesBuiltInDetector(detectorUrl) && list.length <= 1 && detectorConfidence > threshold)
    return finding(
      `The built-in detector reports nothing below ${detectorConfidence} (DETECTOR_CONFIDENCE), so the threshold of ${threshold} has no effect`,
      `Set DETECTOR_CONFIDENCE=${threshold}`,
    );
  const isDeepStack = list.length > 0 && list.every((address) => detectorAddress(address).api === "deepstack");
  if (isDeepStack && threshold < leastConfidence)
    return finding(
      `homesec asks the detector at DETECTOR_URL for nothing below ${leastConfidence}, so the threshold of ${threshold} has no effect`,
      `homesec config set --detection-confidence-threshold ${leastConfidence}`,
    );
  const useless = uselessSecondOpinion(settings);
  if (useless !== undefined) return finding(useless, "homesec config set --detector-second-opinion-below 0");
  return ok(`threshold ${threshold}`);
}
