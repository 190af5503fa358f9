import { pluralize } from "../../../src/base/text/pluralize.ts";
import { paint, statePaint, type TerminalFormat } from "../../output/terminal-format.ts";
import { type LiveData, messagesBehind, mostAlerts } from "../data/data.ts";
import type { Look } from "../look.ts";
import { steady } from "../text.ts";
import type { State } from "../ui/ui.ts";
import { Lines } from "./lines.tsx";
import { spread } from "./row.ts";
import { countText, duration, shortTime } from "./words.ts";

interface Props {
  readonly terminal: TerminalFormat;
  readonly look: Look;
  readonly state: State;
}

/** Which daemon, how the connection is, and the figures of everything. */
export function Header({ terminal, look, state: { data, now, ui } }: Props) {
  const { columns } = ui.size;
  const version = data.link.kind === "connected" ? ` ${steady(data.link.version)}` : "";
  const name = ` ${paint(terminal, "bold", "homesec live")}${version}  ${paint(terminal, "dim", look.address)}`;
  const health = data.health === undefined ? "" : `  ${paint(terminal, statePaint(data.health.status), data.health.status)}`;
  const right = `${linkText(terminal, data, now)}${health}  ${shortTime(now, now)} `;
  return <Lines width={columns} height={2} lines={[spread(name, right, columns), ` ${figures(terminal, data, now)}`]} />;
}

/** Whether what is shown is what is. */
function linkText(terminal: TerminalFormat, data: LiveData, now: Date): string {
  const { link } = data;
  const seconds = Math.max(0, Math.floor((now.getTime() - link.since.getTime()) / 1000));
  const behind = messagesBehind(data);
  if (link.kind === "connecting") return paint(terminal, "yellow", "○ connecting");
  if (link.kind === "interrupted") return paint(terminal, "red", `○ reconnecting (${seconds} s)`);
  return behind > 0 ? paint(terminal, "yellow", `◐ catching up (${behind})`) : paint(terminal, "green", "● connected");
}

function figures(terminal: TerminalFormat, data: LiveData, now: Date): string {
  const { cameras, alerts, pipeline, telemetry, health, lost } = data;
  const away = [...cameras.values()].filter(({ status }) => status === "offline" || status === "error").length;
  const open =
    alerts.length === 0
      ? "no open alert"
      : paint(terminal, "red", `${countText(alerts.length, alerts.length, mostAlerts)} open alert${alerts.length === 1 ? "" : "s"}`);
  const silences = data.silences.filter(({ ends_at }) => ends_at > now);
  const everything = silences.some(({ camera_id, rule_id }) => camera_id === null && rule_id === null);
  const broken = Object.values(health?.circuit_breakers.breakers ?? {}).filter((breaker) => breaker !== "closed").length;
  const detect = telemetry?.latencies.detect;
  return [
    `${pluralize(cameras.size, "camera")}${away === 0 ? "" : paint(terminal, "yellow", ` (${away} away)`)}`,
    open,
    ...(everything ? [paint(terminal, "yellow", "all alerts silenced")] : []),
    ...(silences.length > 0 && !everything ? [paint(terminal, "yellow", pluralize(silences.length, "silence"))] : []),
    ...(pipeline ? [`queues ${pipeline.detection_worker.waiting} / ${pipeline.analysis_worker.waiting}`] : []),
    ...(broken > 0 ? [paint(terminal, "red", `${pluralize(broken, "breaker")} open`)] : []),
    ...(detect ? [`detector ${duration(detect.p50_ms)}`] : []),
    ...(lost > 0 ? [paint(terminal, "red", `${lost} messages lost`)] : []),
  ].join(paint(terminal, "dim", "  ·  "));
}
