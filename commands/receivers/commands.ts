import type { ReplyOf } from "../../src/contract/routes/index.ts";
import type { Command } from "../command.ts";
import { rowsCommand } from "../command-shapes.ts";
import { ago, harmless } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { mailRules } from "./rules.ts";

type Receiver = ReplyOf<"listReceivers">["receivers"][number];

/** Faults that are printed below the table. */
const mostFaults = 10;

const receiverView: RowView<Receiver> = {
  plural: "receivers",
  id: ({ protocol }) => protocol,
  fields: () => ["protocol", "state", "host", "port", "fault", "connections", "login_count"],
  columns: [
    { title: "PROTOCOL", keep: true, cell: ({ protocol }) => ({ text: protocol }) },
    {
      title: "STATE",
      keep: true,
      cell: ({ state }) => ({ text: state, ...(state === "failed" ? { paint: "red" } : state === "listening" ? { paint: "green" } : {}) }),
    },
    { title: "ADDRESS", keep: true, cell: ({ host, port }) => ({ text: `${host}:${port}` }) },
    { title: "CAMERAS", cell: ({ login_count }) => ({ text: String(login_count) }) },
    { title: "CONNECTIONS", cell: ({ connections }) => ({ text: String(connections) }) },
    { title: "FAULT", cell: ({ fault }) => ({ text: fault ?? "" }) },
  ],
};

const listReceivers = rowsCommand({
  name: "receivers list",
  summary: "List the receivers for cameras and their recent faults",
  description:
    "Lists the servers to which cameras deliver pictures, and below them the deliveries that failed in the last hour, with the reasons. A receiver is off until a camera has a login for it; `homesec cameras connect` creates one.",
  examples: [{ command: "homesec receivers list", note: "which ports listen, and what cameras do wrong" }],
  view: receiverView,
  body: (io) => io.call("listReceivers", { query: {} }),
  rows: ({ receivers }) => receivers,
  after({ output }, { recent_faults }) {
    for (const { occurred_at, protocol, camera_id, client, message } of recent_faults.slice(0, mostFaults)) {
      output.note(harmless(`${ago(output.terminal, occurred_at)}  ${protocol}  ${camera_id ?? "unknown camera"}  ${client}: ${message}`));
    }
  },
});

export const commands: readonly Command[] = [listReceivers, mailRules];
