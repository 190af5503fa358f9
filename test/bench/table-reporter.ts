import { readdir, readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { join } from "node:path";
import CliTable from "cli-table3";
import type { Reporter, TestModule } from "vitest/node";
import { Kept, kept, worsened } from "./compare.ts";
import { describeMachine } from "./machine.ts";
import type { Row } from "./report.ts";
import type { Spread } from "./statistics.ts";

const document = join(import.meta.dirname, "../../docs/benchmarks.md");
const keptRun = join(import.meta.dirname, "../../docs/benchmarks.json");
const columns = ["what", "baseline", "homesec", "compared", "limit", ""];

/**
 * Prints the rows as a table, and writes docs/benchmarks.md and .json when every row was measured. With BENCH_COMPARE the run
 * fails when a ratio is more than 20 % worse than the kept one.
 */
export class TableReporter implements Reporter {
  /** What others did on the machine when the run began: figures in milliseconds grow with it, ratios hardly. */
  readonly #loadBefore = loadavg()[0] ?? 0;

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const rows = modules.flatMap((module) => [...module.children.allTests()].flatMap((test) => test.meta().benchRows ?? []));
    if (rows.length === 0) return;
    const table = new CliTable({ head: columns, style: { head: [], border: [] } });
    table.push(...rows.map(cells));
    process.stdout.write(`\n${table.toString()}\n${describeMachine()}\n`);
    if (process.env["BENCH_COMPARE"] !== undefined) await compare(rows);
    if (!(await isWhole(modules))) return;
    await writeFile(document, page(rows, this.#loadBefore));
    await writeFile(keptRun, `${JSON.stringify(kept(describeMachine(), rows), null, 2)}\n`);
  }
}

async function compare(rows: readonly Row[]): Promise<void> {
  const before = Kept.parse(JSON.parse(await readFile(keptRun, "utf8")));
  const worse = worsened(before, rows);
  const verdict = worse.length === 0 ? "No ratio is more than 20 % worse" : "More than 20 % worse";
  process.stdout.write(`${[`${verdict} than in the run that was kept (${before.machine}).`, ...worse].join("\n  ")}\n`);
  if (worse.length > 0) process.exitCode = 1;
}

async function isWhole(modules: readonly TestModule[]): Promise<boolean> {
  // a trial with fewer rows is not what the page promises
  if (process.env["BENCH_EVENTS"] !== undefined) return false;
  const files = (await readdir(import.meta.dirname)).filter((name) => name.endsWith(".bench.ts"));
  const measured = modules.filter((module) => [...module.children.allTests()].every((test) => test.meta().benchRows));
  return measured.length === files.length;
}

function cells(row: Row): string[] {
  const { what, unit, baseline, homesec, compared, limit, ok } = row;
  const suffix = row.compare === "ratio" ? " x" : ` ${unit}`;
  const sign = row.compare === "added" ? "+" : "";
  return [
    what,
    baseline ? `${spread(baseline)} ${unit}` : "-",
    `${spread(homesec)} ${unit}`,
    row.compare === "absolute" ? "-" : `${sign}${spread(compared)}${suffix}`,
    limit ? `${"atMost" in limit ? `<= ${sign}${limit.atMost}` : `>= ${limit.atLeast}`}${suffix}` : "-",
    limit ? (ok ? "ok" : "MISSED") : "",
  ];
}

function spread({ median, min, max }: Spread): string {
  return `${figure(median)} (${figure(min)} to ${figure(max)})`;
}

function figure(value: number): string {
  const digits = Math.abs(value) >= 100 ? 0 : Math.abs(value) >= 10 ? 1 : 2;
  return value.toFixed(digits);
}

function page(rows: readonly Row[], loadBefore: number): string {
  const line = (texts: readonly string[]): string => `| ${texts.map((text) => text.replaceAll("|", "\\|")).join(" | ")} |`;
  const baselines = rows.filter((row) => row.baseline).map((row) => `- ${row.what}: ${row.baseline?.what}.`);
  return `<!-- Written by npm run bench; do not edit. -->
# Benchmarks

Measured on: ${describeMachine()}. Load average before the run: ${loadBefore.toFixed(1)}.

Each figure is the median of the rounds, with the least and the greatest in brackets. Baseline and homesec take turns within
each round, in the same run and on the same PostgreSQL (the embedded one, with its normal settings: a commit waits for the
disk). What is compared with the limit is the median of what each round gave. A limit that is missed says so here.

${line(columns)}
${line(columns.map(() => "---"))}
${rows.map((row) => line(cells(row))).join("\n")}

## What the baselines are

${baselines.join("\n")}

\`npm run bench\` measures all of it and writes this page anew; \`npm run bench -- <part of a file name>\` measures the rows of one file of
\`test/bench/\` and prints them. Every file stands for itself and makes the rows that it needs:

| command | what it measures |
| --- | --- |
| \`npm run bench -- picture-latency\` | picture closed to \`detection.new\` on a WebSocket |
| \`npm run bench -- pictures-per-second\` | sustained pictures per second, all stages |
| \`npm run bench -- folder-size\` | cost per picture with 50,000 files in the folder |
| \`npm run bench -- events-list\` | \`GET /api/events?limit=50\` at 1,000,000 events and 10,000,000 detections |
| \`npm run bench -- detections\` | lists by filters and the search of detections at the same size |
| \`npm run bench -- events-search-export\` | search of events for rare and common words; CSV and XLSX exports and their memory |
| \`npm run bench -- analytics\` | the six questions about 365 days |
| \`npm run bench -- rule-backtest\` | 90 days of history through a rule, and through two versions of it |
| \`npm run bench -- explain\` | explanations of an event, an alert and a minute of a camera at 1,000,000 events |
| \`npm run bench -- fan-out\` | WebSocket messages to 1,000 clients |
| \`npm run bench -- live-flood\` | \`homesec live\` at 200 messages a second, in three sizes of terminal (needs tmux) |
| \`npm run bench -- command-start\` | \`homesec --version\` |
| \`npm run bench -- serve-ready\` | \`homesec serve\` to ready, warm and for the first time |
| \`npm run bench -- idle-memory\` | memory of an idle daemon |
| \`npm run bench -- baselines\` | false alarms, and what is told when, of unusual hours on generated traces |
| \`npm run bench -- entity-matching\` | the nearest of 10,000 live vectors of 96, 512 and 768 numbers |

\`npm run bench -- --compare\`, with or without a name, fails when a ratio with a limit is more than 20 % worse than in the run that this page
shows; ratios of a run are kept in \`docs/benchmarks.json\`.

\`BENCH_EVENTS=1000\` before any of them makes it a quick trial with so many events, which leaves this page alone.
`;
}
