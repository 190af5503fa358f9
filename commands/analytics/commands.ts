import { dayMs } from "../../src/base/clock/clock.ts";
import { ranges } from "../../src/contract/constants.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command, Example, Values } from "../command.ts";
import { rowsCommand } from "../command-shapes.ts";
import { integer, type Option, withDefault } from "../input/options.ts";
import { periodOfDays } from "../input/time-options.ts";
import type { RowView } from "../output/view.ts";
import * as views from "./views.ts";

const rangeOptions = periodOfDays("First day, UTC (default 29 days before the last)", "Last day, UTC (default today)");

type Question =
  | "getDetectionTrends"
  | "getRiskHistory"
  | "getCameraUptime"
  | "getObjectDistribution"
  | "getRiskScoreTrends"
  | "getRiskScoreDistribution";

/** The query for a range of days in UTC. */
function rangeQuery({ start_date, end_date }: Values<typeof rangeOptions>, now: Date) {
  const dayIn = (time: Date): string => time.toISOString().slice(0, 10);
  const last = end_date ?? dayIn(now);
  return { start_date: start_date ?? dayIn(new Date(Date.parse(last) - 29 * dayMs)), end_date: last };
}

interface Shape<Q extends Question, T> {
  readonly verb: string;
  readonly summary: string;
  /** Replaces the summary on the help page. */
  readonly description?: string;
  /** Options besides the range. */
  readonly options?: Readonly<Record<string, Option<unknown>>>;
  /** Replaces the second example. */
  readonly example?: Example;
  readonly question: Q;
  rows(body: ReplyOf<Q>): readonly T[];
  view(rows: readonly T[]): RowView<T>;
}

/** A command that asks one question about a range of days. */
function question<Q extends Question, T>(shape: Shape<Q, T>): Command {
  const { verb, summary, description = `${summary}.`, options, example, question, rows, view } = shape;
  const range = `homesec analytics ${verb} --since 2026-03-01 --until 2026-03-31`;
  return rowsCommand({
    name: `analytics ${verb}`,
    summary,
    description: `${description} Days are in UTC, 365 at most.`,
    options: { ...rangeOptions, ...options },
    examples: [{ command: `homesec analytics ${verb}`, note: "the last 30 days" }, example ?? { command: range, note: "a range of days" }],
    view,
    body: async (io, { options }) => {
      const query = { ...options, ...rangeQuery(options, io.host.clock.now()) };
      return (await io.call(question, { query } as never)) as ReplyOf<Q>;
    },
    rows,
  });
}

export const commands: readonly Command[] = [
  question({
    verb: "detections",
    summary: "Detections per day",
    question: "getDetectionTrends",
    rows: (body) => body.data_points,
    view: views.detectionDays,
  }),
  question({
    verb: "risk",
    summary: "Scored events per day and fixed risk level",
    description: "Scored events per day in fixed levels, whatever the thresholds: low 0-29, medium 30-59, high 60-84, critical 85-100.",
    question: "getRiskHistory",
    rows: (body) => body.data_points,
    view: views.riskDays,
  }),
  question({
    verb: "scores",
    summary: "Average risk score per day",
    question: "getRiskScoreTrends",
    rows: (body) => body.data_points,
    view: views.scoreDays,
  }),
  question({
    verb: "score-distribution",
    summary: "Events per range of risk scores",
    options: { bucket_size: withDefault(integer("n", ...ranges.scoreBucketSize, "Scores per range"), 10) },
    example: { command: "homesec analytics score-distribution --bucket-size 5", note: "smaller ranges" },
    question: "getRiskScoreDistribution",
    rows: (body) => body.buckets,
    view: views.scoreBuckets,
  }),
  question({
    verb: "objects",
    summary: "Detections per class, most frequent first",
    question: "getObjectDistribution",
    rows: (body) => body.object_types,
    view: views.objectShares,
  }),
  question({
    verb: "uptime",
    summary: "Share of days with detections, per camera",
    question: "getCameraUptime",
    rows: (body) => body.cameras,
    view: views.cameraUptimes,
  }),
];
