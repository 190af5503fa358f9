import { alertsText, scopeText, spanText } from "../../src/alerting/silences/silence.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import type { Cell } from "../output/table.ts";
import { localTime, plain, type TerminalFormat } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";
import type { Silence } from "./view.ts";

/** The largest number of silences noted one by one. */
const mostNoted = 3;

/**
 * The active silences that `isRelevant` accepts. If they cannot be fetched, notes why and returns none, so that the command
 * still succeeds. Daemons without silences have none.
 */
export async function activeSilences(io: Io, isRelevant: (silence: Silence) => boolean = () => true): Promise<readonly Silence[]> {
  try {
    const { items } = await io.call("listSilences", { query: { status: "active", limit: 1000 } });
    return items.filter(isRelevant);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind !== "not_found") io.output.note(`cannot check for active silences: ${error.message}`);
    return [];
  }
}

/** Notes the active silences below the result. */
export function noteSilences({ output }: Io, silences: readonly Silence[]): void {
  for (const silence of silences.slice(0, mostNoted)) output.note(`muted: ${silenceText(silence, output.terminal)}`);
  if (silences.length > mostNoted) {
    output.note(`${silences.length - mostNoted} more silences are active; \`homesec silence list --status active\` lists all`);
  }
}

/** The view with a line for each active silence. Other formats than the table get notes instead. */
export function silencedView<T>(io: Io, view: View<T>, silences: readonly Silence[]): View<T> {
  if (io.output.format !== "table" || io.output.fields !== undefined) {
    noteSilences(io, silences);
    return view;
  }
  return {
    ...view,
    details: (record, terminal) => [...view.details(record, terminal), ...silenceLines(silences, terminal)],
  };
}

/** A line for each silence, below what it mutes. */
export function silenceLines(silences: readonly Silence[], terminal: TerminalFormat): readonly (readonly [string, Cell])[] {
  return silences.map((silence) => ["muted", { text: silenceText(silence, terminal), paint: "yellow" }] as const);
}

function silenceText(silence: Silence, { now }: TerminalFormat): string {
  const { id, ends_at, reason, held_back } = silence;
  const left = `until ${localTime(ends_at)} (${spanText(now, ends_at)} more)`;
  return plain(`${scopeText(silence)} ${left}: ${reason}; ${alertsText(held_back)} muted so far (silence ${id})`);
}
