import type { ReplyOf } from "../../../src/contract/routes/index.ts";
import { type Cell, type Head, table } from "../../output/table.ts";
import { exactly, paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../../output/view.ts";

type Baseline = ReplyOf<"getBaseline">;
type BaselineConfig = ReplyOf<"getBaselineConfig">;
type Anomaly = ReplyOf<"listAnomalies">["anomalies"][number];

const rounded = (value: number): string => String(Math.round(value * 100) / 100);

export const baselineView: View<Baseline> = {
  plural: "baselines",
  fields: fieldsOf("getBaseline"),
  id: ({ camera_id }) => camera_id,
  columns: [],
  details: (baseline) => [
    ["camera", { text: `${baseline.camera_id} (${baseline.camera_name})`, paint: "bold" }],
    ["state", baseline.baseline_established ? { text: "established", paint: "green" } : { text: "still learning", paint: "yellow" }],
    ["learned from", { text: `${baseline.data_points} hours` }],
    ["now", nowCell(baseline)],
  ],
  more: (baseline, terminal) => classesText(baseline, terminal) + hoursText(baseline, terminal),
};

function nowCell({ current_deviation: now }: Baseline): Cell {
  if (now === null) return { text: "not enough data for this hour of the week", paint: "dim" };
  const factors = now.contributing_factors.length === 0 ? "" : `: ${now.contributing_factors.join(", ")}`;
  return { text: `${now.interpretation.replaceAll("_", " ")}, ${rounded(now.score)} standard deviations${factors}` };
}

function classesText({ object_baselines }: Baseline, terminal: TerminalFormat): string {
  const rows = Object.entries(object_baselines).map(([name, { avg_hourly, peak_hour, total_detections }]) => [
    { text: name },
    { text: rounded(avg_hourly) },
    { text: hourText(peak_hour) },
    { text: String(total_detections) },
  ]);
  const heads: Head[] = [
    { title: "CLASS", keep: true },
    { title: "PER HOUR", align: "right" },
    { title: "PEAK", align: "right" },
    { title: "DETECTIONS", align: "right" },
  ];
  return rows.length === 0 ? "" : `${table(terminal, heads, rows)}\n`;
}

function hoursText({ hourly_patterns }: Baseline, terminal: TerminalFormat): string {
  const hours = Object.entries(hourly_patterns).toSorted(([one], [other]) => Number(one) - Number(other));
  const largest = Math.max(0, ...hours.map(([, { avg_detections }]) => avg_detections));
  return hours
    .map(([hour, { avg_detections }]) => {
      const bar = "█".repeat(largest === 0 ? 0 : Math.round((avg_detections / largest) * 30));
      return `${hourText(Number(hour))}  ${rounded(avg_detections).padStart(6)}  ${paint(terminal, "cyan", bar)}`.trimEnd();
    })
    .map((line) => `${line}\n`)
    .join("");
}

const hourText = (hour: number | null): string => (hour === null ? "-" : `${String(hour).padStart(2, "0")}:00`);

export const baselineConfigView: View<BaselineConfig> = {
  plural: "configurations",
  fields: fieldsOf("getBaselineConfig"),
  id: ({ threshold_stdev }) => threshold_stdev,
  columns: [],
  details: ({ threshold_stdev, min_samples, override_global_config: own, global_config: all }) => [
    ["threshold", { text: `${threshold_stdev} standard deviations` }],
    ["samples", { text: `at least ${min_samples} per hour` }],
    ["scope", { text: own ? "this camera" : "all cameras" }],
    ["all cameras", { text: `${all.threshold_stdev} standard deviations, ${all.min_samples} samples` }],
    ["window", { text: `${all.window_days} days, decay ${all.decay_factor}` }],
  ],
};

export const anomalyView: RowView<Anomaly> = {
  plural: "anomalies",
  fields: fieldsOf("listAnomalies", "anomalies"),
  id: ({ timestamp }) => timestamp.toISOString(),
  columns: [
    { title: "WHEN", keep: true, cell: ({ timestamp }, terminal) => ({ text: exactly(terminal, timestamp) }) },
    { title: "WHAT", cell: ({ detection_class }) => ({ text: detection_class ?? "activity" }) },
    { title: "SCORE", align: "right", keep: true, cell: ({ anomaly_score }) => ({ text: rounded(anomaly_score), paint: "red" }) },
    { title: "EXPECTED", align: "right", cell: ({ expected_frequency }) => ({ text: rounded(expected_frequency) }) },
    { title: "OBSERVED", align: "right", cell: ({ observed_frequency }) => ({ text: rounded(observed_frequency) }) },
    { title: "REASON", cell: ({ reason }) => ({ text: reason }) },
  ],
};

export const baselineResetView: View<ReplyOf<"resetBaseline">> = {
  plural: "resets",
  fields: fieldsOf("resetBaseline"),
  id: () => "",
  columns: [],
  details: (counts) => [
    ["hours deleted", { text: String(counts.activity_baselines_deleted) }],
    ["class hours deleted", { text: String(counts.class_baselines_deleted) }],
  ],
};
