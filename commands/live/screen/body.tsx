import type { TerminalFormat } from "../../output/terminal-format.ts";
import { polledStaleSince } from "../data/freshness.ts";
import { idsOf, rowsOf } from "../data/rows.ts";
import type { Display } from "../display.ts";
import type { PanelName } from "../ui/layout.ts";
import { selectedRow, subjectOf } from "../ui/selection.ts";
import type { ListName, State } from "../ui/ui.ts";
import { AlertList } from "./alert-list.tsx";
import { CameraList } from "./camera-list.tsx";
import { DetailsPanel } from "./details-panel.tsx";
import { EventList } from "./event-list.tsx";
import { LogList } from "./log-list.tsx";
import { Panel } from "./panel.tsx";
import { StaleArea } from "./stale.tsx";
import { SystemPanel } from "./system-panel.tsx";
import { emptyText } from "./words.ts";

interface Props {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly state: State;
  readonly name: PanelName;
  readonly width: number;
  readonly height: number;
  readonly focused: boolean;
}

/** The panel with this name. */
export function Body({ terminal, display, state, name, width, height, focused }: Props) {
  const { data, ui } = state;
  const rows = rowsOf(state);
  const place = { terminal, width, height, focused, isLoaded: data.isLoaded };
  const selected = (list: ListName): number => selectedRow(idsOf(rows, list), ui.selections[list])?.at ?? -1;
  switch (name) {
    case "cameras":
      return (
        <CameraList
          {...place}
          cameras={rows.cameras}
          activity={data.activity}
          silences={data.silences}
          all={data.cameras.size}
          selected={selected("cameras")}
        />
      );
    case "alerts":
      return <AlertList {...place} alerts={rows.alerts} all={data.alerts.length} selected={selected("alerts")} />;
    case "events":
      return (
        <EventList
          {...place}
          events={rows.events}
          visits={rows.visits}
          alerts={data.alerts}
          all={data.events.length}
          selected={selected("events")}
        />
      );
    case "log":
      return <LogList {...{ terminal, width, height, focused }} log={data.log} />;
    case "system":
      return (
        <StaleArea terminal={terminal} since={polledStaleSince(data, "health", terminal.now)}>
          <SystemPanel {...{ terminal, width, height, focused, data }} scroll={ui.view === "system" ? ui.scroll : 0} />
        </StaleArea>
      );
    case "preview": {
      const subject = subjectOf(state);
      if (subject === undefined)
        return (
          <Panel
            {...{ terminal, width, height, focused }}
            title="details"
            lines={[emptyText(data.isLoaded, 0, "nothing is selected", "")]}
          />
        );
      return <DetailsPanel {...{ terminal, width, height, focused, display, state, subject }} scroll={0} />;
    }
    default:
      return name satisfies never;
  }
}
