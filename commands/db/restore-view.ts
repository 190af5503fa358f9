import type { RestoreReport } from "../../src/admin/backup/restore.ts";
import type { View } from "../output/view.ts";

export const restoreView: View<RestoreReport> = {
  plural: "restores",
  fields: ["path", "tables", "rows", "created_at", "version", "replaced", "left_out"],
  id: ({ path }) => path,
  columns: [],
  details: ({ path, tables, rows, created_at, version, replaced, left_out }) => [
    ["restored", { text: path, paint: "bold" }],
    ["holds", { text: `${rows} rows of ${tables} tables` }],
    ["as of", { text: `${created_at.toISOString()}, by homesec ${version}` }],
    ...(left_out.length === 0 ? [] : [["left out", { text: `${left_out.join(", ")}: not homesec's` }] as const]),
    ["before", { text: replaced ? "what was there has been replaced" : "the database was empty" }],
  ],
};
