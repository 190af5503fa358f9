import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { exportFormats } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, flag, text, time } from "../input/options.ts";
import { parseDuration } from "../input/time.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { savedView, streamNew } from "../output/save.ts";
import { excelDialect } from "./excel.ts";
import { withProgress } from "./export-progress.ts";
import { filterOptions } from "./filter.ts";

const start = time("Only from this time on, or this long ago (24h)");
const sinceOption: typeof start = {
  ...start,
  read: ({ texts, ...given }) =>
    start.read({ ...given, texts: texts.map((each) => (parseDuration(each) === undefined ? each : `-${each.trim()}`)) }),
};

/** Extensions of formats that exports do not support. */
const unsupported = /\.(?:json|xls|ods|pdf)$/i;

export const exportEvents = defineCommand({
  name: "events export",
  summary: "Export matching events to a CSV, Excel or NDJSON file",
  description:
    "Exports all matching events as CSV, Excel workbook or NDJSON, newest first. Times are UTC, with --excel local time. With --watermark each run exports only the events stored since the last successful run, each one once; without new events it writes no file. With a risk filter, events that wait for analysis, and all events after them, are left to a later run.",
  options: {
    format: choice([...exportFormats, "ndjson"], "File format (default from the extension of --to, else csv)"),
    to: text("file", "Target file, never overwritten (default homesec-events.<format>)"),
    since: sinceOption,
    watermark: text("file", "File that remembers the last exported event; csv, ndjson only"),
    excel: flag("CSV that Excel opens by a double click, in your locale"),
    ...filterOptions,
  },
  examples: [
    { command: "homesec events export", note: "all events to homesec-events.csv" },
    { command: "homesec events export --since 24h --to today.ndjson", note: "the last day, one JSON object per line" },
    { command: "homesec events export --excel", note: "a CSV file for Excel, with your separator and local times" },
    { command: "homesec events export --to march.xlsx --start-date 2026-03-01 --end-date 2026-04-01", note: "a month, for Excel" },
    {
      command: "homesec events export --watermark export.mark --to $(date +%F).csv --quiet",
      note: "nightly, new events only; in a crontab write \\% for %",
    },
  ],
  prints: () => savedView,
  async run({ options }, io) {
    const { since, watermark, to, format: given, excel: forExcel, ...filters } = options;
    if (since !== undefined && filters.start_date !== undefined)
      throw new Problem("invalid", "--since and --start-date both set the start; give only one");
    const ending = (["xlsx", "ndjson"] as const).find((each) => to?.toLowerCase().endsWith(`.${each}`));
    if (given === undefined && to !== undefined && unsupported.test(to)) {
      throw new Problem(
        "invalid",
        `--to ${to}: the extension must be .csv, .xlsx or .ndjson; change it, or set the file format with --format`,
      );
    }
    const format = given ?? ending ?? "csv";
    if (forExcel && format !== "csv") throw new Problem("invalid", `--excel is for CSV; leave it out, Excel ${excelAndOthers[format]}`);
    const excel = forExcel ? excelDialect(io.host.env) : undefined;
    const file = resolve(io.host.cwd, to ?? `homesec-events.${format}`);
    const filter = { ...filters, start_date: since ?? filters.start_date };
    if (watermark !== undefined) {
      if (format === "xlsx") throw new Problem("invalid", "--watermark does not support xlsx; use csv or ndjson");
      const { exportNew } = await import("./export-new.ts");
      const saved = await exportNew(io, { format, file, filter, watermark: resolve(io.host.cwd, watermark), excel });
      if (saved) await report(io, file, mediaTypes[format]);
      return exitCodes.ok;
    }
    if (format === "ndjson") {
      const { eventFile, eventPages } = await import("./export-new.ts");
      await streamNew(file, withProgress(io, eventFile("ndjson", eventPages(io, filter)), format, filter), io.host.signal);
      await report(io, file, mediaTypes.ndjson);
    } else {
      const dialect = excel && { excel: true, separator: excel.separator, timezone: excel.timeZone };
      const { mediaType, parts } = await io.call("exportEvents", { query: { format, ...dialect, ...filter } });
      await streamNew(file, withProgress(io, parts, format, filter), io.host.signal);
      await report(io, file, mediaType);
    }
    return exitCodes.ok;
  },
});

const excelAndOthers = { xlsx: "opens .xlsx as it is", ndjson: "does not open NDJSON" } as const;

const mediaTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;

async function report(io: Io, file: string, mediaType: string): Promise<void> {
  const { size } = await stat(file);
  await printRecord(io.output, { file, media_type: mediaType, size_bytes: size }, savedView);
}
