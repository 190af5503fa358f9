import { z } from "zod";
import { route } from "../route.ts";
import { Instant, IntText } from "../values.ts";

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
    message: z.string().meta({ description: "Result as a sentence" }),
    started_at: Instant.meta({ description: "When it began" }),
    duration_ms: z.number().meta({ description: "From the beginning to the last proof, or until it was given up", example: 2104 }),
    timeout_seconds: z.number().meta({ description: "As requested", example: 60 }),
    detector: z.string().meta({ description: "`built-in`, or the address of the detector that looked", example: "built-in" }),
    stages: z
      .array(
        z.object({
          name: z.enum(selftestStages).meta({ description: "What is proven" }),
          status: z.enum(["passed", "failed", "not_reached"]).meta({ description: "Whether it is" }),
          at_ms: z.number().nullable().meta({ description: "When it was proven, counted from when the picture was put into its folder" }),
          took_ms: z.number().nullable().meta({ description: "The time since the stage before" }),
          detail: z.string().nullable().meta({ description: "What was seen of it, or why it failed" }),
        }),
      )
      .meta({ description: "Each stage, in the order of the pipeline" }),
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
  runSelftest: route("/api/system/selftest", {
    method: "post",
    summary: "Send a test picture through all stages and report on each",
    tag: "system",
    slow: true,
    query: z.object({ timeout_seconds: IntText(5, 600).default(60).meta({ description: "How long to wait for the last proof" }) }),
    reply: SelftestReply,
    refusals: { 409: "Another self-test runs" },
  }),
};
