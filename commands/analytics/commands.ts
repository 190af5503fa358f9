import { dayMs } from "../../src/base/clock/clock.ts";
import { ranges } from "../../src/contract/constants.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { type Command, defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { day, integer, withDefault } from "../input/options.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";
import * as views from "./views.ts";

const rangeOptions = {
  startDate: day("First day, UTC (default 29 days before the last)"),
  endDate: day("Last day, UTC (default today)"),
};

type Range = { readonly startDate: string | undefined; readonly endDate: string | undefined };
type Question = "getDetectionTrends" | "getRiskHistory" | "getCameraUptime" | "getObjectDistribution" | "getRiskScoreTrends";

/** The query for a range of days in UTC. */
function rangeQuery({ startDate, endDate }: Range, now: Date) {
  const dayIn = (time: Date): string => time.toISOString().slice(0, 10);
  const last = endDate ?? dayIn(now);
  return { start_date: startDate ?? dayIn(new Date(Date.parse(last) - 29 * dayMs)), end_date: last };
}

interface Shape<Q extends Question, T> {
  readonly verb: string;
  readonly summary: string;
  /** Replaces the summary on the help page. */
  readonly description?: string;
  readonly question: Q;
  rowsOf(body: ReplyOf<Q>): readonly T[];
  viewOf(rows: readonly T[]): RowView<T>;
}

/** A command that asks one question about a range of days. */
function question<Q extends Question, T>({ verb, summary, description = `${summary}.`, question, rowsOf, viewOf }: Shape<Q, T>): Command {
  return defineCommand({
    name: `analytics ${verb}`,
    summary,
    description: `${description} Days are in UTC, 365 at most.`,
    options: rangeOptions,
    examples: [
      { command: `homesec analytics ${verb}`, note: "the last 30 days" },
      { command: `homesec analytics ${verb} --start-date 2026-03-01 --end-date 2026-03-31`, note: "a range of days" },
    ],
    prints: () => viewOf([]),
    async run({ options }, io) {
      const body = (await io.call(question, { query: rangeQuery(options, io.host.clock.now()) } as never)) as ReplyOf<Q>;
      const rows = rowsOf(body);
      await printRows(io.output, rows, viewOf(rows), body);
      return exitCodes.ok;
    },
  });
}

const scoreDistribution = defineCommand({
  name: "analytics score-distribution",
  summary: "Events per range of risk scores",
  description: "Events per range of risk scores. Days are in UTC, 365 at most.",
  options: { ...rangeOptions, bucketSize: withDefault(integer("n", ...ranges.scoreBucketSize, "Scores per range"), 10) },
  examples: [
    { command: "homesec analytics score-distribution", note: "the last 30 days" },
    { command: "homesec analytics score-distribution --bucket-size 5", note: "smaller ranges" },
  ],
  prints: () => views.scoreBuckets([]),
  async run({ options }, io) {
    const query = { ...rangeQuery(options, io.host.clock.now()), bucket_size: options.bucketSize };
    const body = await io.call("getRiskScoreDistribution", { query });
    await printRows(io.output, body.buckets, views.scoreBuckets(body.buckets), body);
    return exitCodes.ok;
  },
});

export const commands: readonly Command[] = [
  question({
    verb: "detections",
    summary: "Detections per day",
    question: "getDetectionTrends",
    rowsOf: (body) => body.data_points,
    viewOf: views.detectionDays,
  }),
  question({
    verb: "risk",
    summary: "Scored events per day and fixed risk level",
    description: "Scored events per day in fixed levels, whatever the thresholds: low 0-29, medium 30-59, high 60-84, critical 85-100.",
    question: "getRiskHistory",
    rowsOf: (body) => body.data_points,
    viewOf: views.riskDays,
  }),
  question({
    verb: "scores",
    summary: "Average risk score per day",
    question: "getRiskScoreTrends",
    rowsOf: (body) => body.data_points,
    viewOf: views.scoreDays,
  }),
  scoreDistribution,
  question({
    verb: "objects",
    summary: "Detections per class, most frequent first",
    question: "getObjectDistribution",
    rowsOf: (body) => body.object_types,
    viewOf: views.objectShares,
  }),
  question({
    verb: "uptime",
    summary: "Share of days with detections, per camera",
    question: "getCameraUptime",
    rowsOf: (body) => body.cameras,
    viewOf: views.cameraUptimes,
  }),
];
