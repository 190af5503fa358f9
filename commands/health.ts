import { Problem } from "../src/contract/problem.ts";
import { defineCommand } from "./command.ts";
import { exitCodes } from "./exit-codes.ts";
import type { Io } from "./io.ts";
import { paint, plain, statePaint } from "./output/people.ts";
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
    "Shows the services and workers. Files that stay incomplete are named. The exit code is 0 when all is well, 7 when something is not, 6 when no daemon answers.",
  examples: [
    { command: "homesec health", note: "what works and what does not" },
    { command: "homesec health --quiet > /dev/null || echo 'have a look'", note: "for scripts" },
  ],
  async run(_, io) {
    if (io.global.direct) throw new Problem("invalid", "health asks a daemon, and --direct asks none; start one with `homesec serve`");
    const { printRows } = await import("./output/output.ts");
    const health = await io.call("getHealth", {});
    const ready = await io.call("getReady", {});
    const { ai, ...services } = health.services;
    const parts: Part[] = [
      ...Object.entries({ ...services, ai }).map(([name, { status, message }]) => ({ name, kind: "service" as const, status, message })),
      ...Object.entries(ai.details ?? {}).map(([name, status]) => ({
        name,
        kind: "service" as const,
        status: String(status),
        message: "",
      })),
      ...ready.workers.map(({ name, running, message }) => {
        return { name, kind: "worker" as const, status: running ? "running" : "stopped", message: message ?? "" };
      }),
    ];
    // the rule of the API knows critical workers only, but a person wants to hear of a watcher that cannot read its folder too
    const stopped = ready.workers.filter(({ running }) => !running).map(({ name }) => name);
    const well = health.status === "healthy" && ready.ready && stopped.length === 0;
    const { people } = io.output;
    const readiness = ready.ready ? "ready" : "not ready";
    await printRows(io.output, parts, view, { ...health, ready });
    io.output.note(`${paint(people, statePaint(health.status), health.status)}, ${paint(people, statePaint(readiness), readiness)}`);
    // the pipeline is told from the database
    const lines = health.services.database.status === "healthy" ? await attention(io) : [];
    if (stopped.length > 0) io.output.note(`stopped: ${stopped.join(", ")}`);
    for (const line of lines) io.output.note(line);
    return well ? exitCodes.ok : exitCodes.findings;
  },
});

/** What homesec cannot mend by itself: files that stay incomplete, and work that was given up. */
async function attention(io: Io): Promise<string[]> {
  const { file_watcher, detection_worker, analysis_worker } = await io.call("getPipeline", {});
  const givenUp = (count: number, what: string): string[] => (count === 0 ? [] : [`given up: ${count} ${what}${count === 1 ? "" : "s"}`]);
  return [
    ...file_watcher.stuck.map(({ path, reason }) => `stays incomplete: ${plain(path)}: ${plain(reason)}`),
    ...givenUp(detection_worker.dead, "picture"),
    ...givenUp(analysis_worker.dead, "event"),
  ];
}
