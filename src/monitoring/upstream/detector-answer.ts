import { dayMs } from "../../base/clock/clock.ts";
import { objectTypes } from "../../contract/constants.ts";
import { excerpt } from "./call.ts";
import { UpstreamFailure } from "./http.ts";
import { type Fields, isObject } from "./lenient-json.ts";

export type ObjectType = (typeof objectTypes)[number];

/** A box in whole pixels, inside the picture and never empty. */
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface SeenObject {
  readonly objectType: ObjectType;
  readonly confidence: number;
  /** Null if the detector returned no box. */
  readonly box: Box | null;
}

export interface DetectorReading {
  readonly detections: readonly SeenObject[];
  readonly inferenceMs: number | null;
  /** Size of the picture as the detector measured it; null if it did not report one. */
  readonly width: number | null;
  readonly height: number | null;
  /** Number of dropped detections by reason. */
  readonly dropped: Readonly<Record<string, number>>;
}

/** More than any camera's picture shows. Beyond it, the least confident detections are dropped. */
const maxDetections = 500;
/** Assumed side of a picture if the detector did not report its size. No decoder in homesec accepts more. */
const maxSide = 65_535;
/** One day. */
const longestMs = dayMs;

/**
 * Reads the body of a detector's answer. Drops unusable detections and counts them by reason. Throws `UpstreamFailure`
 * (`unreadable`) if the body is not a detector's answer.
 */
export function readDetections(text: string): DetectorReading {
  const body = parse(text);
  if (!isObject(body) || !Array.isArray(body["detections"])) {
    throw new UpstreamFailure("unreadable", "the answer has no list of detections");
  }
  const width = size(body["image_width"]);
  const height = size(body["image_height"]);
  const dropped: Record<string, number> = {};
  const detections: SeenObject[] = [];
  for (const entry of body["detections"]) {
    const seen = readDetection(entry, width ?? maxSide, height ?? maxSide);
    if (typeof seen === "string") dropped[seen] = (dropped[seen] ?? 0) + 1;
    else detections.push(seen);
  }
  if (detections.length > maxDetections) {
    dropped["too_many"] = detections.length - maxDetections;
    detections.sort((a, b) => b.confidence - a.confidence).length = maxDetections;
  }
  return { detections, inferenceMs: duration(body["inference_time_ms"]), width, height, dropped };
}

type DropReason = "not_an_object" | "unknown_class" | "bad_confidence" | "bad_box" | "empty_box" | "outside";

function readDetection(entry: unknown, width: number, height: number): SeenObject | DropReason {
  if (!isObject(entry)) return "not_an_object";
  const objectType = known(entry["class"]);
  if (!objectType) return "unknown_class";
  const confidence = entry["confidence"];
  if (!isNumber(confidence) || confidence < 0 || confidence > 1) return "bad_confidence";
  const place = entry["bbox"] ?? null;
  if (place === null) return { objectType, confidence, box: null };
  const box = isObject(place) ? readBox(place, width, height) : "bad_box";
  return typeof box === "string" ? box : { objectType, confidence, box };
}

function readBox({ x, y, width: w, height: h }: Fields, width: number, height: number): Box | DropReason {
  if (!isNumber(x) || !isNumber(y) || !isNumber(w) || !isNumber(h) || w < 0 || h < 0) return "bad_box";
  if (x >= width || y >= height || x + w <= 0 || y + h <= 0) return w === 0 || h === 0 ? "empty_box" : "outside";
  const left = Math.round(Math.max(x, 0));
  const top = Math.round(Math.max(y, 0));
  const box = { x: left, y: top, width: Math.round(Math.min(x + w, width)) - left, height: Math.round(Math.min(y + h, height)) - top };
  return box.width > 0 && box.height > 0 ? box : "empty_box";
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
      throw new UpstreamFailure("unreadable", `the answer is not JSON${excerpt(text)}`, { cause });
    }
  }
}

function known(name: unknown): ObjectType | undefined {
  const lower = typeof name === "string" ? name.trim().toLowerCase() : "";
  return objectTypes.find((type) => type === lower);
}

/** Also rejects infinity: JSON.parse reads 1e999 as that. */
function isNumber(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function size(value: unknown): number | null {
  return isNumber(value) && value >= 1 && value <= maxSide ? Math.floor(value) : null;
}

/** Returns a duration in milliseconds, or null if the value is negative, not a number or longer than a day. */
function duration(value: unknown): number | null {
  return isNumber(value) && value >= 0 && value <= longestMs ? value : null;
}
