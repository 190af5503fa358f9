import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pluralize } from "../../src/base/text/format.ts";
import { exportFormats } from "../../src/contract/constants.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { ExcelDialect } from "../../src/platform/spreadsheet/csv.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { choice, flag, text } from "../input/options.ts";
import type { Io } from "../io.ts";
import { printRecord } from "../output/output.ts";
import { type Saved, savedView, streamNew } from "../output/save.ts";
import type { View } from "../output/view.ts";
import { excelDialect } from "./excel.ts";
import { counted } from "./export-progress.ts";
import { type EventFilter, filterOptions } from "./filter.ts";

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
    watermark: text("file", "File that remembers the last exported event; csv, ndjson only"),
    excel: flag("CSV that Excel opens by a double click, in your locale"),
    ...filterOptions,
  },
  examples: [
    { command: "homesec events export", note: "all events to homesec-events.csv" },
    { command: "homesec events export --since 24h --to today.ndjson", note: "the last day, one JSON object per line" },
    { command: "homesec events export --excel", note: "a CSV file for Excel, with your separator and local times" },
    { command: "homesec events export --to march.xlsx --since 2026-03-01 --until 2026-03-31", note: "a month, for Excel" },
    {
      command: "homesec events export --watermark export.mark --to $(date +%F).csv --quiet",
      note: "nightly, new events only; in a crontab write \\% for %",
    },
  ],
  prints: () => exportedView,
  async run({ options }, io) {
    const { watermark, to, format: given, excel: forExcel, ...filter } = options;
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
    if (watermark !== undefined) {
      if (format === "xlsx") throw new Problem("invalid", "--watermark does not support xlsx; use csv or ndjson");
      const { exportNew } = await import("./export-new.ts");
      const count = await exportNew(io, { format, file, filter, watermark: resolve(io.host.cwd, watermark), excel });
      if (count !== undefined) await report(io, file, mediaTypes[format], count);
      return exitCodes.ok;
    }
    const { mediaType, parts } = await contentOf(io, format, filter, excel);
    const content = counted(io, parts, format, filter);
    await streamNew(file, content.parts, io.host.signal);
    await report(io, file, mediaType, content.count());
    return exitCodes.ok;
  },
});

/** The file as the daemon sends it; NDJSON is written here, from the list. */
async function contentOf(io: Io, format: "csv" | "xlsx" | "ndjson", filter: EventFilter, excel: ExcelDialect | undefined) {
  if (format !== "ndjson") {
    const dialect = excel && { excel: true, separator: excel.separator, timezone: excel.timeZone };
    return await io.call("exportEvents", { query: { format, ...dialect, ...filter } });
  }
  const { eventFile, eventPages } = await import("./export-new.ts");
  return { mediaType: mediaTypes.ndjson, parts: eventFile("ndjson", eventPages(io, filter)) };
}

const excelAndOthers = { xlsx: "opens .xlsx as it is", ndjson: "does not open NDJSON" } as const;

const mediaTypes = { csv: "text/csv; charset=utf-8", ndjson: "application/x-ndjson" } as const;

interface Exported extends Saved {
  /** Null if it is not known: a workbook of more than a million events. */
  readonly event_count: number | null;
}

const exportedView: View<Exported> = {
  ...savedView,
  fields: () => ["file", "media_type", "size_bytes", "event_count"],
  details: ({ file, size_bytes, event_count }) => [
    ["saved", { text: `${file} (${event_count === null ? "" : `${pluralize(event_count, "event")}, `}${size_bytes} bytes)` }],
  ],
};

async function report(io: Io, file: string, media_type: string, count: number | undefined): Promise<void> {
  const { size } = await stat(file);
  await printRecord(io.output, { file, media_type, size_bytes: size, event_count: count ?? null }, exportedView);
}
