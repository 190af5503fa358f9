import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { test } from "vitest";
import { cleanEnvironment } from "../support/homesec-process.ts";
import { report } from "./report.ts";
import { median } from "./statistics.ts";

const rounds = 5;
const runsPerRound = 6;
const program = join(import.meta.dirname, "../../dist/bin/homesec.js");

/** Milliseconds from the start of a process to its end. */
function run(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: cleanEnvironment({}) });
  const tookMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return tookMs;
}

test("commands: start fast", ({ task }) => {
  const perRound = Array.from({ length: rounds }, () => {
    const homesec: number[] = [];
    const baseline: number[] = [];
    for (let i = 0; i < runsPerRound; i += 1) {
      homesec.push(run([program, "--version"]));
      baseline.push(run(["-e", "0"]));
    }
    return { homesec: median(homesec), baseline: median(baseline) };
  });
  report(task, {
    what: "`homesec --version`",
    unit: "ms",
    homesec: perRound.map(({ homesec }) => homesec),
    baseline: { what: "`node -e 0`", values: perRound.map(({ baseline }) => baseline) },
    compare: "ratio",
    limit: { atMost: 2 },
  });
});
