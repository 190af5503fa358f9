import type { BackupReport } from "../../src/admin/backup/backup.ts";
import { sizeText } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";

export const backupView: View<BackupReport> = {
  plural: "backups",
  fields: ["path", "bytes", "tables", "rows", "created_at", "schema"],
  id: ({ path }) => path,
  columns: [],
  details: ({ path, bytes, tables, rows, created_at, schema }) => [
    ["backup", { text: path, paint: "bold" }],
    ["size", { text: sizeText(bytes) }],
    ["holds", { text: `${rows} rows of ${tables} tables` }],
    ["as of", { text: created_at.toISOString() }],
    ["schema", { text: schema }],
  ],
};
