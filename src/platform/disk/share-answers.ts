import { execFile } from "node:child_process";

/** Shares whose check is still running after its timeout: some systems cannot end a process that waits for a share. */
const unended = new Set<string>();
const endMs = 500;

/**
 * Checks whether a network share responds, in a separate process that can be killed: a call in this process would hang as long as the
 * share does, and hold a thread. `command` is the system's `stat`; without it, each share counts as responding. Never rejects.
 */
export function shareAnswers(folder: string, timeoutMs: number, command = "stat"): Promise<boolean> {
  if (unended.has(folder)) return Promise.resolve(false);
  return new Promise((resolve) => {
    const overdue = setTimeout(() => {
      unended.add(folder);
      resolve(false);
    }, timeoutMs + endMs);
    execFile(command, ["-f", folder], { timeout: timeoutMs, killSignal: "SIGKILL" }, (error) => {
      clearTimeout(overdue);
      unended.delete(folder);
      resolve(error?.killed !== true);
    });
  });
}
