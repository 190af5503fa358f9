import { z } from "zod";
import { detectorAddress } from "../../platform/config/detector-address.ts";
import { excerpt } from "./call.ts";
import { faultOfServer } from "./deepstack.ts";
import { type UpstreamHttp, upstreamHttp } from "./http.ts";

export interface Probe {
  /** The service answered 200 and does not report that it is not ready. */
  readonly healthy: boolean;
  /** It loads its model: not ready, and no fault. */
  readonly starting?: true;
  readonly responseMs: number | null;
  readonly error: string | null;
  /** The answer, if it was a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

const Body = z.record(z.string(), z.unknown());

/**
 * Asks a service for its health: `GET {url}/health`, or as `faultOfServer` does if the address is that of a detector with the API of
 * DeepStack. `timeoutMs` limits the whole exchange. Never throws.
 */
export async function probeHealth(url: string, timeoutMs = 3_000): Promise<Probe> {
  // A new connection: an open one would hide that the service accepts no new connections.
  const http = upstreamHttp();
  try {
    return await probe(http, url, timeoutMs);
  } finally {
    await http.close();
  }
}

async function probe(http: UpstreamHttp, url: string, timeoutMs: number): Promise<Probe> {
  const startedAt = performance.now();
  try {
    const { api, url: baseUrl } = detectorAddress(url);
    if (api === "deepstack") {
      const fault = await faultOfServer(http, baseUrl, timeoutMs);
      return { healthy: fault === undefined, responseMs: msSince(startedAt), error: fault ?? null, body: null };
    }
    const { status, text } = await http.exchange({ baseUrl, path: "/health", method: "GET", timeoutMs });
    const responseMs = msSince(startedAt);
    const body = readBody(text);
    const error = status !== 200 ? `status ${status}` : body?.["model_loaded"] === false ? reasonIn(body) : null;
    return { healthy: error === null, responseMs, error, body };
  } catch (error) {
    return { healthy: false, responseMs: null, error: error instanceof Error ? error.message : String(error), body: null };
  }
}

function msSince(startedAt: number): number {
  return Math.round((performance.now() - startedAt) * 100) / 100;
}

/** Returns why a service without its model is not ready. */
function reasonIn({ error }: Record<string, unknown>): string {
  return typeof error === "string" ? `the model is not loaded${excerpt(error)}` : "the model is still loading";
}

/** Returns null if the answer is not a JSON object: a plain "ok" is a valid health answer too. */
function readBody(text: string): Record<string, unknown> | null {
  try {
    return Body.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
