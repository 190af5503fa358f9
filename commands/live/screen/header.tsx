import { Box } from "ink";
import { pluralize } from "../../../src/base/text/format.ts";
import { paint, statePaint, type TerminalFormat } from "../../output/terminal-format.ts";
import { type LiveData, messagesBehind, mostAlerts } from "../data/data.ts";
import { polledStaleSince, staleSince } from "../data/freshness.ts";
import type { Display } from "../display.ts";
import { steady } from "../text.ts";
import type { State } from "../ui/ui.ts";
import { Lines } from "./lines.tsx";
import { spread } from "./row.ts";
import { StaleArea } from "./stale.tsx";
import { age, countText, duration, shortTime } from "./words.ts";

interface Props {
  readonly terminal: TerminalFormat;
  readonly display: Display;
  readonly state: State;
}

/** The daemon, the connection and the key numbers. */
export function Header({ terminal, display, state: { data, now, ui } }: Props) {
  const { columns } = ui.size;
  const version = data.link.kind === "connected" ? ` ${steady(data.link.version)}` : "";
  const name = ` ${paint(terminal, "bold", "homesec live")}${version}  ${paint(terminal, "dim", display.address)}`;
  const right = `${linkText(terminal, data, now)}${healthText(terminal, data, now)}  ${shortTime(now, now)} `;
  const since = staleSince(data);
  return (
    <Box flexDirection="column">
      <Lines width={columns} height={1} lines={[spread(name, right, columns)]} />
      <StaleArea {...{ terminal, since }}>
        <Lines
          width={columns}
          height={1}
          lines={[` ${since ? `as of ${shortTime(since, now)}  ·  ` : ""}${keyNumbers(terminal, data, now)}`]}
        />
      </StaleArea>
    </Box>
  );
}

/** The state of the connection. */
function linkText(terminal: TerminalFormat, data: LiveData, now: Date): string {
  const { link } = data;
  const behind = messagesBehind(data);
  if (link.kind === "connecting") return paint(terminal, "yellow", "○ connecting");
  if (link.kind === "interrupted") return paint(terminal, "red", `○ reconnecting (${age(link.since, now)})`);
  return behind > 0 ? paint(terminal, "yellow", `◐ catching up (${behind})`) : paint(terminal, "green", "● connected");
}

/** The state of the daemon; in grey with its age if it is stale. */
function healthText(terminal: TerminalFormat, data: LiveData, now: Date): string {
  if (data.health === undefined) return "";
  const { status } = data.health;
  const since = polledStaleSince(data, "health", now);
  if (since === undefined) return `  ${paint(terminal, statePaint(status), status)}`;
  return `  ${paint(terminal, "dim", `was ${status} ${age(since, now)} ago`)}`;
}

/** The mode of the home, and the countdown to the next one. */
function modeText(terminal: TerminalFormat, { mode }: LiveData, now: Date): readonly string[] {
  if (mode === undefined) return [];
  const { pending } = mode;
  const seconds = pending ? Math.max(0, Math.ceil((pending.effective_at.getTime() - now.getTime()) / 1000)) : 0;
  const next = pending ? paint(terminal, "yellow", `, ${steady(pending.mode)} in ${seconds} s`) : "";
  return [`mode ${paint(terminal, mode.mode === "off" ? "yellow" : "bold", steady(mode.mode))}${next}`];
}

function keyNumbers(terminal: TerminalFormat, data: LiveData, now: Date): string {
  const { cameras, alerts, pipeline, telemetry, health, lost } = data;
  const down = [...cameras.values()].filter(({ status }) => status === "offline" || status === "error").length;
  const open =
    alerts.length === 0
      ? "no open alerts"
      : paint(terminal, "red", `${countText(alerts.length, alerts.length, mostAlerts)} open alert${alerts.length === 1 ? "" : "s"}`);
  const silences = data.silences.filter(({ ends_at }) => ends_at > now);
  const everything = silences.some(({ camera_id, rule_id }) => camera_id === null && rule_id === null);
  const broken = Object.values(health?.circuit_breakers.breakers ?? {}).filter((breaker) => breaker !== "closed").length;
  const detect = telemetry?.latencies.detect;
  if (!data.isLoaded) return paint(terminal, "dim", "loading ...");
  const polled = (what: "pipeline" | "telemetry", text: string): string =>
    polledStaleSince(data, what, now) === undefined ? text : paint(terminal, "dim", text);
  return [
    `${pluralize(cameras.size, "camera")}${down === 0 ? "" : paint(terminal, "yellow", ` (${down} down)`)}`,
    open,
    ...modeText(terminal, data, now),
    ...(everything ? [paint(terminal, "yellow", "all alerts muted")] : []),
    ...(silences.length > 0 && !everything ? [paint(terminal, "yellow", pluralize(silences.length, "silence"))] : []),
    ...(pipeline ? [polled("pipeline", `queues ${pipeline.detection_worker.waiting} / ${pipeline.analysis_worker.waiting}`)] : []),
    ...(broken > 0 ? [paint(terminal, "red", `${pluralize(broken, "breaker")} open`)] : []),
    ...(detect ? [polled("telemetry", `detector ${duration(detect.p50_ms)}`)] : []),
    ...(lost > 0 ? [paint(terminal, "red", `${lost} messages missed`)] : []),
  ].join(paint(terminal, "dim", "  ·  "));
}
