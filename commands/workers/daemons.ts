import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import { defineCommand } from "../command.ts";
import { exitCodes } from "../exit-codes.ts";
import { printRows } from "../output/output.ts";
import type { RowView } from "../output/view.ts";

type Daemon = Reply<Routes["listDaemons"]>["daemons"][number];

const view: RowView<Daemon> = {
  plural: "daemons",
  fields: ["daemon_id", "host", "pid", "version", "started_at", "roles", "singletons"],
  id: ({ daemon_id }) => daemon_id,
  columns: [
    { title: "HOST", keep: true, cell: ({ host }) => ({ text: host }) },
    { title: "PID", keep: true, cell: ({ pid }) => ({ text: String(pid) }) },
    { title: "ROLES", keep: true, cell: ({ roles }) => ({ text: roles.join(",") }) },
    { title: "ALONE DOES", cell: ({ singletons }) => ({ text: singletons.join(",") }) },
  ],
};

export const listDaemons = defineCommand({
  name: "workers daemons",
  summary: "List the daemons that share the database",
  description:
    "Lists the daemons that share the database, the one that answers first, with what each does (ROLES) and which of the workers that run in one daemon at a time run in it now.",
  examples: [{ command: "homesec workers daemons", note: "who does what" }],
  prints: () => view,
  async run(_, io) {
    const body = await io.call("listDaemons", {});
    await printRows(io.output, body.daemons, view, body);
    return exitCodes.ok;
  },
});
