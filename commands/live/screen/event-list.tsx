import { memo } from "react";
import { mostEvents } from "../data/data.ts";
import type { Alert, Event } from "../records.ts";
import { firstShown } from "../ui/selection.ts";
import type { ListProps } from "./camera-list.tsx";
import { Panel } from "./panel.tsx";
import { leftOf, row } from "./row.ts";
import { countText, riskText, shortTime } from "./words.ts";

interface Props extends ListProps {
  readonly events: readonly Event[];
  /** Open alerts, whose events are marked. */
  readonly alerts: readonly Alert[];
  readonly all: number;
}

/** The events, newest first. */
export const EventList = memo(function EventList({ terminal, width, height, focused, selected, events, alerts, all }: Props) {
  const first = firstShown(events.length, selected, height - 1);
  const alerted = new Set(alerts.map(({ event_id }) => event_id));
  const widths = eventWidths(width);
  const lines = events.slice(first, first + height - 1).map((event, at) => {
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
  const nothing = all === 0 ? "  no events yet" : "  no events match the filter";
  const title = `events ${countText(events.length, all, mostEvents)}`;
  return <Panel {...{ terminal, width, height, focused, title }} lines={lines.length > 0 ? lines : [nothing]} />;
});

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
