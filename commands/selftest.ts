import type { ReplyOf } from "../src/contract/routes/index.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { seconds } from "./input/options.ts";
import type { Paint } from "./output/terminal-format.ts";
import { fieldsOf, type RowView } from "./output/view.ts";

type Stage = ReplyOf<"runSelftest">["stages"][number];

const paints: Readonly<Record<Stage["status"], Paint | undefined>> = { passed: "green", failed: "red", not_reached: undefined };
const milliseconds = (ms: number | null): { readonly text: string } => ({ text: ms === null ? "" : `${Math.round(ms)} ms` });

const view: RowView<Stage> = {
  plural: "stages",
  fields: fieldsOf("runSelftest", "stages"),
  id: ({ name }) => name,
  columns: [
    { title: "STAGE", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "RESULT", keep: true, cell: ({ status }) => ({ text: status.replace("_", " "), paint: paints[status] }) },
    { title: "DURATION", align: "right", cell: ({ took_ms }) => milliseconds(took_ms) },
    { title: "DONE AFTER", align: "right", cell: ({ at_ms }) => milliseconds(at_ms) },
    { title: "DETAIL", cell: ({ detail }) => ({ text: detail ?? "" }) },
  ],
};

export const selftest = defineCommand({
  name: "selftest",
  summary: "Test the pipeline from picture to alert",
  description:
    "Sends a test picture through the daemon: the detector processes it, an event is stored and analysed, a rule raises an alert, the journal records it. The test uses temporary tables, so it affects no statistics and notifies no one. Exits with 0 if every stage passes, with 7 if one fails, and with 6 if no daemon answers.",
  options: { timeout: seconds(5, 600, "Time limit for all stages (default 60s)") },
  examples: [
    { command: "homesec selftest", note: "every stage with its duration" },
    {
      command: "homesec selftest --timeout 5m --quiet > /dev/null || echo 'homesec needs attention'",
      note: "in a script, with a slow language model",
    },
  ],
  prints: () => view,
  async run({ options: { timeout } }, io) {
    const { printRows } = await import("./output/output.ts");
    const report = await io.call("runSelftest", { query: { timeout_seconds: timeout } });
    await printRows(io.output, report.stages, view, report);
    io.output.note(`${report.status}: ${report.message}`);
    return report.status === "passed" ? exitCodes.ok : exitCodes.findings;
  },
});
