import { gpuIntervals, ranges } from "../../src/contract/constants.ts";
import type { Command } from "../command.ts";
import { recordCommand, rowsCommand } from "../command-shapes.ts";
import { choice, withDefault } from "../input/options.ts";
import { lookBack } from "../input/time-options.ts";
import { gpuView } from "./view.ts";

export const commands: readonly Command[] = [
  recordCommand({
    name: "gpu show",
    summary: "Show load, memory and temperature of the GPU",
    description: "Shows the busiest NVIDIA card as reported by nvidia-smi. Without a card or the tool there is nothing to show.",
    examples: [{ command: "homesec gpu show", note: "load, memory, temperature, power" }],
    view: gpuView,
    record: (io) => io.call("getGpuStats", {}),
    note: ({ recorded_at }) => (recorded_at === null ? "no GPU measured; `homesec workers list` says why" : undefined),
  }),
  rowsCommand({
    name: "gpu history",
    summary: "Show the GPU measurements of the past hours",
    options: {
      hours: lookBack("hours", ...ranges.gpuHours, 24),
      interval: withDefault(choice(gpuIntervals, "Interval of each average"), "5m"),
    },
    examples: [
      { command: "homesec gpu history", note: "the last day in 5 minute averages" },
      { command: "homesec gpu history --since 7d --interval 1h -o csv", note: "the last week as CSV" },
    ],
    view: gpuView,
    body: (io, { options: query }) => io.call("getGpuHistory", { query }),
    rows: (body) => body.items,
  }),
];
