import { execFile } from "node:child_process";

/** Shares whose question has not ended though its time is over: some systems let nobody end what waits for a share. */
const unended = new Set<string>();
const endMs = 500;

/**
 * Asks a network share whether it is there, in a process of its own, which can be killed: a call of ours would hang as long as the share does,
 * and hold a thread. `command` is that of the system, `stat`; a machine without it takes each share for one that answers. Never rejects.
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
