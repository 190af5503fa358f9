import { readdirSync, readFileSync } from "node:fs";

/** Child processes of a process that run this command. */
export function childrenRunning(pid: number, word: string): readonly number[] {
  const read = (path: string): string => {
    try {
      return readFileSync(path, "utf8");
    } catch {
      return ""; // it has just ended
    }
  };
  const parentOf = (each: string): number =>
    Number(
      read(`/proc/${each}/stat`)
        .replace(/^.*\) \S /s, "")
        .split(" ")[0],
    );
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && parentOf(name) === pid && read(`/proc/${name}/cmdline`).includes(word))
    .map(Number);
}
