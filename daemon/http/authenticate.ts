import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "express";
import type { Keyring } from "../../src/platform/keys/keyring.ts";
import { markAuthenticated } from "./caller.ts";
import { answerDetail } from "./errors.ts";

/** Answers requests without a valid API key with 401. What a path can do (`OPTIONS`) may be asked by anybody: browsers ask it without a key. */
export function requireKey(keyring: Keyring): RequestHandler {
  return (request, response, next) => {
    if (request.method === "OPTIONS") return next();
    const key = keyOf(request);
    if (key !== undefined && keyring.accepts(key)) {
      markAuthenticated(request);
      return next();
    }
    response.setHeader("WWW-Authenticate", "ApiKey");
    answerDetail(response, 401, key === undefined ? "API key required" : "Invalid API key");
  };
}

/** The key that a request carries: the header before the query. Empty ones count as absent. */
function keyOf(request: IncomingMessage): string | Buffer | undefined {
  const header = request.headers["x-api-key"];
  // Node reads headers as latin1; as bytes, a key with other letters is what it was
  if (typeof header === "string" && header !== "") return Buffer.from(header, "latin1");
  return queryValue(request, "api_key");
}

/** A value of the query, of several the last; undefined when it is absent or empty. */
export function queryValue(request: IncomingMessage, name: string): string | undefined {
  const url = request.url ?? "";
  const questionMark = url.indexOf("?");
  if (questionMark === -1) return undefined;
  return new URLSearchParams(url.slice(questionMark + 1)).getAll(name).at(-1) || undefined;
}
