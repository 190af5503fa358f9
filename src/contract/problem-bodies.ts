import { z } from "zod";
import { problemTypes } from "./problem.ts";
import { tiers } from "./route.ts";

/** The body of every refusal except 422. */
export const ErrorBody = z
  .object({ detail: z.string().meta({ description: "What is wrong, and what to do about it" }) })
  .meta({ id: "Error", description: "Why a request was refused" });

/** The body of 429; routes with the tag `analytics` reply with `ErrorBody` instead. */
export const RateLimitBody = z
  .object({
    detail: z
      .object({
        error: z.string().meta({ description: "The same for every limit" }),
        message: z.string().meta({ description: "Which limit it was, and what to do about it" }),
        retry_after_seconds: z.int().meta({ description: "As in the header Retry-After" }),
        tier: z.enum(tiers).exclude(["none"]).meta({ description: "The group of routes that share this limit" }),
      })
      .meta({ description: "The limit that was exceeded" }),
  })
  .meta({ id: "RateLimitExceeded", description: "More requests than a limit allows" });

/** The body of 422: every error in the request. */
export const ValidationErrorBody = z
  .object({
    detail: z
      .array(
        z.object({
          loc: z
            .array(z.union([z.string(), z.int()]))
            .meta({ description: "Where: path, query, body or header, then names and positions" }),
          msg: z.string().meta({ description: "What is wrong there, for a person" }),
          type: z.enum(problemTypes).meta({ description: "What is wrong there, for a program" }),
        }),
      )
      .meta({ description: "Everything that is wrong, not only the first thing" }),
  })
  .meta({ id: "ValidationError", description: "What is wrong with a request" });
