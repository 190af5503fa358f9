import { defineCommand } from "../command.ts";
import { commandLog } from "../direct.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";

export const migrateDatabase = defineCommand({
  name: "db migrate",
  summary: "Bring the schema of the database up to this program",
  description: "Brings the schema of the database up to this program. The daemon does the same when it starts.",
  examples: [{ command: "homesec db migrate", note: "prints what was applied" }],
  prints: async () => (await import("./view.ts")).migrationView,
  async run(_, io) {
    const { migrate } = await import("../../src/platform/database/migrate.ts");
    const { migrationView } = await import("./view.ts");
    const done = await migrate(await io.database(), { log: commandLog(io), clock: io.host.clock });
    const now = io.host.clock.now();
    const rows = done.map(({ version, name }) => ({ version, name, state: "applied", applied_at: now }));
    if (rows.length === 0) io.output.note("the schema is up to date");
    if (rows.length > 0 || io.output.format !== "table") await printRows(io.output, rows, migrationView, rows);
    return exitCodes.ok;
  },
});
