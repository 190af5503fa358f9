import { describeSchedule } from "../../src/alerting/rules/schedule.ts";
import { spanText } from "../../src/alerting/silences/silence.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { ago, exactly, localTime } from "../output/terminal-format.ts";
import { fieldsOf, type RowView, type View } from "../output/view.ts";

export type ModeState = ReplyOf<"getMode">;
type Mode = ReplyOf<"updateMode">;
type ModeSwitch = ReplyOf<"listModeSwitches">["items"][number];

export const stateView: View<ModeState> = {
  plural: "modes",
  fields: fieldsOf("getMode"),
  id: ({ mode }) => mode,
  columns: [],
  details: (state, terminal) => [
    ["mode", { text: state.mode, paint: "bold" }],
    ["since", { text: state.since === null ? "the installation" : exactly(terminal, state.since) }],
    ...authorLine(state),
    ...(state.pending === null
      ? []
      : [
          [
            "next",
            {
              text: `${state.pending.mode} at ${localTime(state.pending.effective_at)} (in ${spanText(terminal.now, state.pending.effective_at)})`,
              paint: "yellow",
            },
          ] as const,
        ]),
  ],
};

function authorLine({ source, set_by }: Pick<ModeState, "source" | "set_by">) {
  const author = source === "schedule" ? "its schedule" : set_by;
  return author === null ? [] : [["by", { text: author }] as const];
}

export const modeView: View<Mode> = {
  plural: "modes",
  fields: fieldsOf("updateMode"),
  id: ({ name }) => name,
  columns: [
    { title: "NAME", keep: true, isId: true, cell: ({ name }) => ({ text: name }) },
    { title: "EXIT DELAY", align: "right", cell: (mode) => ({ text: `${mode.exit_delay_seconds} s` }) },
    { title: "ENTRY DELAY", align: "right", cell: (mode) => ({ text: `${mode.entry_delay_seconds} s` }) },
    { title: "SCHEDULE", cell: ({ schedule }) => ({ text: schedule === null ? "" : describeSchedule(schedule) }) },
    { title: "BUILT IN", cell: ({ built_in }) => ({ text: built_in ? "yes" : "no" }) },
  ],
  details: (mode) => [
    ["mode", { text: mode.name, paint: "bold" }],
    ["exit delay", { text: `${mode.exit_delay_seconds} s` }],
    ["entry delay", { text: `${mode.entry_delay_seconds} s` }],
    ["schedule", { text: mode.schedule === null ? "none" : describeSchedule(mode.schedule) }],
    ["built in", { text: mode.built_in ? "yes" : "no" }],
  ],
};

export const switchView: RowView<ModeSwitch> = {
  plural: "switches",
  fields: () => ["id", "mode", "previous_mode", "requested_at", "switched_at", "set_by", "source"],
  id: ({ id }) => String(id),
  columns: [
    { title: "ID", keep: true, align: "right", isId: true, cell: ({ id }) => ({ text: String(id) }) },
    { title: "WHEN", keep: true, cell: ({ switched_at }, terminal) => ({ text: ago(terminal, switched_at) }) },
    { title: "MODE", keep: true, cell: ({ mode }) => ({ text: mode }) },
    { title: "BEFORE", cell: ({ previous_mode }) => ({ text: previous_mode }) },
    { title: "BY", cell: ({ source, set_by }) => ({ text: source === "schedule" ? "schedule" : (set_by ?? "") }) },
  ],
};
