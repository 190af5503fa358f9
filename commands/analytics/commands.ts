import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { integer, withDefault } from "../input/options.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";
import { rangeOptions, rangeQuery } from "./range.ts";

type Question = "getDetectionTrends" | "getRiskHistory" | "getCameraUptime" | "getObjectDistribution" | "getRiskScoreTrends";
type Views = typeof import("./views.ts");

interface Definition<Q extends Question, T> {
  readonly verb: string;
  readonly summary: string;
  readonly example: string;
  readonly question: Q;
  rowsOf(body: Reply<Routes[Q]>): readonly T[];
  viewOf(views: Views, rows: readonly T[]): RowView<T>;
}

/** A question about a range of days. */
function question<Q extends Question, T>({ verb, summary, example, question, rowsOf, viewOf }: Definition<Q, T>): Command {
  return defineCommand({
    name: `analytics ${verb}`,
    summary,
    description: `${summary}. Days are those of UTC; at most 365.`,
    options: rangeOptions,
    examples: [
      { command: `homesec analytics ${verb}`, note: "the last 30 days" },
      { command: `homesec analytics ${verb} ${example}`, note: "a range of days" },
    ],
    prints: async () => viewOf(await import("./views.ts"), []),
    async run({ options }, io) {
      const body = (await io.call(question, { query: rangeQuery(options, io.host.clock.now()) } as never)) as Reply<Routes[Q]>;
      const rows = rowsOf(body);
      await printRows(io.output, rows, viewOf(await import("./views.ts"), rows), body);
      return exitCodes.ok;
    },
  });
}

const march = "--start-date 2026-03-01 --end-date 2026-03-31";

const scoreDistribution = defineCommand({
  name: "analytics score-distribution",
  summary: "How many events had which scores",
  description: "How many events had which scores. Days are those of UTC; at most 365.",
  options: { ...rangeOptions, bucketSize: withDefault(integer("n", 1, 50, "So many scores in one line"), 10) },
  examples: [
    { command: "homesec analytics score-distribution", note: "the last 30 days" },
    { command: "homesec analytics score-distribution --bucket-size 5", note: "in finer steps" },
  ],
  prints: async () => (await import("./views.ts")).scoreBuckets([]),
  async run({ options }, io) {
    const query = { ...rangeQuery(options, io.host.clock.now()), bucket_size: options.bucketSize };
    const body = await io.call("getRiskScoreDistribution", { query });
    const { scoreBuckets } = await import("./views.ts");
    await printRows(io.output, body.buckets, scoreBuckets(body.buckets), body);
    return exitCodes.ok;
  },
});

export const commands: readonly Command[] = [
  question({
    verb: "detections",
    summary: "Detections per day",
    example: march,
    question: "getDetectionTrends",
    rowsOf: (body) => body.data_points,
    viewOf: (views, rows) => views.detectionDays(rows),
  }),
  question({
    verb: "risk",
    summary: "Judged events per day in bands of its own, not by the levels of events: low 0-29, medium 30-59, high 60-84, critical 85-100",
    example: march,
    question: "getRiskHistory",
    rowsOf: (body) => body.data_points,
    viewOf: (views) => views.riskDays(),
  }),
  question({
    verb: "scores",
    summary: "Average score of the judged events of each day",
    example: march,
    question: "getRiskScoreTrends",
    rowsOf: (body) => body.data_points,
    viewOf: (views, rows) => views.scoreDays(rows),
  }),
  scoreDistribution,
  question({
    verb: "objects",
    summary: "Detections per class, most frequent first",
    example: march,
    question: "getObjectDistribution",
    rowsOf: (body) => body.object_types,
    viewOf: (views, rows) => views.objectShares(rows),
  }),
  question({
    verb: "uptime",
    summary: "On how many days each camera had a detection",
    example: march,
    question: "getCameraUptime",
    rowsOf: (body) => body.cameras,
    viewOf: (views) => views.cameraUptimes(),
  }),
];
