import process from "node:process";
import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import type { Host } from "../host.ts";
import type { Io } from "../io.ts";
import type { ScreenIn, ScreenOut } from "./terminal.ts";

export const live = defineCommand({
  name: "live",
  summary: "Watch cameras, events and alerts on one screen",
  description: `Shows cameras, events, open alerts and how the daemon is, all of it live, until q. Keys: arrows or j k move, enter shows details with the
picture, / filters, : changes the view, a acknowledges, d dismisses, r reviews, s silences, ? helps. After an interruption it catches
up: nothing is left out. Without a terminal, in CI, and with another format than table it prints lines as \`homesec events tail\` does.`,
  examples: [
    { command: "homesec live", note: "watch" },
    { command: "homesec --url http://pi.local:8000 live", note: "watch another machine" },
    { command: "homesec live > live.txt", note: "one line for each thing that happens" },
  ],
  endsOnSignal: true,
  prints: async () => (await import("../events/follow.ts")).messageShown,
  async run(_, io) {
    if (io.global.direct) throw new Problem("invalid", "live follows a daemon, and --direct asks none; start one with `homesec serve`");
    const screen = screenOf(io);
    if (screen === undefined) {
      const { follow } = await import("../events/follow.ts");
      return await follow(io, "live", { since: undefined, types: undefined, state: undefined });
    }
    // the other form of React keeps a record of every frame, which fills the memory of a view that runs for days
    process.env["NODE_ENV"] ??= "production";
    const { runLive } = await import("./run.tsx");
    return await runLive(io, screen.stdin, screen.stdout);
  },
});

/** The terminal, where there is one that can be drawn on and somebody at it. */
function screenOf({ host, output }: Io): { readonly stdin: ScreenIn; readonly stdout: ScreenOut } | undefined {
  const { env } = host;
  const isCi = (env["CI"] ?? "") !== "" && env["CI"] !== "false" && env["CI"] !== "0";
  if (isCi || env["TERM"] === "dumb" || output.format !== "table") return undefined;
  const { stdin, stdout } = host;
  return canBeTyped(stdin) && canBeDrawn(stdout) ? { stdin, stdout } : undefined;
}

function canBeTyped(stdin: Host["stdin"]): stdin is Host["stdin"] & ScreenIn {
  return stdin.isTTY === true && "setRawMode" in stdin;
}

function canBeDrawn(stdout: Host["stdout"]): stdout is Host["stdout"] & ScreenOut {
  return stdout.isTTY === true && "on" in stdout && "off" in stdout;
}
