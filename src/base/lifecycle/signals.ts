import type { ChildProcess } from "node:child_process";

/**
 * Sends a signal to a child process that has started. A child whose program is missing has no pid, and until Node.js reports the error it
 * treats the pid as 0: `kill` would then signal our whole process group, including this process.
 */
export function signalChild(child: ChildProcess, signal: NodeJS.Signals): void {
  if (child.pid !== undefined) child.kill(signal);
}

/**
 * Tells whether file operations are pending. Node.js waits for them before it exits, and an operation on a network share whose server is
 * down ends only when the server is back.
 */
export function hasPendingFileOperations(): boolean {
  return process.getActiveResourcesInfo().some((name) => name.startsWith("FSReq"));
}

/**
 * Ends this process by a signal as if it had no handler: no pending operation delays it, and its parent sees 128 plus the signal number.
 */
export function exitBySignal(signal: NodeJS.Signals): void {
  // Node.js resets the terminal at a normal exit, but not when a signal ends it
  if (process.stdin.isTTY && process.stdin.isRaw) process.stdin.setRawMode(false);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
}
