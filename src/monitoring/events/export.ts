import { createSemaphore } from "../../base/async/semaphore.ts";
import { Problem } from "../../contract/problem.ts";
import type { Request } from "../../contract/route.ts";
import { exportMediaTypes } from "../../contract/routes/events.ts";
import type { Routes } from "../../contract/routes/index.ts";
import { csvFile, type RowBatches, zonedTitle } from "../../platform/spreadsheet/csv.ts";
import { xlsxFile } from "../../platform/spreadsheet/xlsx.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { filterOf } from "./events-repository.ts";
import { exportColumns, exportEvents, exportTitles } from "./export-repository.ts";

/** Limits concurrent exports: other long requests, such as a rule test, do not wait for slow readers. */
const exporting = createSemaphore({
  max: 2,
  timeout: { ms: 20_000, error: () => new Problem("unavailable", "Others are taking two exports just now; try again when they are done") },
});

/** The file is generated while it is sent, in constant memory. */
export const exportOperations: Pick<Operations, "exportEvents"> = {
  exportEvents: async ({ query, preferredType }, { db, clock, caller }) => {
    const format = query.format ?? (preferredType === exportMediaTypes.xlsx ? "xlsx" : "csv");
    const rows = inTurn(() => db.iterate((sql) => exportEvents(sql, filterOf(query)), caller?.gone), caller?.gone);
    const stream = format === "csv" ? csvOf(rows, query) : xlsxFile({ name: "Events", columns: xlsxColumns, rows });
    const time = clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
    return { mediaType: exportMediaTypes[format], content: { stream }, fileName: `homesec-events-${time}Z.${format}` };
  },
};

/** A workbook has no zone: the titles name it. */
const xlsxColumns = exportColumns.map(({ title, width }) => ({ title: zonedTitle(title, "UTC"), width }));

function csvOf(rows: RowBatches, { excel, separator = ",", timezone: timeZone }: Request<Routes["exportEvents"]>["query"]) {
  if (!excel)
    return csvFile(
      exportColumns.map(({ title }) => title),
      rows,
    );
  return csvFile(exportTitles(timeZone), rows, { separator, timeZone });
}

async function* inTurn<T>(rows: () => AsyncIterable<T>, gone: AbortSignal | undefined): AsyncGenerator<T> {
  const leave = await exporting.take(gone);
  try {
    yield* rows();
  } finally {
    leave();
  }
}
