import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import { statePaint } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";

type Worker = Reply<Routes["listWorkers"]>["workers"][number];

const stateOf = ({ running }: Worker): string => (running ? "running" : "stopped");

const view: RowView<Worker> = {
  plural: "workers",
  fields: ["name", "running", "message"],
  id: ({ name }) => name,
  columns: [
    { title: "WORKER", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: (worker) => ({ text: stateOf(worker), paint: statePaint(stateOf(worker)) }) },
    { title: "MESSAGE", cell: ({ message }) => ({ text: message ?? "" }) },
  ],
};

export const listWorkers = defineCommand({
  name: "workers list",
  summary: "List what runs in the background",
  examples: [{ command: "homesec workers list", note: "what runs, what does not, and why" }],
  prints: () => view,
  async run(_, io) {
    const body = await io.call("listWorkers", {});
    await printRows(io.output, body.workers, view, body);
    return exitCodes.ok;
  },
});
