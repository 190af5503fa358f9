import { z } from "zod";
import { problemTypes } from "./problem.ts";
import { tiers } from "./route.ts";

/** The body of every refusal but 422. */
export const ErrorBody = z.object({ detail: z.string() }).meta({ id: "Error" });

/** The body of 429; routes of the tag `analytics` answer with `ErrorBody` instead. */
export const RateLimitBody = z
  .object({
    detail: z.object({
      error: z.string(),
      message: z.string(),
      retry_after_seconds: z.int(),
      tier: z.enum(tiers).exclude(["none"]),
    }),
  })
  .meta({ id: "RateLimitExceeded" });

/** The body of 422: everything that is wrong with the request. */
export const ValidationErrorBody = z
  .object({
    detail: z.array(
      z.object({
        loc: z.array(z.union([z.string(), z.int()])).meta({ description: "Where: path, query, body or header, then names and positions" }),
        msg: z.string(),
        type: z.enum(problemTypes),
      }),
    ),
  })
  .meta({ id: "ValidationError" });
