import { dayMs } from "../../base/clock/clock.ts";
import { isOtherClass, type ObjectType, objectTypeOf } from "../detector-model/class-names.ts";
import { type Box, boxIn, conventionOf, isNumber, maxSide, type SentBox, type Size, sentBox } from "./detector-boxes.ts";
import { UpstreamFailure } from "./http.ts";
import { exampleOf, type LeftOut, LeftOutTally } from "./left-out.ts";
import { type Fields, isObject } from "./lenient-json.ts";

export interface SeenObject {
  readonly objectType: ObjectType;
  readonly confidence: number;
  /** Null if the detector returned no box, or none that can be read. */
  readonly box: Box | null;
}

export interface DetectorReading {
  readonly detections: readonly SeenObject[];
  readonly inferenceMs: number | null;
  /** Size of the picture as the detector measured it; null if it did not report one. */
  readonly width: number | null;
  readonly height: number | null;
  readonly leftOut: readonly LeftOut[];
}

/** More than any camera's picture shows. Beyond it, the least confident detections are left out. */
const maxDetections = 500;
/** One day. */
const longestMs = dayMs;

/** One entry of the list, before the convention of the answer is known. */
interface Entry {
  readonly sent: Fields;
  readonly name: string;
  readonly confidence: unknown;
  readonly box: SentBox | "bad_box" | null;
}

/**
 * Reads the body of a detector's answer. Leaves out unusable detections and counts them by reason; keeps a detection without its box if
 * the box is unusable. Whether confidences are percent, and how boxes are meant, is decided once for the whole answer. `pictureSize` is
 * used if the detector did not report the size. Throws `UpstreamFailure` (`unreadable`) if the body is not a detector's answer.
 */
export function readDetections(text: string, pictureSize?: Size): DetectorReading {
  const body = parse(text);
  const listed = isObject(body) ? (body["detections"] ?? body["predictions"]) : undefined;
  if (!isObject(body) || !Array.isArray(listed)) throw new UpstreamFailure("unreadable", "the answer has no list of detections");
  const width = size(body["image_width"]);
  const height = size(body["image_height"]);
  const tally = new LeftOutTally();
  const entries = listed.flatMap((sent: unknown): Entry[] => {
    if (isObject(sent)) return [{ sent, name: className(sent), confidence: confidenceIn(sent), box: sentBox(sent) }];
    tally.add("not_an_object", () => exampleOf(sent));
    return [];
  });
  const frame = {
    size: width !== null && height !== null ? { width, height } : pictureSize,
    clip: { width: width ?? pictureSize?.width ?? maxSide, height: height ?? pictureSize?.height ?? maxSide },
  };
  const convention = conventionOf(
    entries.flatMap(({ box }) => (box === null || box === "bad_box" ? [] : [box])),
    frame.size,
  );
  const unit = arePercent(entries) ? 100 : 1;
  const detections: SeenObject[] = [];
  for (const { sent, name, confidence: value, box: place } of entries) {
    const objectType = objectTypeOf(name);
    const confidence = share(value, unit);
    if (!objectType) tally.add(...otherClass(name, sent));
    else if (confidence === undefined) tally.add("bad_confidence", () => exampleOf(sent));
    else {
      const box = place === null || place === "bad_box" ? place : boxIn(place, convention, frame);
      if (typeof box === "string") tally.add(box, () => exampleOf(sent));
      detections.push({ objectType, confidence, box: typeof box === "string" ? null : box });
    }
  }
  if (detections.length > maxDetections) {
    tally.add("too_many", () => null, detections.length - maxDetections);
    detections.sort((a, b) => b.confidence - a.confidence).length = maxDetections;
  }
  return { detections, inferenceMs: duration(body["inference_time_ms"] ?? body["inferenceMs"]), width, height, leftOut: tally.list() };
}

const classNames = ["class", "class_name", "className", "label", "name", "object_type"];
const confidenceNames = ["confidence", "score", "probability", "conf"];

/** The first text that is no number: some detectors send a number as `class` and the word as `name`. */
function className(sent: Fields): string {
  for (const field of classNames) {
    const value = sent[field];
    if (typeof value === "string" && /[^\d\s]/.test(value)) return value;
  }
  return "";
}

function confidenceIn(sent: Fields): unknown {
  for (const field of confidenceNames) {
    const value = sent[field] ?? null;
    if (value !== null) return value;
  }
  return null;
}

function otherClass(name: string, sent: Fields): Parameters<LeftOutTally["add"]> {
  return isOtherClass(name) ? ["other_class", () => name.trim()] : ["unknown_class", () => exampleOf(sent)];
}

/** A confidence may exceed 1 by this much through rounding. */
const roundingError = 0.001;

/** Confidences are percent if one of them exceeds 1 and all are from 0 to 100. A single 1 is certainty, not one percent. */
function arePercent(entries: readonly Entry[]): boolean {
  let isAboveOne = false;
  for (const { confidence } of entries) {
    if (!isNumber(confidence)) continue;
    if (confidence < 0 || confidence > 100) return false;
    isAboveOne ||= confidence > 1 + roundingError;
  }
  return isAboveOne;
}

/** Converts a confidence to a number from 0 to 1; undefined if it is none. */
function share(value: unknown, unit: number): number | undefined {
  if (!isNumber(value) || value < 0 || value > unit * (1 + roundingError)) return undefined;
  return Math.min(1, value / unit);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    // Python writes NaN and Infinity, which JSON does not allow. One bad number must not lose the whole picture.
    const plain = text.replace(/"(?:[^"\\]|\\.)*"|-?\b(?:NaN|Infinity)\b/g, (token) => (token.startsWith('"') ? token : "null"));
    try {
      return JSON.parse(plain);
    } catch {
      throw new UpstreamFailure("unreadable", "the answer is not JSON", { answer: text, cause });
    }
  }
}

function size(value: unknown): number | null {
  return isNumber(value) && value >= 1 && value <= maxSide ? Math.floor(value) : null;
}

/** Returns a duration in milliseconds, or null if the value is negative, not a number or longer than a day. */
function duration(value: unknown): number | null {
  return isNumber(value) && value >= 0 && value <= longestMs ? value : null;
}
