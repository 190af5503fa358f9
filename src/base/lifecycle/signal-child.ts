import type { ChildProcess } from "node:child_process";

/**
 * Sends a signal to a child process that was started. One that could not be started (its program is missing) has no pid,
 * and until that is told Node takes its number for 0: its `kill` would then reach our whole process group, ourselves included.
 */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}
