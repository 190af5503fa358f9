import { exportMediaTypes } from "../contract/routes/events.ts";
import type { Operations } from "../operations/operation.ts";
import { csvFile } from "../spreadsheet/csv.ts";
import { xlsxFile } from "../spreadsheet/xlsx.ts";
import { exportColumns, exportEvents } from "./export-repository.ts";
import { filterOf } from "./filter.ts";

/** The file is made while it is sent, in memory that does not grow with it. */
export const exportOperations: Pick<Operations, "exportEvents"> = {
  exportEvents: async ({ query, preferredType }, { db, clock, caller }) => {
    const format = query.format ?? (preferredType === exportMediaTypes.xlsx ? "xlsx" : "csv");
    const rows = db.iterate((sql) => exportEvents(sql, filterOf(query)), caller?.gone);
    const stream =
      format === "csv"
        ? csvFile(
            exportColumns.map(({ title }) => title),
            rows,
          )
        : xlsxFile({ name: "Events", columns: exportColumns, rows });
    const time = clock.now().toISOString().slice(0, 19).replaceAll(":", "-");
    return { mediaType: exportMediaTypes[format], content: { stream }, fileName: `homesec-events-${time}Z.${format}` };
  },
};
