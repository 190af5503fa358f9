import { execa } from "execa";

/** Whether promtool is installed. Without it, the tests that need it are skipped with a note. */
export const hasPromtool = (await execa("promtool", ["--version"], { reject: false })).exitCode === 0;
if (!hasPromtool)
  process.stderr.write("\npromtool is not installed, so the tests that need it are skipped (Debian: apt install prometheus)\n\n");

/** Runs promtool. Resolves to its output and rejects if it reports a problem. */
export async function promtool(args: readonly string[], options: { readonly input?: string; readonly cwd?: string } = {}): Promise<string> {
  const { all } = await execa("promtool", args, { ...options, all: true });
  return all;
}
