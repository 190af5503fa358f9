import type { z } from "zod";
import type { ErrorBody, RateLimitBody, ValidationErrorBody } from "./problem-bodies.ts";

interface Refusal<T extends z.ZodType = typeof ErrorBody | typeof RateLimitBody | typeof ValidationErrorBody> {
  readonly summary: string;
  readonly value: z.input<T>;
}

function refusal(summary: string, detail: string): Refusal<typeof ErrorBody> {
  return { summary, value: { detail } };
}

const rateLimit = "Rate limit exceeded: at most 70 requests of tier default in 60 seconds; wait and try again";

/** Examples of refusals by status and name; each appears once in the document. */
export const refusals: Readonly<Record<number, Readonly<Record<string, Refusal>>>> = {
  400: { BadRequest: refusal("The request cannot be answered", "start_date 2026-02-01 lies after end_date 2026-01-31; exchange them") },
  401: {
    KeyMissing: refusal("The API key is missing", "API key required"),
    KeyWrong: refusal("The API key is wrong", "Invalid API key"),
  },
  403: {
    Forbidden: refusal(
      "The request is not allowed",
      "This daemon does not serve the host camera.example.org; add it to ALLOWED_HOSTS if it is a name of this machine",
    ),
  },
  404: { NotFound: refusal("The resource does not exist", "Camera front-door does not exist") },
  409: {
    Conflict: refusal(
      "The state of the resource does not allow it",
      "Event 1207 is deleted already; `homesec events restore 1207` brings it back",
    ),
  },
  410: { Gone: refusal("The resource has ended", "This link ended on 8 February 2026; ask the person who sent it for a new one") },
  413: { TooLarge: refusal("The body is too large", "The body has more than 1048576 bytes; send less at a time") },
  415: { WrongMediaType: refusal("The body is not JSON", "The body must have the content type application/json, not text/plain") },
  416: { NoSuchPart: refusal("The file does not contain the requested range", "The range is outside the file, which has 48211 bytes") },
  422: {
    Invalid: {
      summary: "Every validation error",
      value: {
        detail: [
          { loc: ["query", "limit"], msg: "Must be at most 1000", type: "less_than_equal" },
          { loc: ["body", "name"], msg: "Missing; this value is required", type: "missing" },
        ],
      },
    },
  },
  429: {
    RateLimited: {
      summary: "Rate limit of one tier exceeded",
      value: { detail: { error: "Too many requests", message: rateLimit, retry_after_seconds: 60, tier: "default" } },
    },
  },
  500: {
    InternalError: refusal("Internal error; the log has the details", "Internal error; request 5f2d8a10-64c7-4b39-a1de-70c3e9f4b286"),
  },
  503: {
    Unavailable: refusal(
      "A dependency is not available",
      "The database is not available: the connection was closed; try again in a moment",
    ),
  },
};

/** The reply of the analytics routes with 429. */
export const rateLimitSentence = { RateLimitedAnalytics: refusal("Rate limit exceeded, as one sentence", rateLimit) };
