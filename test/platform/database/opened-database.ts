import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";

/** The checkout, which contains the built program. */
export const checkout = fileURLToPath(new URL("../../..", import.meta.url));
const fixture = fileURLToPath(new URL("./fixtures/open-database.mjs", import.meta.url));

export interface Opened {
  readonly pid: number;
  /** The child's message: `ready` and the time it took, or the error. */
  readonly said: {
    readonly ready: boolean;
    readonly ms: number;
    readonly sessions: number;
    readonly name: string;
    readonly kind: string;
    readonly message: string;
  };
  kill(signal: NodeJS.Signals): Promise<void>;
}

export interface OpenInChild {
  readonly dataDir: string;
  readonly program?: string;
  readonly ownership?: "serve" | "share";
  readonly until?: "ready" | "told";
  /** A command to run it under, such as setpriv with its arguments. */
  readonly under?: readonly string[];
  /** A copy of the fixture that the other user can read. */
  readonly script?: string;
}

/** Opens a database in a separate Node.js process and waits for its message. With `until: "ready"` it also waits for its end. */
export async function openInChild(options: OpenInChild): Promise<Opened> {
  const { dataDir, program = checkout, ownership = "serve", until = "ready", under = [], script = fixture } = options;
  const [command, ...args] = [...under, process.execPath, script, program, dataDir, ownership, until];
  const child = spawn(command ?? "", args, { stdio: ["pipe", "pipe", "inherit"], cwd: "/" });
  const ended = once(child, "exit");
  const [line] = (await once(createInterface({ input: child.stdout }), "line")) as [string];
  const said = JSON.parse(line) as Opened["said"];
  if (until === "ready" || !said.ready) await ended;
  return { pid: child.pid ?? 0, said, kill: (signal) => end(child, ended, signal) };
}

async function end(child: ChildProcess, ended: Promise<unknown>, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode === null && child.signalCode === null) child.kill(signal);
  await ended;
}
