import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";

type Label = Reply<Routes["listDetectionLabels"]>["labels"][number];

const view: RowView<Label> = {
  plural: "classes",
  fields: ["label", "count"],
  id: ({ label }) => label,
  columns: [
    { title: "CLASS", keep: true, cell: ({ label }) => ({ text: label }) },
    { title: "DETECTIONS", align: "right", keep: true, cell: ({ count }) => ({ text: String(count) }) },
  ],
};

export const labelsOfDetections = defineCommand({
  name: "detections labels",
  summary: "List every class that was ever detected, most frequent first",
  examples: [
    { command: "homesec detections labels", note: "what --object-type can find" },
    { command: "homesec detections labels -o id", note: "the names alone" },
  ],
  prints: () => view,
  async run(_, io) {
    const body = await io.call("listDetectionLabels", {});
    await printRows(io.output, body.labels, view, body);
    return exitCodes.ok;
  },
});
