import { decodeReply } from "./client.ts";
import { isBinary, isStreamed } from "./encode.ts";
import type { WireRequest } from "./http-client.ts";
import { jsonOf, mediaTypeOf, type ReceivedReply } from "./http-get.ts";
import { readRefusal } from "./refusal.ts";
import type { Route } from "./route.ts";
import { type AnyRequest, encodeRequest } from "./validate.ts";

/** Encodes a request by the schemas of its route. Throws `Problem("invalid")` for values that they refuse. */
export function wireOf(route: Route, request: AnyRequest): WireRequest {
  const { path, query, body } = encodeRequest(route, request);
  return { method: route.method, path, query, body, isSlow: route.slow === true, isStream: isStreamed(route) };
}

/** Decodes a whole reply by the schemas of its route. Throws the problem that the daemon reported. */
export function replyOf(route: Route, answer: ReceivedReply, from: string): unknown {
  const { status, bytes } = answer;
  if (status < 200 || status >= 300) return readRefusal(route, status, jsonOf(bytes), from);
  if (!route.reply) return undefined;
  if (isBinary(route.reply)) return { mediaType: mediaTypeOf(answer), bytes };
  return decodeReply(route, jsonOf(bytes), from);
}
