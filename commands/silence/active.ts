import { alertsText, scopeText, spanText } from "../../src/alerting/silences/silence.ts";
import { Problem } from "../../src/contract/problem.ts";
import type { Io } from "../io.ts";
import type { Cell } from "../output/table.ts";
import { localTime, plain, type TerminalFormat } from "../output/terminal-format.ts";
import type { View } from "../output/view.ts";
import type { Silence } from "./view.ts";

/** So many are told one by one. */
const told = 3;

/**
 * The silences that hold alerts back now and that `concerns` takes. When they cannot be asked for, a note says so: what the person asked for is no
 * worse for it. A daemon that is older than silences has none.
 */
export async function activeSilences(io: Io, concerns: (silence: Silence) => boolean = () => true): Promise<readonly Silence[]> {
  try {
    const { items } = await io.call("listSilences", { query: { status: "active", limit: 1000 } });
    return items.filter(concerns);
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind !== "not_found") io.output.note(`whether alerts are silenced could not be asked: ${error.message}`);
    return [];
  }
}

/** Tells the person of silences that are active, beside the result. */
export function noteSilences({ output }: Io, silences: readonly Silence[]): void {
  for (const silence of silences.slice(0, told)) output.note(`silenced: ${silenceText(silence, output.terminal)}`);
  if (silences.length > told) {
    output.note(`${silences.length - told} more silences are active; \`homesec silence list --status active\` shows all`);
  }
}

/** The view with a line for each silence that is active; for other formats than the table they are noted. */
export function silencedView<T>(io: Io, view: View<T>, silences: readonly Silence[]): View<T> {
  if (io.output.format !== "table" || io.output.fields !== undefined) {
    noteSilences(io, silences);
    return view;
  }
  return {
    ...view,
    details: (record, terminal) => [...view.details(record, terminal), ...silenceFacts(silences, terminal)],
  };
}

/** A line for each silence, under what it silences. */
export function silenceFacts(silences: readonly Silence[], terminal: TerminalFormat): readonly (readonly [string, Cell])[] {
  return silences.map((silence) => ["silenced", { text: silenceText(silence, terminal), paint: "yellow" }] as const);
}

function silenceText(silence: Silence, { now }: TerminalFormat): string {
  const { id, ends_at, reason, held_back } = silence;
  const left = `until ${localTime(ends_at)} (${spanText(now, ends_at)} more)`;
  return plain(`${scopeText(silence)} ${left}: ${reason}; ${alertsText(held_back)} held back so far (silence ${id})`);
}
