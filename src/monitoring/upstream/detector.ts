import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import { type DetectorApi, deepStackPrefix, detectorAddress } from "../../platform/config/detector-address.ts";
import type { Breaker } from "./breaker.ts";
import { callService, type Unavailable } from "./call.ts";
import { detectionForm, detectionPath, throwOnFailure } from "./deepstack.ts";
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
  /** What a second detector said, as a sentence; absent if none was asked. */
  readonly note?: string;
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
   * Never throws because of the service; throws the signal's reason if the caller cancelled. `timeoutMs` replaces the usual time limit.
   */
  detect(picture: Picture, signal?: AbortSignal, timeoutMs?: number): Promise<DetectorResult>;
  close(): Promise<void>;
}

export interface DetectorOptions {
  /** The address, see `detectorAddress`; a function if it can change while the daemon runs. */
  readonly url: string | (() => string);
  /** Name of the detector in stored data (default: its address). */
  readonly label?: string;
  readonly breaker: Breaker;
  readonly clock: Clock;
  readonly log: Log;
  /** Time limit for one answer, also for the trial of a half-open breaker: a slow detector would fail any shorter trial. */
  readonly timeoutMs?: number;
}

/** How to ask a detector, by its API. */
const requests = {
  homesec: { path: "/detect", form: (picture: Picture) => pictureForm(picture) },
  deepstack: { path: detectionPath, form: detectionForm, throwOnFailure, addressPrefix: deepStackPrefix },
} as const satisfies Record<DetectorApi, object>;

/** Creates the client of the detector service: one request for each picture, a multipart form, by the API that the address names. */
export function createDetector(options: DetectorOptions): Detector {
  const http = upstreamHttp();
  return {
    detect: (picture, signal, timeoutMs) => detect(http, timeoutMs === undefined ? options : { ...options, timeoutMs }, picture, signal),
    close: () => http.close(),
  };
}

async function detect(http: UpstreamHttp, options: DetectorOptions, picture: Picture, signal?: AbortSignal): Promise<DetectorResult> {
  const { url, label, log, timeoutMs = detectorReadMs } = options;
  const { api, url: baseUrl } = detectorAddress(typeof url === "string" ? url : url());
  const { form, ...request } = requests[api];
  const result = await callService(http, options, {
    baseUrl,
    ...request,
    contentType: formType,
    body: form(picture),
    reference: () => form(referencePicture),
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
