import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, test } from "vitest";
import { cleanEnvironment } from "../support/homesec-process.ts";
import { type FilledHome, filledHome } from "./daemon.ts";
import { report } from "./report.ts";
import { median } from "./statistics.ts";

const rounds = 5;
const runsPerRound = 6;
const events = 1_000;
const program = join(import.meta.dirname, "../../dist/bin/homesec.js");
/** Gives a program a terminal. */
const script = "/usr/bin/script";

let home: FilledHome;

beforeAll(async () => {
  home = await filledHome(events);
});

afterAll(async () => {
  await home?.stop();
});

const environment = (): NodeJS.ProcessEnv => cleanEnvironment({ TERM: "xterm-256color", HOMESEC_URL: home.daemon.url });

/** Milliseconds from the start of a process to its end. */
function run(args: readonly string[]): number {
  const startedAt = performance.now();
  const { status, stderr } = spawnSync(process.execPath, args, { env: environment() });
  const tookMs = performance.now() - startedAt;
  if (status !== 0) throw new Error(`node ${args.join(" ")} ended with ${status}: ${stderr}`);
  return tookMs;
}

/** Milliseconds until the live view has drawn its last line, in a terminal of 80 x 24 that answers the questions about pictures. */
async function firstFrame(): Promise<number> {
  const startedAt = performance.now();
  const command = `stty cols 80 rows 24; exec '${process.execPath}' '${program}' live`;
  const child: ChildProcess = spawn(script, ["-qefc", command, "/dev/null"], { env: environment() });
  let output = "";
  try {
    return await new Promise((resolve, reject) => {
      child.once("exit", (code) => reject(new Error(`homesec live ended with ${code}: ${output}`)));
      child.stdout?.on("data", (part: Buffer) => {
        output += part.toString();
        if (part.includes("\u001b[c")) child.stdin?.write("\u001b[?62;22c");
        if (output.split("\u001b[?1049h")[1]?.includes("quit")) resolve(performance.now() - startedAt);
      });
    });
  } finally {
    child.stdin?.write("q");
    await new Promise((resolve) => (child.exitCode === null ? child.once("exit", resolve) : resolve(undefined)));
  }
}

const commands = [
  { what: "`homesec --version`", atMost: 2, take: async () => run([program, "--version"]) },
  { what: "`homesec --help`", atMost: undefined, take: async () => run([program, "--help"]) },
  { what: "`homesec events list` against a daemon with 1,000 events", atMost: 5, take: async () => run([program, "events", "list"]) },
  { what: "first frame of `homesec live` in 80 x 24", atMost: 10, take: firstFrame },
];

for (const { what, atMost, take } of commands) {
  test.skipIf(take === firstFrame && !existsSync(script))(`commands: start fast: ${what}`, async ({ task }) => {
    const perRound: { readonly homesec: number; readonly baseline: number }[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const homesec: number[] = [];
      const baseline: number[] = [];
      for (let i = 0; i < runsPerRound; i += 1) {
        homesec.push(await take());
        baseline.push(run(["-e", "0"]));
      }
      perRound.push({ homesec: median(homesec), baseline: median(baseline) });
    }
    report(task, {
      ...{ what, unit: "ms", compare: "ratio", limit: atMost === undefined ? undefined : { atMost } },
      homesec: perRound.map(({ homesec }) => homesec),
      baseline: { what: "`node -e 0`", values: perRound.map(({ baseline }) => baseline) },
    });
  });
}
