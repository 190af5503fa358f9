import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, text } from "../input/options.ts";
import { printRecord } from "../output/output.ts";
import { streamNew } from "../output/save.ts";
import { savedView } from "../output/saved.ts";
import { filterOptions, filterQuery } from "./filter.ts";

export const exportEvents = defineCommand({
  name: "events export",
  summary: "Save all events that match in a file for a spreadsheet",
  description: "Saves the events as CSV or as an Excel workbook, newest first, however many there are. Times are UTC.",
  options: {
    format: choice(["csv", "xlsx"], "Kind of file; without it the ending of --to says so, else csv"),
    to: text("file", "Where to save it, instead of homesec-events.<format> in this folder; a file that is there already stays as it is"),
    ...filterOptions,
  },
  examples: [
    { command: "homesec events export", note: "everything, as homesec-events.csv" },
    { command: "homesec events export --to march.xlsx --start-date 2026-03-01 --end-date 2026-04-01", note: "a month, for Excel" },
    { command: "homesec events export --camera-id garage --min-risk-score 60 --to garage.csv", note: "what mattered at one camera" },
  ],
  async run({ options }, io) {
    const format = options.format ?? (options.to?.toLowerCase().endsWith(".xlsx") ? "xlsx" : "csv");
    const file = resolve(io.host.cwd, options.to ?? `homesec-events.${format}`);
    const { mediaType, parts } = await io.call("exportEvents", { query: { format, ...filterQuery(options) } });
    await streamNew(file, parts);
    const { size } = await stat(file);
    await printRecord(io.output, { file, media_type: mediaType, size_bytes: size }, savedView);
    return exitCodes.ok;
  },
});
