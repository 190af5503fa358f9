import { isSameObject } from "./compare-detectors.ts";
import type { Detected } from "./detector.ts";
import type { SeenObject } from "./detector-answer.ts";
import { LeftOutTally, percentText } from "./left-out.ts";

/** When a second detector gets the picture too. */
export interface SecondOpinionRule {
  /** Objects below this confidence do not count. */
  readonly threshold: number;
  /** A picture is uncertain if its most confident object is below this; 0: never. */
  readonly below: number;
}

/** Whether a picture shows something, but nothing that the detector is confident of. */
export function isUncertain(detections: readonly SeenObject[], { threshold, below }: SecondOpinionRule): boolean {
  const best = Math.max(0, ...detections.map(({ confidence }) => confidence));
  return best >= threshold && best < below;
}

/**
 * Combines the answers of two detectors about an uncertain picture. An object that both saw stays, with the higher confidence; one that
 * only the first saw is left out and counted. The second adds no objects. Objects below the threshold stay as they are: they do not count.
 */
export function withSecondOpinion(first: Detected, second: Detected, { threshold }: SecondOpinionRule): Detected {
  const tally = new LeftOutTally();
  tally.addAll(first.leftOut);
  const seenByBoth: SeenObject[] = [];
  const detections = first.detections.flatMap((one): readonly SeenObject[] => {
    if (one.confidence < threshold) return [one];
    const same = second.detections.filter((other) => isSameObject(one, other));
    if (same.length === 0) {
      tally.add("second_opinion", () => `${one.objectType} ${percentText(one.confidence)}`);
      return [];
    }
    const both = { ...one, confidence: Math.max(one.confidence, ...same.map(({ confidence }) => confidence)) };
    seenByBoth.push(both);
    return [both];
  });
  const named = seenByBoth.map(({ objectType, confidence }) => `${objectType} ${percentText(confidence)}`).join(", ");
  const note =
    named === "" ? `The second detector ${second.detector} saw none of it.` : `The second detector ${second.detector} also saw: ${named}.`;
  return { ...first, detections, leftOut: tally.list(), note };
}

/** The answer to an uncertain picture if no other detector processed it: a failing detector never means that nothing is there. */
export function withoutSecondOpinion(first: Detected): Detected {
  return { ...first, note: "No other detector gave a second opinion, so homesec kept the answer of the first one." };
}
