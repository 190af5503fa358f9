import type { ReplyOf, Routes } from "../../src/contract/routes/index.ts";
import type { Cell } from "../output/table.ts";
import type { TerminalFormat } from "../output/terminal-format.ts";
import { type Column, fieldsOf, type RowView } from "../output/view.ts";

type Row<K extends keyof Routes, L extends string> = ReplyOf<K> extends Record<L, readonly (infer T)[]> ? T : never;
type DetectionDay = Row<"getDetectionTrends", "data_points">;
type RiskDay = Row<"getRiskHistory", "data_points">;
type CameraUptime = Row<"getCameraUptime", "cameras">;
type ObjectShare = Row<"getObjectDistribution", "object_types">;
type ScoreBucket = Row<"getRiskScoreDistribution", "buckets">;
type ScoreDay = Row<"getRiskScoreTrends", "data_points">;

/** A right-aligned column of numbers; zeros are dimmed. */
function numberColumn<T>(title: string, value: (row: T) => number, unit = ""): Column<T> {
  return {
    title,
    align: "right",
    keep: true,
    cell: (row) => ({ text: `${value(row)}${unit}`, ...(value(row) === 0 && { paint: "dim" as const }) }),
  };
}

const longestBar = 30;

/** A column of bars; the largest value gets the longest bar. */
export function bars<T>(rows: readonly T[], value: (row: T) => number): Column<T> {
  const largest = Math.max(0, ...rows.map(value));
  const cell = (row: T, _terminal: TerminalFormat): Cell => {
    const length = largest === 0 ? 0 : (value(row) / largest) * longestBar;
    return { text: "█".repeat(Math.floor(length)) + (length % 1 >= 0.5 ? "▌" : ""), paint: "cyan" };
  };
  return { title: "", cell };
}

const day = { title: "DAY", keep: true, cell: ({ date }: { readonly date: string }) => ({ text: date }) };

export const detectionDays = (rows: readonly DetectionDay[]): RowView<DetectionDay> => ({
  plural: "days",
  fields: fieldsOf("getDetectionTrends", "data_points"),
  id: ({ date }) => date,
  columns: [day, numberColumn("DETECTIONS", ({ count }) => count), bars(rows, ({ count }) => count)],
});

export const riskDays = (): RowView<RiskDay> => ({
  plural: "days",
  fields: fieldsOf("getRiskHistory", "data_points"),
  id: ({ date }) => date,
  columns: [
    day,
    numberColumn("LOW", ({ low }) => low),
    numberColumn("MEDIUM", ({ medium }) => medium),
    numberColumn("HIGH", ({ high }) => high),
    numberColumn("CRITICAL", ({ critical }) => critical),
  ],
});

export const cameraUptimes = (): RowView<CameraUptime> => ({
  plural: "cameras",
  fields: fieldsOf("getCameraUptime", "cameras"),
  id: ({ camera_id }) => camera_id,
  columns: [
    { title: "CAMERA", keep: true, cell: ({ camera_id }) => ({ text: camera_id }) },
    { title: "NAME", cell: ({ camera_name }) => ({ text: camera_name }) },
    numberColumn("DAYS WITH DETECTIONS", ({ uptime_percentage }) => Math.round(uptime_percentage * 10) / 10, " %"),
    numberColumn("DETECTIONS", ({ detection_count }) => detection_count),
  ],
});

export const objectShares = (rows: readonly ObjectShare[]): RowView<ObjectShare> => ({
  plural: "classes",
  fields: fieldsOf("getObjectDistribution", "object_types"),
  id: ({ object_type }) => object_type,
  columns: [
    { title: "CLASS", keep: true, cell: ({ object_type }) => ({ text: object_type }) },
    numberColumn("DETECTIONS", ({ count }) => count),
    numberColumn("SHARE", ({ percentage }) => Math.round(percentage * 10) / 10, " %"),
    bars(rows, ({ count }) => count),
  ],
});

export const scoreBuckets = (rows: readonly ScoreBucket[]): RowView<ScoreBucket> => ({
  plural: "scores",
  fields: fieldsOf("getRiskScoreDistribution", "buckets"),
  id: ({ min_score, max_score }) => `${min_score}-${max_score}`,
  columns: [
    { title: "SCORE", align: "right", keep: true, cell: ({ min_score, max_score }) => ({ text: `${min_score}-${max_score}` }) },
    numberColumn("EVENTS", ({ count }) => count),
    bars(rows, ({ count }) => count),
  ],
});

export const scoreDays = (rows: readonly ScoreDay[]): RowView<ScoreDay> => ({
  plural: "days",
  fields: fieldsOf("getRiskScoreTrends", "data_points"),
  id: ({ date }) => date,
  columns: [
    day,
    numberColumn("AVERAGE SCORE", ({ avg_score }) => avg_score),
    numberColumn("EVENTS", ({ count }) => count),
    bars(rows, ({ avg_score }) => avg_score),
  ],
});
