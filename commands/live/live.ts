import { Problem } from "../../src/contract/problem.ts";
import { defineCommand } from "../command.ts";
import type { Host } from "../host.ts";
import { choice, withDefault } from "../input/options.ts";
import type { Io } from "../io.ts";
import { pictureModes } from "../picture/graphics.ts";
import type { ScreenIn, ScreenOut } from "../picture/terminal.ts";

export const live = defineCommand({
  name: "live",
  summary: "Watch cameras, events and alerts on one screen",
  description: `Shows cameras, events, open alerts and the state of the daemon live, until q. Keys: arrows or j k to move, enter for details with the
picture, / to filter, : to change the view, a to acknowledge, d to dismiss, r to review, s to silence, ? for help. After a lost
connection it catches up without gaps. Pictures have real pixels where the terminal can (Kitty's or iTerm's protocol, or Sixel). Without a terminal, in CI, or with another format than table it prints lines like \`homesec events tail\`.`,
  options: { pictures: withDefault(choice(pictureModes, "How to show pictures"), "auto") },
  examples: [
    { command: "homesec live", note: "this machine" },
    { command: "homesec --url http://pi.local:8000 live", note: "another machine" },
    { command: "homesec live > live.txt", note: "one line per message" },
  ],
  endsOnSignal: true,
  prints: async () => (await import("../events/follow.ts")).messageShown,
  async run({ options: { pictures } }, io) {
    if (io.global.direct) throw new Problem("invalid", "live needs a daemon; remove --direct and start one with `homesec serve`");
    const screen = screenOf(io);
    if (screen === undefined) {
      const { follow } = await import("../events/follow.ts");
      return await follow(io, "live", { since: undefined, types: undefined, state: undefined });
    }
    const { runLive } = await import("./run.tsx");
    return await runLive(io, screen.stdin, screen.stdout, pictures);
  },
});

/** The terminal; undefined if output or input is not one, or the environment forbids it. */
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
