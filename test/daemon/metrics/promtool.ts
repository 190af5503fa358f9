import { execa } from "execa";

/** Whether Prometheus' own tool is here. Where it is not, it is said, and nothing is judged by it. */
export const hasPromtool = (await execa("promtool", ["--version"], { reject: false })).exitCode === 0;
if (!hasPromtool)
  process.stderr.write("\npromtool is not installed: what only it can judge is NOT tested (Debian: apt install prometheus)\n\n");

/** Runs it. Resolves to what it said, and rejects when it found something. */
export async function promtool(args: readonly string[], options: { readonly input?: string; readonly cwd?: string } = {}): Promise<string> {
  const { all } = await execa("promtool", args, { ...options, all: true });
  return all;
}
