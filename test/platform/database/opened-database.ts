import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { bundled } from "../../support/bundled.ts";

/** The checkout. */
export const checkout = fileURLToPath(new URL("../../..", import.meta.url));
/** A program that opens the database as the daemon does. */
export const openingProgram = (): Promise<string> => bundled("test/platform/database/fixtures/open-database.mjs");

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
  /** A copy of the program elsewhere. */
  readonly program?: string;
  readonly ownership?: "serve" | "share";
  readonly until?: "ready" | "told";
  /** A command to run it under, such as setpriv with its arguments. */
  readonly under?: readonly string[];
}

/** Opens a database in a separate Node.js process and waits for its message. With `until: "ready"` it also waits for its end. */
export async function openInChild(options: OpenInChild): Promise<Opened> {
  const { dataDir, ownership = "serve", until = "ready", under = [] } = options;
  const [command, ...args] = [...under, process.execPath, options.program ?? (await openingProgram()), dataDir, ownership, until];
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
