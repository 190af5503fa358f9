import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { upstreamNames } from "../../src/work/operations/upstream-state.ts";
import type { Command } from "../command.ts";
import { recordCommand, rowsCommand } from "../command-shapes.ts";
import { textArgument } from "../input/arguments.ts";
import { ago, localTime, type Paint } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

type Breaker = ReplyOf<"listBreakers">["breakers"][number];
type BreakerReset = ReplyOf<"resetBreaker">;

const paints: Readonly<Record<Breaker["state"], Paint>> = { closed: "green", half_open: "yellow", open: "red" };

const breakerView: RowView<Breaker> = {
  plural: "circuit breakers",
  fields: fieldsOf("listBreakers", "breakers"),
  id: ({ name }) => name,
  columns: [
    { title: "SERVICE", keep: true, cell: ({ name }) => ({ text: name }) },
    { title: "STATE", keep: true, cell: ({ state }) => ({ text: state, paint: paints[state] }) },
    { title: "FAILURES", align: "right", cell: (breaker) => ({ text: String(breaker.failure_count) }) },
    { title: "LAST FAILURE", cell: (breaker, terminal) => ({ text: ago(terminal, breaker.last_failure) }) },
    { title: "LAST SUCCESS", cell: (breaker, terminal) => ({ text: ago(terminal, breaker.last_success) }) },
    { title: "NEXT TRIAL", cell: ({ reset_at }) => ({ text: reset_at === undefined ? "" : localTime(reset_at) }) },
  ],
};

const resetView: View<BreakerReset> = {
  plural: "circuit breakers",
  fields: fieldsOf("resetBreaker"),
  id: ({ name }) => name,
  columns: [],
  details: ({ name, previous_state, state }) => [
    ["service", { text: name, paint: "bold" }],
    ["before", { text: previous_state, paint: paints[previous_state] }],
    ["now", { text: state, paint: paints[state] }],
  ],
};

export const commands: readonly Command[] = [
  rowsCommand({
    name: "breakers list",
    summary: "List the circuit breakers of the AI services",
    description: "Lists the circuit breakers of the AI services. While a breaker is open, homesec does not call its service.",
    examples: [{ command: "homesec breakers list", note: "which services are not called, and until when" }],
    view: breakerView,
    body: (io) => io.call("listBreakers", {}),
    rows: (body) => body.breakers,
  }),
  recordCommand({
    name: "breakers reset",
    summary: "Close a circuit breaker and call its service again",
    arguments: { name: { ...textArgument("Service name"), choices: upstreamNames } },
    examples: [{ command: "homesec breakers reset detector", note: "after a repair; waiting work resumes" }],
    view: resetView,
    record: (io, { arguments: params }) => io.call("resetBreaker", { params }),
    note: ({ message }) => message,
  }),
];
