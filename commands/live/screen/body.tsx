import type { TerminalFormat } from "../../output/terminal-format.ts";
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
import { SystemPanel } from "./system-panel.tsx";

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
  const place = { terminal, width, height, focused };
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
      return <EventList {...place} events={rows.events} alerts={data.alerts} all={data.events.length} selected={selected("events")} />;
    case "log":
      return <LogList {...place} log={data.log} />;
    case "system":
      return <SystemPanel {...place} data={data} scroll={ui.view === "system" ? ui.scroll : 0} />;
    case "preview": {
      const subject = subjectOf(state);
      if (subject === undefined) return <Panel {...place} title="details" lines={["  nothing is selected"]} />;
      return <DetailsPanel {...place} {...{ display, state, subject }} scroll={0} />;
    }
    default:
      return name satisfies never;
  }
}
