import { localTimeZone } from "../../src/base/clock/time-zone.ts";
import { pluralize } from "../../src/base/text/format.ts";
import type { ReplyOf } from "../../src/contract/routes/index.ts";
import { flag } from "../input/options.ts";
import type { Io } from "../io.ts";
import { printRecord, printRows } from "../output/output.ts";
import { exactly, localTime, paint, plain, type TerminalFormat } from "../output/terminal-format.ts";
import { fieldsOf, type View } from "../output/view.ts";
import type { NewRule } from "./file.ts";

/** The option of the command that adds rules. */
export const dryRunOption = { dry_run: flag("Show the alerts of the last 30 days and save nothing") };

type Draft = ReplyOf<"backtestDefinition"> & { readonly name: string };

const countsText = ({ tested }: Draft): string =>
  `${pluralize(tested.alerts_after_cooldown, "alert")} of ${pluralize(tested.events_matched, "match", "matches")}`;

/** What a rule would have done, before it is saved. */
export const draftView: View<Draft> = {
  plural: "rules",
  fields: async () => ["name", ...(await fieldsOf("backtestDefinition")())],
  id: ({ name }) => name,
  columns: [
    { title: "NAME", keep: true, isId: true, cell: ({ name }) => ({ text: name }) },
    { title: "EVENTS", cell: ({ events_tested }) => ({ text: String(events_tested) }) },
    { title: "MATCHES", cell: ({ tested }) => ({ text: String(tested.events_matched) }) },
    { title: "ALERTS", cell: ({ tested }) => ({ text: String(tested.alerts_after_cooldown) }) },
    { title: "NEAR MISSES", cell: ({ near_misses }) => ({ text: String(near_misses.count) }) },
    { title: "FAULTS", cell: ({ faults }) => ({ text: faults.map(({ message }) => message).join("; ") || "none" }) },
  ],
  details: (draft, terminal) => [
    ["rule", { text: draft.name, paint: "bold" }],
    ["from", { text: exactly(terminal, draft.start_date) }],
    ["to", { text: exactly(terminal, draft.end_date) }],
    ["events", { text: `${draft.events_tested}${draft.complete ? "" : " (only the newest)"}` }],
    ["alerts", { text: countsText(draft) }],
    ["near misses", { text: missesText(draft) }],
    ...draft.faults.map(({ field, message }) => [field, { text: message, paint: "red" }] as const),
  ],
  more: (draft, terminal) => alertsText(draft, terminal),
};

function missesText({ near_misses: { count, fields } }: Draft): string {
  if (count === 0) return "none";
  return `${count}: ${fields.map((each) => `${each.count} fail only ${each.field}`).join(", ")}`;
}

function alertsText({ alerts }: Draft, terminal: TerminalFormat): string {
  return alerts
    .map(({ raised_at, event }) => {
      const summary = event.summary === "" ? "" : paint(terminal, "dim", `  ${plain(event.summary)}`);
      return `${localTime(raised_at)}  event ${event.id} at ${plain(event.camera_id)}${summary}\n`;
    })
    .join("");
}

/** Prints what rules would have done in the last 30 days. Saves nothing. */
export async function printDrafts(io: Io, rules: readonly NewRule[]): Promise<void> {
  const drafts: Draft[] = [];
  for (const definition of rules) {
    const [mode] = definition.modes ?? [];
    const reply = await io.call("backtestDefinition", { body: { definition, mode, timezone: localTimeZone() } });
    if (mode !== undefined) io.output.note(`${definition.name}: tested as if the home had been in mode ${mode} all the time`);
    drafts.push({ name: definition.name, ...reply });
  }
  const [first, ...others] = drafts;
  if (first === undefined || others.length > 0) await printRows(io.output, drafts, draftView, drafts);
  else await printRecord(io.output, first, draftView);
}
