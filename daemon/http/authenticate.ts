import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Keyring } from "../../src/platform/keys/keyring.ts";
import { markAuthenticated } from "./caller.ts";
import { answerDetail } from "./errors.ts";

/** Called with the request of a wrong API key. The answer waits for it. */
export type OnWrongKey = (request: IncomingMessage) => Promise<void>;

/** Answers 401 to requests without a valid API key. `OPTIONS` needs no key, because browsers send it without one. */
export function requireKey(keyring: Keyring, onWrongKey?: OnWrongKey): RequestHandler {
  return async (request, response, next) => {
    if (request.method === "OPTIONS") return next();
    const key = keyOf(request);
    if (key !== undefined && keyring.accepts(key)) {
      markAuthenticated(request);
      return next();
    }
    if (key !== undefined) await onWrongKey?.(request);
    response.setHeader("WWW-Authenticate", "ApiKey");
    answerDetail(response, 401, key === undefined ? "API key required" : "Invalid API key");
  };
}

/** Returns the key of a request. The header comes before the query, and empty keys count as absent. */
function keyOf(request: IncomingMessage): string | Buffer | undefined {
  const header = request.headers["x-api-key"];
  // Node decodes headers as latin1. As bytes, a key with non-ASCII letters stays intact.
  if (typeof header === "string" && header !== "") return Buffer.from(header, "latin1");
  return queryValue(request, "api_key");
}

/** Returns a query value, the last one if there are several. Returns undefined if it is absent or empty. */
export function queryValue(request: IncomingMessage, name: string): string | undefined {
  const url = request.url ?? "";
  const questionMark = url.indexOf("?");
  if (questionMark === -1) return undefined;
  return new URLSearchParams(url.slice(questionMark + 1)).getAll(name).at(-1) || undefined;
}
