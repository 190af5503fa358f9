import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { list, time } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { table } from "../output/table.ts";
import type { TerminalFormat } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";

type Stats = Reply<Routes["getDetectionStats"]>;

const view: View<Stats> = {
  plural: "statistics",
  fields: ["total_detections", "detections_by_class", "object_class_distribution", "average_confidence", "trends"],
  id: ({ total_detections }) => total_detections,
  columns: [],
  details: ({ total_detections, average_confidence }) => [
    ["detections", { text: String(total_detections), paint: "bold" }],
    ["average", { text: average_confidence === null ? "-" : `${Math.round(average_confidence * 100)} % sure` }],
  ],
  more: classesText,
};

function classesText({ object_class_distribution: classes }: Stats, terminal: TerminalFormat): string {
  if (classes.length === 0) return "";
  const heads = [
    { title: "CLASS", keep: true },
    { title: "DETECTIONS", align: "right" as const, keep: true },
  ];
  return table(
    terminal,
    heads,
    classes.map(({ object_class, count }) => [{ text: object_class }, { text: String(count) }]),
  );
}

export const statsOfDetections = defineCommand({
  name: "detections stats",
  summary: "Count the detections by class",
  description: "Counts the detections by class. JSON has the numbers of each of the last 30 days too.",
  options: {
    cameraId: list("id", "Only of this camera; repeat it or use commas for several"),
    objectType: list("class", "Only of this class, such as person; repeat it or use commas for several"),
    startDate: time("Only from this time on"),
    endDate: time("Only up to this time"),
  },
  examples: [
    { command: "homesec detections stats", note: "all there are" },
    { command: "homesec detections stats --camera-id yard --start-date -7d", note: "one camera, the last week" },
  ],
  prints: () => view,
  async run({ options: { cameraId, objectType, startDate, endDate } }, io) {
    const query = { camera_id: cameraId, object_type: objectType, start_date: startDate, end_date: endDate };
    await printRecord(io.output, await io.call("getDetectionStats", { query }), view);
    return exitCodes.ok;
  },
});
