import { Problem } from "../../src/contract/problem.ts";
import { type Command, defineCommand } from "../command.ts";
import { commandLog } from "../direct.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import { ago, statePaint } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { backUpDatabase } from "./backup.ts";
import { restoreDatabase } from "./restore.ts";

interface Row {
  readonly version: number;
  readonly name: string;
  readonly state: string;
  readonly applied_at: Date | null;
}

const view: RowView<Row> = {
  plural: "migrations",
  fields: () => ["version", "name", "state", "applied_at"],
  id: ({ version }) => version,
  columns: [
    { title: "VERSION", align: "right", keep: true, cell: ({ version }) => ({ text: String(version) }) },
    { title: "MIGRATION", cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: ({ state }) => ({ text: state, paint: statePaint(state) }) },
    { title: "APPLIED", keep: true, cell: ({ applied_at }, terminal) => ({ text: applied_at === null ? "" : ago(terminal, applied_at) }) },
  ],
};

const migrateDatabase = defineCommand({
  name: "db migrate",
  summary: "Migrate the database schema to this version",
  description: "Migrates the database schema to this version of homesec. The daemon does the same when it starts.",
  examples: [{ command: "homesec db migrate", note: "prints the applied migrations" }],
  prints: () => view,
  async run(_, io) {
    const [{ migrate }, { tellEvidenceKey }] = await Promise.all([
      import("../../src/platform/database/migrate.ts"),
      import("../../src/platform/secrets/open-sealer.ts"),
    ]);
    const db = await io.database();
    tellEvidenceKey({ db, keyPath: (await io.configuration()).config.secretKeyPath });
    const done = await migrate(db, { log: commandLog(io), clock: io.host.clock });
    const now = io.host.clock.now();
    const rows = done.map(({ version, name }) => ({ version, name, state: "applied", applied_at: now }));
    if (rows.length === 0) io.output.note("the schema is up to date");
    if (rows.length > 0 || io.output.format !== "table") await printRows(io.output, rows, view, rows);
    return exitCodes.ok;
  },
});

const databaseStatus = defineCommand({
  name: "db status",
  summary: "Show applied and pending migrations",
  description: "Shows applied and pending migrations. Exits with 5 if this version of homesec must not use the database.",
  examples: [{ command: "homesec db status", note: "changes nothing" }],
  prints: () => view,
  async run(_, io) {
    const { migrationStatus } = await import("../../src/platform/database/migrate.ts");
    const { applied, pending, refusal } = await migrationStatus(await io.database());
    const rows = [
      ...applied.map(({ version, name, applied_at }) => ({ version, name, state: "applied", applied_at })),
      ...pending.map(({ version, name }) => ({ version, name, state: "pending", applied_at: null })),
    ];
    await printRows(io.output, rows, view, rows);
    if (refusal !== null) throw new Problem("conflict", refusal);
    return exitCodes.ok;
  },
});

export const commands: readonly Command[] = [migrateDatabase, databaseStatus, backUpDatabase, restoreDatabase];
