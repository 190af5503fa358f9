import { recentAnswers } from "../../../monitoring/images/left-out-repository.ts";
import { createDetector, type Detected } from "../../../monitoring/upstream/detector.ts";
import type { SeenObject } from "../../../monitoring/upstream/detector-answer.ts";
import { leftOutText, percentText, unusableAnswers } from "../../../monitoring/upstream/left-out.ts";
import { builtInDetector, detectorAddress, detectorList, detectorOrigin } from "../../../platform/config/detector-address.ts";
import { type Check, combine, finding, NotPossible, type Outcome, ok } from "../check.ts";
import type { Examination } from "../examination.ts";
import { answered, faulty, peoplePicture, pictureSize, probeService, type Service } from "../upstreams.ts";
import { listed } from "../wording.ts";

const detector: Check = {
  id: "detector",
  group: "upstream",
  title: "Detector",
  severity: "error",
  finds: "The detector cannot be reached, its answer to a picture with people is wrong, or it finds no person in it",
  run: async (examination, signal) => {
    const { detectionConfidenceThreshold: threshold, detectorUrl } = await examination.settings();
    const addresses = detectorList(detectorUrl).filter((address) => address !== builtInDetector);
    const [first, ...others] = addresses;
    if (others.length === 0) return await probeOne(examination, signal, { url: first, threshold });
    return combine(await Promise.all(addresses.map((url) => probeOne(examination, signal, { url, threshold }))));
  },
};

/** Asks the detector at an address; without one, the built-in one. */
async function probeOne(
  examination: Examination,
  signal: AbortSignal,
  { url, threshold }: { readonly url: string | undefined; readonly threshold: number },
): Promise<Outcome> {
  return await probeService(
    examination,
    { name: "detector", url, create: createDetector },
    async (client) => client.detect(await peoplePicture(), signal),
    async (answer, service) => {
      const problems = [...wrongForm(answer, service), ...noPerson(answer.detections, threshold, service)];
      if (problems.length > 0) return combine(problems);
      return await answered(
        service,
        `found a person with ${percentText(bestPerson(answer.detections))}, ${Math.round(answer.inferenceMs ?? 0)} ms`,
      );
    },
  );
}

function wrongForm({ width, height, inferenceMs, leftOut, detections }: Detected, service: Service): readonly Outcome[] {
  // Servers with the API of DeepStack report no size.
  const isOptional = detectorAddress(service.url).api === "deepstack";
  const isSized = width !== null && height !== null;
  // A detector may know classes that homesec does not count, as long as it knows some of the others.
  const unusable = leftOut.filter(({ reason }) => reason !== "other_class" && (reason !== "unknown_class" || detections.length === 0));
  const faults = [
    ...(unusable.length > 0 ? [leftOutText(unusable).replace(/\.$/, "")] : []),
    ...(isSized || isOptional ? [] : ["image_width and image_height are missing"]),
    ...(isSized && (width !== pictureSize.width || height !== pictureSize.height)
      ? [`it says ${width} x ${height} for a picture of ${pictureSize.width} x ${pictureSize.height}: boxes will be wrong`]
      : []),
    ...(inferenceMs === null && !isOptional ? ["inference_time_ms is missing"] : []),
  ];
  return faults.length > 0 ? [faulty(service, listed(faults))] : [];
}

function noPerson(detections: readonly SeenObject[], threshold: number, { variable, builtIn }: Service): readonly Outcome[] {
  const best = bestPerson(detections);
  if (best >= threshold) return [];
  const model = builtIn ? "Set DETECTOR_MODEL_PATH to a model" : `Give the detector at ${variable} a model`;
  return best < 0
    ? [finding("The detector found no person in a picture with five people", `${model} that knows people`, "warning")]
    : [
        finding(
          `The detector found a person with ${percentText(best)} in a picture with five people, and DETECTION_CONFIDENCE_THRESHOLD is ${percentText(threshold)}`,
          `Set a lower DETECTION_CONFIDENCE_THRESHOLD, or use another model`,
          "warning",
        ),
      ];
}

/** The highest confidence of a person, or -1. */
function bestPerson(detections: readonly SeenObject[]): number {
  return Math.max(-1, ...detections.flatMap(({ objectType, confidence }) => (objectType === "person" ? confidence : [])));
}

const detectorAnswers: Check = {
  id: "detector-answers",
  group: "upstream",
  title: "Answers of the detector",
  severity: "warning",
  finds: "homesec could not use most detections of the last day, with an example",
  run: async (examination) => {
    const { detectorUrl } = await examination.settings();
    const addresses = detectorList(detectorUrl).filter((address) => address !== builtInDetector);
    if (addresses.length === 0) throw new NotPossible("the built-in detector is in use");
    const db = await examination.rows();
    const bad: Outcome[] = [];
    for (const origin of new Set(addresses.map(detectorOrigin))) {
      const fault = unusableAnswers(await db.query((sql) => recentAnswers(sql, origin, examination.clock.now())));
      if (fault === undefined) continue;
      bad.push(
        finding(
          `The detector at ${origin} answers, but ${fault}`,
          "Make the service at DETECTOR_URL answer as docs/services.md describes; homesec explain image PATH shows one picture",
        ),
      );
    }
    return bad.length > 0 ? combine(bad) : ok();
  },
};

export const detectorChecks: readonly Check[] = [detector, detectorAnswers];
