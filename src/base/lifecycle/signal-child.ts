import type { ChildProcess } from "node:child_process";

/**
 * Sends a signal to a child process that has started. A child whose program is missing has no pid, and until Node.js reports the error it
 * treats the pid as 0: `kill` would then signal our whole process group, including this process.
 */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}
