import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Breaker } from "./breaker.ts";
import { callService, type Unavailable } from "./call.ts";
import { type DetectorReading, readDetections } from "./detector-answer.ts";
import { detectorReadMs } from "./detector-pace.ts";
import { type UpstreamHttp, upstreamHttp } from "./http.ts";
import { formType, type Picture, pictureForm } from "./multipart.ts";
import { referencePicture } from "./reference.ts";

/** A detector's result for a picture. */
export interface Detected extends DetectorReading {
  readonly kind: "detected";
  /** Name of the detector. */
  readonly detector: string;
}

/** The outcome of sending a picture to the detector. */
export type DetectorResult =
  | Detected
  /** The detector refuses this picture for good, and goes on accepting others. */
  | { readonly kind: "refused"; readonly reason: "refused"; readonly detail: string }
  | Unavailable;

export interface Detector {
  /**
   * Sends a picture to the detector. Returns detections of any confidence, with boxes in whole pixels inside the picture.
   * Never throws because of the service; throws the signal's reason if the caller cancelled.
   */
  detect(picture: Picture, signal?: AbortSignal): Promise<DetectorResult>;
  close(): Promise<void>;
}

export interface DetectorOptions {
  /** A function if the address can change while the daemon runs. */
  readonly url: string | (() => string);
  /** Name of the detector in stored data (default: its address). */
  readonly label?: string;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for one answer, also for the trial of a half-open breaker: a slow detector would fail any shorter trial. */
  readonly timeoutMs?: number;
}

/** Creates the client of the detector service: `POST {url}/detect`, a multipart form with the picture as `file`. */
export function createDetector(options: DetectorOptions): Detector {
  const http = upstreamHttp();
  return { detect: (picture, signal) => detect(http, options, picture, signal), close: () => http.close() };
}

async function detect(http: UpstreamHttp, options: DetectorOptions, picture: Picture, signal?: AbortSignal): Promise<DetectorResult> {
  const { url, label, log, timeoutMs = detectorReadMs } = options;
  const baseUrl = typeof url === "string" ? url : url();
  const result = await callService(http, options, {
    baseUrl,
    path: "/detect",
    contentType: formType,
    body: pictureForm(picture),
    reference: () => pictureForm(referencePicture),
    timeoutMs,
    signal,
    read: (text) => readDetections(text, picture.size),
    lines: {
      refused: "the detector refused a picture",
      failed: "the call to the detector failed",
      fields: { file: picture.fileName },
    },
  });
  if (result.kind === "refused") return { kind: "refused", reason: "refused", detail: result.detail };
  if (result.kind === "unavailable") return result;
  const { leftOut } = result.value;
  if (leftOut.length > 0) log.debug({ file: picture.fileName, left_out: leftOut }, "left out parts of the detector's answer");
  return { kind: "detected", detector: label ?? new URL(baseUrl).origin, ...result.value };
}
