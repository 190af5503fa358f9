import { setTimeout as sleep } from "node:timers/promises";
import { pluralize } from "../src/base/text/format.ts";
import { Problem } from "../src/contract/problem.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { flag, seconds } from "./input/options.ts";
import type { Io } from "./io.ts";
import { paint, plain, statePaint } from "./output/terminal-format.ts";
import type { RowView } from "./output/view.ts";

interface Part {
  readonly name: string;
  readonly kind: "service" | "worker";
  readonly status: string;
  readonly message: string;
}

const view: RowView<Part> = {
  plural: "parts",
  fields: () => ["name", "kind", "status", "message"],
  id: (part) => part.name,
  columns: [
    { title: "PART", keep: true, cell: (part) => ({ text: part.name }) },
    { title: "STATE", keep: true, cell: (part) => ({ text: part.status, paint: statePaint(part.status) }) },
    { title: "MESSAGE", cell: (part) => ({ text: part.message }) },
  ],
};

export const health = defineCommand({
  name: "health",
  summary: "Check whether homesec is healthy",
  description:
    "Shows services, workers, refused messages, incomplete files, folders that cannot be read, wrong clocks of cameras, zones of cameras that were moved, and dead letters. Exits with 0 if everything works and nothing of that is listed, with 7 otherwise, and with 6 if no daemon answers. With --wait it first waits until a daemon is ready to accept pictures and its built-in services have loaded.",
  options: {
    wait: seconds(0, 86_400, "Wait for a ready daemon, such as 30s (default 0s)"),
    parts_only: flag("Ignore refused messages, files, folders, clocks, zones and dead letters"),
  },
  examples: [
    { command: "homesec health", note: "services and workers" },
    { command: "homesec health --quiet > /dev/null || echo 'homesec needs attention'", note: "in a script" },
    { command: "homesec health --wait 60s", note: "after a start: continue as soon as it is ready" },
  ],
  prints: () => view,
  async run({ options: { wait = 0, parts_only: partsOnly } }, io) {
    if (io.global.direct) throw new Problem("invalid", "health needs a daemon; remove --direct and start one with `homesec serve`");
    const { printRows } = await import("./output/output.ts");
    if (wait > 0) await waitUntilReady(io, wait);
    const health = await io.call("getHealth", {});
    const readiness = await io.call("getReady", {});
    const { ai, ...services } = health.services;
    const parts: Part[] = [
      ...Object.entries({ ...services, ai }).map(([name, { status, message }]) => ({ name, kind: "service" as const, status, message })),
      ...Object.entries(ai.details ?? {}).map(([name, status]) => ({
        name,
        kind: "service" as const,
        status: String(status),
        message: "",
      })),
      ...readiness.workers.map(({ name, running, message }) => {
        return { name, kind: "worker" as const, status: running ? "running" : "stopped", message: message ?? "" };
      }),
    ];
    // The API status considers critical workers only, but a stopped folder watcher matters here too
    const stopped = readiness.workers.filter(({ running }) => !running).map(({ name }) => name);
    const isDelayed = !partsOnly && health.recent_events.some(({ event_type: type }) => type === "delayed");
    const isHealthy = health.status === "healthy" && readiness.ready && stopped.length === 0 && !isDelayed;
    const { terminal } = io.output;
    const word = readiness.ready ? "ready" : "not ready";
    await printRows(io.output, parts, view, { ...health, ready: readiness });
    // The pipeline status comes from the database
    const lines = health.services.database.status === "healthy" && !partsOnly ? await attention(io) : [];
    const more = lines.length === 0 && !isDelayed ? "" : `, ${paint(terminal, "yellow", "needs attention")}`;
    io.output.note(`${paint(terminal, statePaint(health.status), health.status)}, ${paint(terminal, statePaint(word), word)}${more}`);
    if (stopped.length > 0) io.output.note(`stopped: ${stopped.join(", ")}`);
    const conditions = health.recent_events.filter(({ event_type: type }) => ["restart_needed", "not_applied", "delayed"].includes(type));
    for (const { service, message } of conditions) io.output.note(`${service}: ${plain(message)}`);
    for (const line of lines) io.output.note(line);
    return isHealthy && lines.length === 0 ? exitCodes.ok : exitCodes.findings;
  },
});

const pauseMs = 250;

/** Waits until a daemon is ready or the time is over. Throws `Problem("unreachable")` if no daemon answers in time. */
async function waitUntilReady(io: Io, waitSeconds: number): Promise<void> {
  const { clock, signal } = io.host;
  const until = clock.monotonic() + waitSeconds * 1000;
  while (!signal.aborted) {
    const isOver = clock.monotonic() >= until;
    try {
      const isReady = (await io.call("getReady", {})).ready && !(await isStarting(io));
      if (isReady || isOver) return;
    } catch (error) {
      if (isOver || !(error instanceof Problem) || error.kind !== "unreachable") throw error;
    }
    await sleep(pauseMs);
  }
}

/** Whether a built-in service is loading. Pictures wait for it, so the daemon is ready, but nothing is looked at yet. */
async function isStarting(io: Io): Promise<boolean> {
  const { ai } = (await io.call("getHealth", {})).services;
  return Object.values(ai.details ?? {}).includes("starting");
}

/** Names of the jobs of each queue. */
const jobNames: Readonly<Record<string, readonly [one: string, many: string]>> = {
  detect: ["picture", "pictures"],
  enrich: ["enrichment", "enrichments"],
  analyze: ["event analysis", "event analyses"],
  alert: ["rule evaluation", "rule evaluations"],
  deliver: ["message", "messages"],
};

/** Problems that need a person: incomplete files, dead letters, wrong clocks and doubtful zones of cameras, and what hides pictures. */
async function attention(io: Io): Promise<readonly string[]> {
  const { mayHidePictures, passedOverText } = await import("../src/monitoring/cameras/passed-over.ts");
  const { clockFix, clockText, isWrongClock } = await import("../src/monitoring/camera-times/clock-offset.ts");
  const { file_watcher } = await io.call("getPipeline", {});
  const { queues } = await io.call("getDlqStats", {});
  const dead = Object.entries(queues).filter(([, count]) => count > 0);
  const hidden = (file_watcher.passed_over ?? []).filter(mayHidePictures);
  const clocks = (await io.call("listCameras", { query: { limit: 1_000 } })).cameras.filter((camera) =>
    isWrongClock(camera.clock_offset_seconds),
  );
  const places = [...(await io.call("listAllZones", {})).zones, ...(await io.call("listMasks", { query: {} })).masks];
  const moved = new Set(places.flatMap(({ camera_id: id, doubtful_since: since }) => (since === null ? [] : [id])));
  return [
    ...file_watcher.stuck.map(({ path, reason }) => `incomplete file: ${plain(path)}: ${plain(reason)}`),
    ...dead.map(
      ([queue, count]) =>
        `no longer retried: ${pluralize(count, ...(jobNames[queue] ?? ["job", "jobs"]))}; see homesec dlq list --queue ${queue}`,
    ),
    ...clocks.map(({ camera_id, clock_offset_seconds: offset }) =>
      plain(`camera ${camera_id}: ${clockText(offset ?? 0)}. ${clockFix(camera_id, offset ?? 0)}`),
    ),
    ...[...moved].map(
      (id) =>
        `camera ${plain(id)} was moved, so its zones and ignored spots may lie elsewhere: draw them again, or keep them with homesec cameras zones confirm ${plain(id)}`,
    ),
    ...hidden.map((entry) => `not read: ${plain(passedOverText(entry))}`),
  ];
}
