import { z } from "zod";
import { problemTypes } from "./problem.ts";
import { tiers } from "./route.ts";

/** The body of every refusal except 422. */
export const ErrorBody = z
  .object({ detail: z.string().meta({ description: "The error and how to fix it" }) })
  .meta({ id: "Error", description: "Reason for a refusal" });

/** The body of 429; routes with the tag `analytics` reply with `ErrorBody` instead. */
export const RateLimitBody = z
  .object({
    detail: z
      .object({
        error: z.string().meta({ description: "Same text for every limit" }),
        message: z.string().meta({ description: "The exceeded limit and how to proceed" }),
        retry_after_seconds: z.int().meta({ description: "Same value as the header Retry-After" }),
        tier: z.enum(tiers).exclude(["none"]).meta({ description: "Group of routes that share this limit" }),
      })
      .meta({ description: "The limit that was exceeded" }),
  })
  .meta({ id: "RateLimitExceeded", description: "A client sent more requests than a limit allows" });

/** The body of 422: every error in the request. */
export const ValidationErrorBody = z
  .object({
    detail: z
      .array(
        z.object({
          loc: z
            .array(z.union([z.string(), z.int()]))
            .meta({ description: "Location: path, query, body or header, then names and positions" }),
          msg: z.string().meta({ description: "Description of the error" }),
          type: z.enum(problemTypes).meta({ description: "Type of the error" }),
        }),
      )
      .meta({ description: "All errors of the request" }),
  })
  .meta({ id: "ValidationError", description: "Validation errors of a request" });
