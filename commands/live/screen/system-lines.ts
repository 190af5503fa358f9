import { type Paint, paint, statePaint, type TerminalFormat } from "../../output/terminal-format.ts";
import { wrapped } from "../../output/wrap.ts";
import type { LiveData } from "../data/data.ts";
import type { Health, Pipeline, Telemetry } from "../records.ts";
import { fitted, steady } from "../text.ts";
import { duration } from "./words.ts";

const label = 10;
const columnWidth = 76;

/** The number and the width of the columns. */
export function systemPlaces(width: number): { readonly columns: number; readonly width: number } {
  const columns = Math.max(1, Math.min(3, Math.floor(width / columnWidth)));
  return { columns, width: Math.floor(width / columns) };
}

/** The state of the daemon, most important lines first, since not all may fit. */
export function systemLines(terminal: TerminalFormat, { health, pipeline, telemetry }: LiveData, width: number): string[] {
  if (health === undefined) return ["  loading ..."];
  return [
    ...serviceLines(terminal, health, width),
    ...(pipeline ? queueLines(terminal, pipeline, telemetry) : []),
    ...(telemetry ? latencyLines(terminal, telemetry, width) : []),
    ...workerLines(terminal, health, width),
    ...(telemetry ? requestLines(terminal, telemetry) : []),
  ];
}

const circuitPaint = { closed: "green", half_open: "yellow", open: "red" } as const;

function serviceLines(terminal: TerminalFormat, health: Health, width: number): string[] {
  const { database, store, ai_services } = health;
  return [
    ...[database, store].map(({ name, status, message }) =>
      named(terminal, name, status, statePaint(status), status === "healthy" ? "" : message),
    ),
    ...ai_services.map(({ name, status, response_time_ms, circuit_state, error: fault, note }) => {
      const error = fault ?? note;
      const breaker = paint(terminal, circuitPaint[circuit_state], `breaker ${circuit_state.replace("_", " ")}`);
      const time = response_time_ms === null ? "" : `${duration(response_time_ms)}  `;
      return named(
        terminal,
        name,
        status,
        statePaint(status),
        `${fitted(time, 7)}${breaker}${error === null || width < 60 ? "" : `  ${steady(error)}`}`,
      );
    }),
  ];
}

function named(terminal: TerminalFormat, name: string, state: string, colour: Paint | undefined, rest: string): string {
  return `  ${fitted(steady(name), 15)} ${paint(terminal, colour, fitted(state, 9))} ${rest}`;
}

/** Queues: waiting, deferred, in progress and dead jobs. */
function queueLines(
  terminal: TerminalFormat,
  { file_watcher, detection_worker, batch_aggregator, analysis_worker }: Pipeline,
  telemetry: Telemetry | undefined,
): string[] {
  const queue = (
    name: string,
    { waiting, deferred, in_progress, dead, oldest_waiting_seconds: oldest }: Pipeline["analysis_worker"],
  ): string => {
    const deadText = dead === 0 ? "" : paint(terminal, "red", `  ${dead} dead`);
    const old = oldest === null || oldest < 5 ? "" : paint(terminal, "yellow", `  oldest ${duration(oldest * 1000)}`);
    return `  ${fitted(name, label)} ${waiting} waiting  ${deferred} deferred  ${in_progress} in progress${deadText}${old}`;
  };
  const stuck = file_watcher.stuck.length === 0 ? "" : paint(terminal, "yellow", `  ${file_watcher.stuck.length} stuck`);
  return [
    heading(terminal, "queues"),
    `  ${fitted("files", label)} ${file_watcher.pending} incomplete${stuck}`,
    queue("detection", detection_worker),
    `  ${fitted("batches", label)} ${batch_aggregator.active_batches} open`,
    queue("analysis", analysis_worker),
    ...(telemetry ? [`  ${fitted("delivery", label)} ${telemetry.queues.delivery_queue} waiting`] : []),
  ];
}

function latencyLines(terminal: TerminalFormat, { latencies }: Telemetry, width: number): string[] {
  const lines = Object.entries(latencies).map(([name, latency]) => {
    if (latency === null) return `  ${fitted(name, label)} ${paint(terminal, "dim", "no samples in the last hour")}`;
    const { p50_ms, p95_ms, max_ms, sample_count } = latency;
    const most = width < 60 ? "" : `max ${fitted(duration(max_ms), 8)} of ${sample_count}`;
    return `  ${fitted(name, label)} p50 ${fitted(duration(p50_ms), 8)} p95 ${fitted(duration(p95_ms), 8)} ${most}`;
  });
  return [heading(terminal, "latency"), ...lines];
}

/** One line per stopped worker; running workers share lines, so that all fit on a small screen. */
function workerLines(terminal: TerminalFormat, { workers }: Health, width: number): string[] {
  const stopped = workers.filter(({ running }) => !running);
  const running = workers.filter((worker) => worker.running).map(({ name }) => steady(name));
  return [
    heading(terminal, `workers: ${running.length} of ${workers.length} running`),
    ...stopped.map(({ name, critical }) => named(terminal, name, "stopped", statePaint("stopped"), critical ? "critical" : "")),
    ...wrapped(running.join("  "), width - 3).map((line) => `  ${paint(terminal, "green", line)}`),
  ];
}

function requestLines(terminal: TerminalFormat, { websocket, api_requests: { total, p50_ms, p99_ms } }: Telemetry): string[] {
  const times = p50_ms === null || p99_ms === null ? "" : `  p50 ${duration(p50_ms)}  p99 ${duration(p99_ms)}`;
  return [
    heading(terminal, "clients"),
    `  ${fitted("websocket", label)} ${websocket.connected_clients} connected  ${websocket.messages_sent} sent  ${websocket.cut_slow} disconnected`,
    `  ${fitted("requests", label)} ${total}${times}`,
  ];
}

function heading(terminal: TerminalFormat, text: string): string {
  return ` ${paint(terminal, "dim", text)}`;
}
