import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";

export const databaseStatus = defineCommand({
  name: "db status",
  summary: "Show which migrations the database has",
  description: "Shows the migrations that were applied and those that wait. A database that this program must not touch is a conflict (5).",
  examples: [{ command: "homesec db status", note: "nothing is changed" }],
  prints: async () => (await import("./view.ts")).migrationView,
  async run(_, io) {
    const { migrationStatus } = await import("../../src/platform/database/migrate.ts");
    const { migrationView } = await import("./view.ts");
    const { applied, pending, refusal } = await migrationStatus(await io.database());
    const rows = [
      ...applied.map(({ version, name, applied_at }) => ({ version, name, state: "applied", applied_at })),
      ...pending.map(({ version, name }) => ({ version, name, state: "pending", applied_at: null })),
    ];
    await printRows(io.output, rows, migrationView, rows);
    if (refusal !== null) throw new Problem("conflict", refusal);
    return exitCodes.ok;
  },
});
