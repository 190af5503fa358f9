import { setTimeout as sleep } from "node:timers/promises";
import { pluralize } from "../src/base/text/pluralize.ts";
import { Problem } from "../src/contract/problem.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import { seconds } from "./input/options.ts";
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
  fields: ["name", "kind", "status", "message"],
  id: (part) => part.name,
  columns: [
    { title: "PART", keep: true, cell: (part) => ({ text: part.name }) },
    { title: "STATE", keep: true, cell: (part) => ({ text: part.status, paint: statePaint(part.status) }) },
    { title: "MESSAGE", cell: (part) => ({ text: part.message }) },
  ],
};

export const health = defineCommand({
  name: "health",
  summary: "Tell whether everything works",
  description:
    "Shows the services and workers. Files that stay incomplete are named. The exit code is 0 when all is well, 7 when something is not, 6 when no daemon answers. With --wait it first waits until a daemon is ready: takes up pictures, whatever its services do.",
  options: { wait: seconds(0, 86_400, "Wait so long for a daemon that is ready, such as 30s") },
  examples: [
    { command: "homesec health", note: "what works and what does not" },
    { command: "homesec health --quiet > /dev/null || echo 'have a look'", note: "for scripts" },
    { command: "homesec health --wait 60s", note: "after a start: go on as soon as it works" },
  ],
  prints: () => view,
  async run({ options: { wait = 0 } }, io) {
    if (io.global.direct) throw new Problem("invalid", "health asks a daemon, and --direct asks none; start one with `homesec serve`");
    const { printRows } = await import("./output/output.ts");
    if (wait > 0) await ready(io, wait);
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
    // the rule of the API knows critical workers only, but a person wants to hear of a watcher that cannot read its folder too
    const stopped = readiness.workers.filter(({ running }) => !running).map(({ name }) => name);
    const well = health.status === "healthy" && readiness.ready && stopped.length === 0;
    const { terminal } = io.output;
    const word = readiness.ready ? "ready" : "not ready";
    await printRows(io.output, parts, view, { ...health, ready: readiness });
    io.output.note(`${paint(terminal, statePaint(health.status), health.status)}, ${paint(terminal, statePaint(word), word)}`);
    // the pipeline is told from the database
    const lines = health.services.database.status === "healthy" ? await attention(io) : [];
    if (stopped.length > 0) io.output.note(`stopped: ${stopped.join(", ")}`);
    for (const line of lines) io.output.note(line);
    return well ? exitCodes.ok : exitCodes.findings;
  },
});

const pauseMs = 250;

/** Resolves when a daemon is ready, or when the time is over while one answers. Throws `Problem("unreachable")` when none answers till then. */
async function ready(io: Io, waitSeconds: number): Promise<void> {
  const { clock, signal } = io.host;
  const until = clock.monotonic() + waitSeconds * 1000;
  while (!signal.aborted) {
    const over = clock.monotonic() >= until;
    try {
      if ((await io.call("getReady", {})).ready || over) return;
    } catch (error) {
      if (over || !(error instanceof Problem) || error.kind !== "unreachable") throw error;
    }
    await sleep(pauseMs);
  }
}

/** What a job of each queue does. */
const workOf: Readonly<Record<string, readonly [one: string, many: string]>> = {
  detect: ["picture", "pictures"],
  enrich: ["enrichment of an event", "enrichments of events"],
  analyze: ["judgement of an event", "judgements of events"],
  alert: ["look of the rules at an event", "looks of the rules at events"],
  deliver: ["message", "messages"],
};

/** What homesec cannot mend by itself: files that stay incomplete, and work that was given up. */
async function attention(io: Io): Promise<string[]> {
  const { file_watcher } = await io.call("getPipeline", {});
  const { queues } = await io.call("getDlqStats", {});
  const givenUp = Object.entries(queues).filter(([, count]) => count > 0);
  return [
    ...file_watcher.stuck.map(({ path, reason }) => `stays incomplete: ${plain(path)}: ${plain(reason)}`),
    ...givenUp.map(
      ([queue, count]) => `given up: ${pluralize(count, ...(workOf[queue] ?? ["job", "jobs"]))}: homesec dlq list --queue ${queue}`,
    ),
  ];
}
