import { ago, statePaint } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";

interface Row {
  readonly version: number;
  readonly name: string;
  readonly state: string;
  readonly applied_at: Date | null;
}

export const migrationView: RowView<Row> = {
  plural: "migrations",
  fields: ["version", "name", "state", "applied_at"],
  id: ({ version }) => version,
  columns: [
    { title: "VERSION", align: "right", keep: true, cell: ({ version }) => ({ text: String(version) }) },
    { title: "MIGRATION", cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: ({ state }) => ({ text: state, paint: statePaint(state) }) },
    { title: "APPLIED", keep: true, cell: ({ applied_at }, terminal) => ({ text: applied_at === null ? "" : ago(terminal, applied_at) }) },
  ],
};
