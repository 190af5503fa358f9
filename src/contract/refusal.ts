import { z } from "zod";
import { isBinary } from "./encode.ts";
import { sentenceOf } from "./issues.ts";
import { Problem, type ProblemItem } from "./problem.ts";
import { ErrorBody, ValidationErrorBody } from "./problem-bodies.ts";
import { kindOf } from "./problem-status.ts";
import type { Route } from "./route.ts";

/** The body of a refusal, including a rate limit. */
const RefusalBody = z.union([ErrorBody, ValidationErrorBody, z.object({ detail: z.object({ message: z.string() }) })]);

/**
 * Throws the problem that a daemon reported with this status, and a plain error for an internal error of the daemon. A health route replies
 * with 503 and its normal body: the function returns that reply. `body` is the parsed JSON, undefined if it is none.
 */
export function readRefusal(route: Route, status: number, body: unknown, from: string): unknown {
  if (status === 503 && route.refusals?.[503] && route.reply && !isBinary(route.reply)) {
    const health = z.safeDecode(route.reply, body as z.input<z.ZodType>);
    if (health.success) return health.data;
  }
  const known = RefusalBody.safeParse(body);
  if (!known.success) {
    throw new Problem("unreachable", `${from} answered ${status}, but not as a homesec daemon does; check the URL`);
  }
  const { detail } = known.data;
  const items: readonly ProblemItem[] = Array.isArray(detail) ? detail : [];
  const message = typeof detail === "string" ? detail : "message" in detail ? detail.message : sentenceOf(items);
  const kind = kindOf(status);
  if (kind) throw new Problem(kind, message, { items });
  throw new Error(`The daemon at ${from} failed: ${message}`);
}
