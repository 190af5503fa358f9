import type { RestoreReport } from "../../src/backup/restore.ts";
import type { View } from "../output/view.ts";

export const restoreView: View<RestoreReport> = {
  plural: "restores",
  fields: ["path", "tables", "rows", "created_at", "version", "replaced"],
  id: ({ path }) => path,
  columns: [],
  details: ({ path, tables, rows, created_at, version, replaced }) => [
    ["restored", { text: path, paint: "bold" }],
    ["holds", { text: `${rows} rows of ${tables} tables` }],
    ["as of", { text: `${created_at.toISOString()}, by homesec ${version}` }],
    ["before", { text: replaced ? "what was there has been replaced" : "the database was empty" }],
  ],
};
