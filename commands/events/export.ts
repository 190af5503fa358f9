import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, text, time } from "../input/options.ts";
import { parseDuration } from "../input/time.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { streamNew } from "../output/save.ts";
import { savedView } from "../output/saved.ts";
import { watched } from "./export-progress.ts";
import { filterOptions, filterQuery } from "./filter.ts";

const sinceOption = {
  ...time("Only from so long ago on, such as 24h, or from this time on"),
  read: (given: Parameters<(typeof filterOptions.startDate)["read"]>[0]) => {
    const texts = given.texts.map((each) => (parseDuration(each) === undefined ? each : `-${each.trim()}`));
    return filterOptions.startDate.read({ ...given, texts });
  },
};

/** Endings by which programs take a file for what is saved in no format. */
const elsewhere = /\.(?:json|xls|ods|pdf)$/i;

export const exportEvents = defineCommand({
  name: "events export",
  summary: "Save all events that match in a file, for a spreadsheet or a program",
  description:
    "Saves the events as CSV, as an Excel workbook or as NDJSON, newest first, however many there are. Times are UTC. With --watermark each run saves what was stored since the last one that ended with 0, and nothing twice; without new events no file is written. With a filter for the risk, what still waits for its analysis, and what was stored after it, is left for a later run.",
  options: {
    format: choice(["csv", "xlsx", "ndjson"], "Kind of file; without it the ending of --to says so, else csv"),
    to: text("file", "Where to save it, instead of homesec-events.<format> in this folder; a file that is there already stays as it is"),
    since: sinceOption,
    watermark: text("file", "Keep in this file how far was exported; the next run goes on there. For csv and ndjson"),
    ...filterOptions,
  },
  examples: [
    { command: "homesec events export", note: "everything, as homesec-events.csv" },
    { command: "homesec events export --since 24h --to today.ndjson", note: "the last day, one JSON object a line" },
    { command: "homesec events export --to march.xlsx --start-date 2026-03-01 --end-date 2026-04-01", note: "a month, for Excel" },
    {
      command: "homesec events export --watermark export.mark --to $(date +%F).csv --quiet",
      note: "every night: what is new; in a crontab, write \\% for %",
    },
  ],
  prints: () => savedView,
  async run({ options }, io) {
    const { since, watermark, to } = options;
    if (since !== undefined && options.startDate !== undefined)
      throw new Problem("invalid", "--since and --start-date say the same; give one");
    const ending = (["xlsx", "ndjson"] as const).find((each) => to?.toLowerCase().endsWith(`.${each}`));
    if (options.format === undefined && to !== undefined && elsewhere.test(to)) {
      throw new Problem(
        "invalid",
        `--to ${to}: events are saved as .csv, as .xlsx or, one JSON object a line, as .ndjson; end the name so, or say with --format what the file is to hold`,
      );
    }
    const format = options.format ?? ending ?? "csv";
    const file = resolve(io.host.cwd, to ?? `homesec-events.${format}`);
    const filter = filterQuery({ ...options, startDate: since ?? options.startDate });
    if (watermark !== undefined) {
      if (format === "xlsx") throw new Problem("invalid", "--watermark saves csv or ndjson; a workbook is saved as a whole");
      const { exportNew } = await import("./export-new.ts");
      const saved = await exportNew(io, { format, file, filter, watermark: resolve(io.host.cwd, watermark) });
      if (saved) await report(io, file, mediaTypes[format]);
      return exitCodes.ok;
    }
    if (format === "ndjson") {
      const { eventFile, eventPages } = await import("./export-new.ts");
      await streamNew(file, watched(io, eventFile("ndjson", eventPages(io, filter)), format, filter), io.host.signal);
      await report(io, file, mediaTypes.ndjson);
    } else {
      const { mediaType, parts } = await io.call("exportEvents", { query: { format, ...filter } });
      await streamNew(file, watched(io, parts, format, filter), io.host.signal);
      await report(io, file, mediaType);
    }
    return exitCodes.ok;
  },
});

const mediaTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;

async function report(io: Io, file: string, mediaType: string): Promise<void> {
  const { size } = await stat(file);
  await printRecord(io.output, { file, media_type: mediaType, size_bytes: size }, savedView);
}
