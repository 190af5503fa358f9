import type { Reply } from "../src/contract/route.ts";
import type { Routes } from "../src/contract/routes/index.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { seconds } from "./input/options.ts";
import type { Paint } from "./output/terminal-format.ts";
import type { RowView } from "./output/view.ts";

type Stage = Reply<Routes["runSelftest"]>["stages"][number];

const paints: Readonly<Record<Stage["status"], Paint | undefined>> = { passed: "green", failed: "red", not_reached: undefined };
const milliseconds = (ms: number | null): { readonly text: string } => ({ text: ms === null ? "" : `${Math.round(ms)} ms` });

const view: RowView<Stage> = {
  plural: "stages",
  fields: ["name", "status", "at_ms", "took_ms", "detail"],
  id: ({ name }) => name,
  columns: [
    { title: "STAGE", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "RESULT", keep: true, cell: ({ status }) => ({ text: status.replace("_", " "), paint: paints[status] }) },
    { title: "TOOK", align: "right", cell: ({ took_ms }) => milliseconds(took_ms) },
    { title: "AFTER", align: "right", cell: ({ at_ms }) => milliseconds(at_ms) },
    { title: "DETAIL", cell: ({ detail }) => ({ text: detail ?? "" }) },
  ],
};

export const selftest = defineCommand({
  name: "selftest",
  summary: "Send a picture through all stages and tell how long each took",
  description:
    "Has the daemon send a marked picture through everything: the detector looks at it, an event is stored and judged, a rule raises an alert, the journal numbers it. All of it happens in tables of its own that are dropped at the end, so that it counts nowhere and nobody is told. The exit code is 0 when all is proven, 7 when something is missing, 6 when no daemon answers.",
  options: { timeout: seconds(5, 600, "How long to wait for the last proof (default 60s)") },
  examples: [
    { command: "homesec selftest", note: "does a picture become an alert?" },
    { command: "homesec selftest --timeout 5m --quiet > /dev/null || echo 'have a look'", note: "for scripts, with a slow language model" },
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
