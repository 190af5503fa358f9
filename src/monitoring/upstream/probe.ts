import { z } from "zod";
import { excerpt } from "./call.ts";
import { type UpstreamHttp, upstreamHttp } from "./http.ts";

export interface Probe {
  /** It answered 200 and does not say of itself that it is not ready. */
  readonly healthy: boolean;
  readonly responseMs: number | null;
  readonly error: string | null;
  /** What it answered, when that was a JSON object. */
  readonly body: Readonly<Record<string, unknown>> | null;
}

const Body = z.record(z.string(), z.unknown());

/** Asks a service for its health: `GET {url}/health`. `timeoutMs` holds for the whole answer. Never throws. */
export async function probeHealth(url: string, timeoutMs = 3_000): Promise<Probe> {
  // a connection of its own: a kept one would say that the service is there when it takes no new ones
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
    const { status, text } = await http.exchange({ baseUrl: url, path: "/health", method: "GET", timeoutMs });
    const responseMs = Math.round((performance.now() - startedAt) * 100) / 100;
    const body = readBody(text);
    const error = status !== 200 ? `status ${status}` : body?.["model_loaded"] === false ? reasonIn(body) : null;
    return { healthy: error === null, responseMs, error, body };
  } catch (error) {
    return { healthy: false, responseMs: null, error: error instanceof Error ? error.message : String(error), body: null };
  }
}

/** Why a service without its model is not ready. */
function reasonIn({ error }: Record<string, unknown>): string {
  return typeof error === "string" ? `the model is not loaded${excerpt(error)}` : "the model is still loading";
}

/** A health answer need not be JSON: a plain "ok" is one too. */
function readBody(text: string): Record<string, unknown> | null {
  try {
    return Body.safeParse(JSON.parse(text)).data ?? null;
  } catch {
    return null;
  }
}
