import { memo } from "react";
import { riskPaint } from "../../output/terminal-format.ts";
import { mostAlerts } from "../data/data.ts";
import type { Alert } from "../records.ts";
import { firstShown } from "../ui/selection.ts";
import type { ListProps } from "./camera-list.tsx";
import { Panel } from "./panel.tsx";
import { columnTitles, leftOf, listRows, row } from "./row.ts";
import { countText, emptyText, shortTime } from "./words.ts";

interface Props extends ListProps {
  readonly alerts: readonly Alert[];
  readonly all: number;
}

/** The open alerts, newest first. */
export const AlertList = memo(function AlertList({ terminal, width, height, focused, selected, alerts, all, isLoaded }: Props) {
  const room = listRows(height);
  const first = firstShown(alerts.length, selected, room);
  const camera = Math.max(8, Math.min(24, Math.floor(width * 0.2)));
  const rule = leftOf(width, [8, 8, 9, camera, 10]);
  const lines = alerts.slice(first, first + room).map((alert, at) =>
    row(terminal, { selected: first + at === selected, focused }, [
      { text: shortTime(alert.created_at, terminal.now), width: 8 },
      { text: alert.severity, width: 8, paint: riskPaint(alert.severity) },
      { text: alert.status, width: 9, paint: alert.status === "pending" ? "yellow" : undefined },
      { text: alert.camera_id, width: camera },
      { text: `event ${alert.event_id}`, width: 10, paint: "dim" },
      { text: alert.alert_metadata.rule_name, width: rule },
    ]),
  );
  const columns = columnTitles(terminal, height, lines.length, [
    { text: "RAISED", width: 8 },
    { text: "SEVERITY", width: 8 },
    { text: "STATUS", width: 9 },
    { text: "CAMERA", width: camera },
    { text: "EVENT", width: 10 },
    { text: "RULE", width: rule },
  ]);
  const nothing = emptyText(isLoaded, all, "no open alerts", "no alerts match the filter");
  const title = isLoaded ? `open alerts ${countText(alerts.length, all, mostAlerts)}` : "open alerts";
  return <Panel {...{ terminal, width, height, focused, title, columns }} lines={lines.length > 0 ? lines : [nothing]} />;
});
