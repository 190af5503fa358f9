import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { promisify } from "node:util";

/**
 * Returns a text that distinguishes this process from a later one with the same pid: its start time and the machine's boot. Undefined if
 * no process with this pid is alive.
 */
export async function processIdentity(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return (await ps(pid, "lstart="))?.replace(/\W+/g, "-");
  try {
    const [stat, boot] = await Promise.all([readFile(`/proc/${pid}/stat`, "utf8"), readFile("/proc/sys/kernel/random/boot_id", "utf8")]);
    // The name in brackets may contain anything, even spaces and brackets
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [state] = fields;
    const startedAt = fields[19];
    return state === "Z" || state === "X" ? undefined : `${boot.slice(0, 8)}-${startedAt}`;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

/** Returns the command line of a process; undefined if it is not alive or does not show it. */
export async function commandLine(pid: number): Promise<string | undefined> {
  if (process.platform !== "linux") return ps(pid, "command=");
  try {
    return (await readFile(`/proc/${pid}/cmdline`, "utf8")).replaceAll("\0", " ").trim() || undefined;
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  try {
    const { stdout } = await promisify(execFile)("/bin/ps", ["-o", column, "-p", String(pid)]);
    return stdout.trim() || undefined;
  } catch (error) {
    // ps exits with 1 if it finds no process
    if ((error as { code?: unknown }).code === 1) return undefined;
    throw error;
  }
}

function isGone(error: unknown): boolean {
  const code = (error as NodeJS.ErrnoException).code;
  return code === "ENOENT" || code === "ESRCH";
}
