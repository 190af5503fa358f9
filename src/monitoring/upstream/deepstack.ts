import { excerpt } from "./call.ts";
import { type UpstreamAnswer, UpstreamFailure, type UpstreamHttp } from "./http.ts";
import { isObject } from "./lenient-json.ts";
import { formType, type Picture, pictureForm } from "./multipart.ts";
import { referencePicture } from "./reference.ts";

/* The API of DeepStack, as DeepStack, CodeProject.AI and Blue Onyx speak it. */

export const detectionPath = "/v1/vision/detection";

/**
 * The least confidence to ask for: without one, these servers leave out everything below about 0.4. `explain` shows detections below the
 * threshold, but those below 0.1 are noise.
 */
export const leastConfidence = 0.1;

/** Builds the form of a detection request. */
export function detectionForm(picture: Picture): Buffer {
  return pictureForm(picture, { min_confidence: String(leastConfidence) }, "image");
}

/** Throws `UpstreamFailure` if a body with status 200 reports a failure. Its list of detections is then empty or missing. */
export function throwOnFailure(text: string): void {
  const body = parsed(text);
  if (!isObject(body)) return;
  const { success = true, error } = body;
  const isError = typeof error === "string" && error.trim() !== "";
  if (success === true && !isError) return;
  const message = "the detector reports a failure in its answer with status 200; its log says why";
  throw new UpstreamFailure("status", `${message}${isError ? excerpt(error) : ""}`);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const missing: ReadonlySet<number> = new Set([404, 405, 501]);

/**
 * Asks whether a server is up. Only CodeProject.AI has `GET /v1/status/ping`; Blue Onyx and DeepStack answer `GET /`. A server with neither
 * gets the reference picture. Returns why the server is not healthy, or undefined. Throws `UpstreamFailure` if there is no complete answer.
 */
export async function faultOfServer(http: UpstreamHttp, baseUrl: string, timeoutMs: number): Promise<string | undefined> {
  const startedAt = performance.now();
  const get = (path: `/${string}`): Promise<UpstreamAnswer> =>
    http.exchange({ baseUrl, path, method: "GET", timeoutMs: remaining(timeoutMs, startedAt) });
  const ping = await get("/v1/status/ping");
  if (!missing.has(ping.status)) return statusFault(ping);
  const root = await get("/");
  // Some servers redirect to their documentation: they are up.
  if (!missing.has(root.status)) return root.status >= 300 && root.status < 400 ? undefined : statusFault(root);
  return statusFault(
    await http.exchange({
      ...{ baseUrl, path: detectionPath, method: "POST", timeoutMs: remaining(timeoutMs, startedAt) },
      ...{ headers: { "content-type": formType }, body: detectionForm(referencePicture) },
    }),
  );
}

function remaining(timeoutMs: number, startedAt: number): number {
  return Math.max(1, Math.round(timeoutMs - (performance.now() - startedAt)));
}

function statusFault({ status, text }: UpstreamAnswer): string | undefined {
  if (status !== 200) return `status ${status}`;
  throwOnFailure(text);
  return undefined;
}
