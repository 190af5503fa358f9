import { z } from "zod";
import { routesOf } from "../route.ts";
import { Instant, IntText } from "../values.ts";

const route = routesOf("system");

/** The stages of a self-test, in order. */
export const selftestStages = [
  "workers",
  "registered",
  "detected",
  "batched",
  "event_stored",
  "judged",
  "alert_evaluated",
  "published",
] as const;

export const SelftestReply = z
  .object({
    status: z.enum(["passed", "failed"]).meta({ description: "Whether every stage succeeded in time" }),
    message: z.string().meta({ description: "Result in one sentence" }),
    started_at: Instant.meta({ description: "Start of the test" }),
    duration_ms: z.number().meta({ description: "Duration in milliseconds until the last stage or the timeout", example: 2104 }),
    timeout_seconds: z.number().meta({ description: "As requested", example: 60 }),
    detector: z.string().meta({ description: "`built-in`, or the URL of the detector", example: "built-in" }),
    stages: z
      .array(
        z.object({
          name: z.enum(selftestStages).meta({ description: "Name of the stage" }),
          status: z.enum(["passed", "failed", "not_reached"]).meta({ description: "Result of the stage" }),
          at_ms: z
            .number()
            .nullable()
            .meta({ description: "Milliseconds from the upload of the picture to this stage; null when not reached" }),
          took_ms: z.number().nullable().meta({ description: "Milliseconds since the previous stage; null when not reached" }),
          detail: z.string().nullable().meta({ description: "Evidence, or the reason of the failure" }),
        }),
      )
      .meta({ description: "Stages in pipeline order" }),
  })
  .meta({
    id: "SelftestReport",
    description: "Result of a self-test",
    example: {
      message: "A picture went through all stages in 2104 ms",
      stages: [
        { name: "workers", status: "passed", detail: null, at_ms: 0, took_ms: 0 },
        { name: "detected", status: "passed", detail: null, at_ms: 402, took_ms: 361 },
        { name: "published", status: "passed", detail: "message 18", at_ms: 2104, took_ms: 89 },
      ],
    },
  });

export const selftestRoutes = {
  runSelftest: route.post("/api/system/selftest", "Send a test picture through all stages and report on each", {
    slow: true,
    query: z.object({ timeout_seconds: IntText(5, 600).default(60).meta({ description: "Timeout for the last stage, in seconds" }) }),
    reply: SelftestReply,
    refusals: { 409: "Another self-test is running" },
  }),
};
