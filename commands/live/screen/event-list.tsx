import { memo, useContext } from "react";
import { pluralize } from "../../../src/base/text/format.ts";
import { type Visit, visitText } from "../../events/visit.ts";
import { paint, type TerminalFormat } from "../../output/terminal-format.ts";
import { mostEvents } from "../data/data.ts";
import type { Alert, Event } from "../records.ts";
import { steady } from "../text.ts";
import { firstShown } from "../ui/selection.ts";
import type { ListProps } from "./camera-list.tsx";
import { Panel } from "./panel.tsx";
import { columnTitles, leftOf, listRows, row } from "./row.ts";
import { StaleContext } from "./stale.tsx";
import { countText, emptyText, riskText, shortTime } from "./words.ts";

interface Props extends ListProps {
  readonly events: readonly Event[];
  /** Open alerts, whose events are marked. */
  readonly alerts: readonly Alert[];
  readonly all: number;
  /** Visits that are going on, newest first. */
  readonly visits: readonly Visit[];
}

/** The visits that are going on, then the events, newest first. */
export const EventList = memo(function EventList({
  terminal,
  width,
  height,
  focused,
  selected,
  events,
  alerts,
  all,
  visits,
  isLoaded,
}: Props) {
  const going = visitLines(terminal, visits, Math.floor(listRows(height) / 3), useContext(StaleContext) !== undefined);
  const room = listRows(height) - going.length;
  const first = firstShown(events.length, selected, room);
  const alerted = new Set(alerts.map(({ event_id }) => event_id));
  const widths = eventWidths(width);
  const lines = events.slice(first, first + room).map((event, at) => {
    const risk = riskText(event);
    return row(terminal, { selected: first + at === selected, focused }, [
      { text: shortTime(event.started_at, terminal.now), width: 8, paint: event.reviewed ? "dim" : undefined },
      { text: risk.text, width: 11, paint: risk.paint },
      { text: mark(event, alerted.has(event.id)), width: 1, paint: alerted.has(event.id) ? "red" : "green" },
      { text: event.camera_id, width: widths.camera },
      { text: event.object_types.join(", "), width: widths.seen, paint: "dim" },
      { text: event.summary, width: widths.summary, paint: event.reviewed ? "dim" : undefined },
    ]);
  });
  const columns = columnTitles(terminal, height, lines.length, [
    { text: "STARTED", width: 8 },
    { text: "RISK", width: 11 },
    { text: "", width: 1 },
    { text: "CAMERA", width: widths.camera },
    { text: "OBJECTS", width: widths.seen },
    { text: "SUMMARY", width: widths.summary },
  ]);
  const nothing = emptyText(isLoaded, all, "no events yet", "no events match the filter");
  const title = isLoaded ? `events ${countText(events.length, all, mostEvents)}` : "events";
  return <Panel {...{ terminal, width, height, focused, title, columns }} lines={[...going, ...(lines.length > 0 ? lines : [nothing])]} />;
});

/** A line for each visit that is going on, at most `most` of them and at least one; the last line counts the others. */
function visitLines(terminal: TerminalFormat, visits: readonly Visit[], most: number, stale: boolean): string[] {
  const shown = visits.length > Math.max(1, most) ? visits.slice(0, Math.max(1, most - 1)) : visits;
  const lines = shown.map((visit) => `  ${paint(terminal, "cyan", steady(visitText(visit, terminal.now, { stale })))}`);
  const others = visits.length - shown.length;
  return others > 0 && most > 1 ? [...lines, paint(terminal, "cyan", `  and ${pluralize(others, "more visit")}`)] : lines;
}

/** `!`: an open alert; `✓`: reviewed. */
function mark(event: Event, alerted: boolean): string {
  if (alerted) return "!";
  return event.reviewed ? "✓" : " ";
}

function eventWidths(width: number) {
  const camera = Math.max(8, Math.min(24, Math.floor(width * 0.17)));
  const seen = width >= 100 ? 14 : 0;
  return { camera, seen, summary: leftOf(width, [8, 11, 1, camera, seen]) };
}
