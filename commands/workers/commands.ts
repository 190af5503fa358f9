import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { rowsCommand } from "../command-shapes.ts";
import { statePaint } from "../output/terminal-format.ts";
import { fieldsOf, type RowView } from "../output/view.ts";

type Worker = ReplyOf<"listWorkers">["workers"][number];
type Daemon = ReplyOf<"listDaemons">["daemons"][number];

const stateOf = ({ running }: Worker): string => (running ? "running" : "stopped");

const workerView: RowView<Worker> = {
  plural: "workers",
  fields: fieldsOf("listWorkers", "workers"),
  id: ({ name }) => name,
  columns: [
    { title: "WORKER", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: (worker) => ({ text: stateOf(worker), paint: statePaint(stateOf(worker)) }) },
    { title: "MESSAGE", cell: ({ message }) => ({ text: message ?? "" }) },
  ],
};

const daemonView: RowView<Daemon> = {
  plural: "daemons",
  fields: fieldsOf("listDaemons", "daemons"),
  id: ({ daemon_id }) => daemon_id,
  columns: [
    { title: "HOST", keep: true, cell: ({ host }) => ({ text: host }) },
    { title: "PID", keep: true, cell: ({ pid }) => ({ text: String(pid) }) },
    { title: "ROLES", keep: true, cell: ({ roles }) => ({ text: roles.join(",") }) },
    { title: "SINGLETONS", cell: ({ singletons }) => ({ text: singletons.join(",") }) },
  ],
};

export const commands: readonly Command[] = [
  rowsCommand({
    name: "workers list",
    summary: "List background workers and their state",
    examples: [{ command: "homesec workers list", note: "what runs, what does not, and why" }],
    view: workerView,
    body: (io) => io.call("listWorkers", {}),
    rows: (body) => body.workers,
  }),
  rowsCommand({
    name: "workers daemons",
    summary: "List the daemons that share the database",
    description:
      "Lists the daemons that share the database, the answering one first: their roles (ROLES), and the singleton workers each one runs now.",
    examples: [{ command: "homesec workers daemons", note: "which daemon does what" }],
    view: daemonView,
    body: (io) => io.call("listDaemons", {}),
    rows: (body) => body.daemons,
  }),
];
