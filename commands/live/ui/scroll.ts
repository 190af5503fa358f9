import { detailsText } from "../screen/details-text.ts";
import { systemLines, systemPlaces } from "../screen/system-lines.ts";
import { bodyHeight, detailsLayout } from "./layout.ts";
import type { Details, State } from "./ui.ts";

/** The scroll position of open details after `by` lines; stops at the last line. */
export function scrolled(state: State, { subject, scroll }: Details, by: number): number {
  const { size } = state.ui;
  const layout = detailsLayout({ columns: size.columns, rows: bodyHeight(size) - 1 });
  const terminal = { now: state.now, colour: false, width: layout.text.columns };
  const last = Math.max(0, detailsText(state, subject, terminal, layout).length - layout.text.rows);
  return Math.max(0, Math.min(scroll + by, last));
}

/** The scroll position of the system view after `by` lines. */
export function scrolledSystem({ now, data, ui: { size, scroll } }: State, by: number): number {
  const { columns, width } = systemPlaces(size.columns);
  const lines = systemLines({ now, colour: false, width }, data, width).length;
  return Math.max(0, Math.min(scroll + by, lines - columns * (bodyHeight(size) - 1)));
}
