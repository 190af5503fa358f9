import { type ChildProcess, spawn } from "node:child_process";
import { signalChild } from "../../../base/lifecycle/signals.ts";
import type { Account } from "../account.ts";

/**
 * Becomes the program, and leaves a watcher behind that reads from a pipe of this process. When this process dies, even by kill -9, the
 * watcher sends the signal; a line through the pipe dismisses it. The watcher is no child of the program: PostgreSQL treats the end of an
 * unknown child as a crash.
 */
const script = `
exec 3<&0 </dev/null
( ( read -r word <&3 || kill -s "$0" "$$" ) >/dev/null 2>&1 & )
exec "$@" 3<&-
`;

/** A child process that does not outlive this one. It has its own session, so Ctrl-C in a terminal does not reach it. */
export interface GuardedProcess {
  readonly pid: number;
  readonly stderr: NonNullable<ChildProcess["stderr"]>;
  /** Resolves with a description of its end. */
  readonly ended: Promise<string>;
  kill(signal: NodeJS.Signals): void;
}

export interface GuardOptions {
  readonly account: Account;
  /** The signal that the program gets when this process has died. */
  readonly lastSignal: "QUIT" | "TERM";
  readonly cwd: string;
}

/** Starts a program. Throws the system's error if it cannot be started at all. */
export async function startGuarded(program: string, args: readonly string[], options: GuardOptions): Promise<GuardedProcess> {
  const child = spawn("/bin/sh", ["-c", script, options.lastSignal, program, ...args], {
    cwd: options.cwd,
    // Nothing of our environment: PGPORT, LC_ALL and the like would change the server
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LC_ALL: "C", TZ: "UTC" },
    stdio: ["pipe", "ignore", "pipe"],
    detached: true,
    ...(options.account.foreign && { uid: options.account.uid, gid: options.account.gid }),
  });
  // The watcher may have ended before the line that dismisses it
  child.stdin.on("error", () => {});
  const ended = new Promise<string>((resolve) => {
    child.once("exit", (code, signal) => {
      child.stdin.end("done\n");
      resolve(signal ? `killed by ${signal}` : `exit code ${code}`);
    });
  });
  await new Promise<void>((resolve, reject) => {
    child.once("spawn", resolve);
    child.once("error", reject);
  });
  child.on("error", () => {});
  return {
    pid: child.pid ?? -1,
    stderr: child.stderr,
    ended,
    kill: (signal) => {
      signalChild(child, signal);
    },
  };
}
