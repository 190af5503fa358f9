import { z } from "zod";
import type { Bytes, StreamedBytes } from "./answer.ts";
import { encodeQuickly } from "./reply-encoder.ts";
import type { BinaryReply, Route } from "./route.ts";

/** An encoded reply. `mismatch` is set when the reply does not fit the schema of its route. */
export type EncodedAnswer =
  | { readonly kind: "json"; readonly status: number; readonly wire: unknown; readonly mismatch?: z.core.$ZodError }
  | { readonly kind: "bytes"; readonly status: number; readonly bytes: Bytes | StreamedBytes; readonly reply: BinaryReply }
  | { readonly kind: "nothing"; readonly status: number };

/**
 * Encodes what an operation returned: dates become text, and fields outside the schema are dropped. A reply that does not fit is stripped
 * as far as possible and returned with its `mismatch`; the caller decides what to do.
 */
export function encodeAnswer(route: Route, answer: unknown): EncodedAnswer {
  const { status, reply } = isWithStatus(answer) ? answer : { status: route.status ?? 200, reply: answer };
  if (!route.reply) return { kind: "nothing", status };
  if (isBinary(route.reply)) return { kind: "bytes", status, bytes: reply as Bytes | StreamedBytes, reply: route.reply };
  const quick = encodeQuickly(route.reply, reply);
  if (quick) return { kind: "json", status, wire: quick.wire };
  const encoded = z.safeEncode(route.reply, reply);
  if (encoded.success) return { kind: "json", status, wire: encoded.data };
  return { kind: "json", status, wire: knownFields(route.reply, reply), mismatch: encoded.error };
}

/** Checks whether a route replies with bytes instead of JSON. */
export function isBinary(reply: NonNullable<Route["reply"]>): reply is BinaryReply {
  return "mediaTypes" in reply;
}

/** Checks whether a route streams its reply. */
export function isStreamed({ reply }: Route): boolean {
  return reply !== undefined && isBinary(reply) && reply.streamed === true;
}

function isWithStatus(answer: unknown): answer is { readonly status: number; readonly reply: unknown } {
  return typeof answer === "object" && answer !== null && "reply" in answer && "status" in answer && typeof answer.status === "number";
}

/** Returns the fields of a value that its schema names, whatever their types are. */
function knownFields(schema: z.ZodType, value: unknown): unknown {
  if (schema instanceof z.ZodOptional || schema instanceof z.ZodNullable || schema instanceof z.ZodLazy) {
    return value === undefined || value === null ? value : knownFields(schema.unwrap() as z.ZodType, value);
  }
  if (schema instanceof z.ZodArray && Array.isArray(value)) return value.map((entry) => knownFields(schema.element as z.ZodType, entry));
  if (schema instanceof z.ZodObject && typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(
      ([key]) => Object.hasOwn(schema.shape, key) || schema.def.catchall instanceof z.ZodUnknown,
    );
    return Object.fromEntries(
      entries.map(([key, field]) => [key, schema.shape[key] ? knownFields(schema.shape[key] as z.ZodType, field) : field]),
    );
  }
  // The fields of these are unknown, and a leaf stays as it is
  if (schema instanceof z.ZodUnion) return z.safeEncode(schema, value).data;
  return value;
}
