import type { analyticsRoutes } from "../../contract/routes/analytics.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { answerOnce, rollupVersion } from "./answers.ts";
import { cameraNamesVersion, cameraUptime } from "./camera-uptime.ts";
import { detectionTrends, objectDistribution } from "./detections.ts";
import { type DayRange, dayRange } from "./range.ts";
import { riskHistory } from "./risk-history.ts";
import { riskScoreDistribution } from "./risk-score-distribution.ts";
import { riskScoreTrends } from "./risk-score-trends.ts";

interface AskedDays {
  readonly start_date: string;
  readonly end_date: string;
}

const ofDetections = (sql: Sql) => rollupVersion(sql, "detections");
const ofEvents = (sql: Sql) => rollupVersion(sql, "events");

/** Answers a question about a range of days and includes the days in the reply. */
async function askDays<T extends object>(
  name: string,
  asked: AskedDays,
  version: (sql: Sql) => Promise<string>,
  answer: (sql: Sql, range: DayRange) => Promise<T>,
  context: OperationContext,
): Promise<T & AskedDays> {
  const range = dayRange(asked);
  const question = { key: `${name} ${range.start} ${range.end}`, version, answer: (sql: Sql) => answer(sql, range) };
  return { ...(await answerOnce(question, context)), start_date: range.start, end_date: range.end };
}

/** The use cases of analytics. All throw `Problem("bad_request")` for a range of days that runs backwards or is too long. */
export const analyticsOperations: Pick<Operations, keyof typeof analyticsRoutes> = {
  getDetectionTrends: async ({ query }, context) =>
    await askDays(
      "detection-trends",
      query,
      ofDetections,
      async (sql, range) => {
        const data_points = [...(await detectionTrends(sql, range))];
        return { data_points, total_detections: data_points.reduce((sum, point) => sum + point.count, 0) };
      },
      context,
    ),

  getRiskHistory: async ({ query }, context) =>
    await askDays("risk-history", query, ofEvents, async (sql, range) => ({ data_points: [...(await riskHistory(sql, range))] }), context),

  getCameraUptime: async ({ query }, context) =>
    await askDays(
      "camera-uptime",
      query,
      async (sql) => `${await ofDetections(sql)} ${await cameraNamesVersion(sql)}`,
      async (sql, range) => ({ cameras: [...(await cameraUptime(sql, range))] }),
      context,
    ),

  getObjectDistribution: async ({ query }, context) =>
    await askDays("object-distribution", query, ofDetections, objectDistribution, context),

  getRiskScoreDistribution: async ({ query }, context) => {
    const { bucket_size } = query;
    const answer = async (sql: Sql, range: DayRange) => {
      const buckets = [...(await riskScoreDistribution(sql, range, bucket_size))];
      return { buckets, total_events: buckets.reduce((sum, bucket) => sum + bucket.count, 0) };
    };
    return { ...(await askDays(`risk-score-distribution ${bucket_size}`, query, ofEvents, answer, context)), bucket_size };
  },

  getRiskScoreTrends: async ({ query }, context) =>
    await askDays(
      "risk-score-trends",
      query,
      ofEvents,
      async (sql, range) => ({ data_points: [...(await riskScoreTrends(sql, range))] }),
      context,
    ),
};
