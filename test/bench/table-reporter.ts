import { readFile, writeFile } from "node:fs/promises";
import { loadavg } from "node:os";
import { basename, join } from "node:path";
import CliTable from "cli-table3";
import type { Reporter, TestModule } from "vitest/node";
import { readKept, worsened, writeKept } from "./kept-run.ts";
import { describeMachine } from "./machine.ts";
import { cells, columns, endOfMeasured, page } from "./page.ts";
import type { Row } from "./report.ts";

const document = join(import.meta.dirname, "../../docs/benchmarks.md");

/**
 * Prints the rows as a table. With BENCH_COMPARE the run fails when a ratio is more than 20 % worse than the kept one; with
 * BENCH_KEEP the rows replace the kept ones of the same files, and docs/benchmarks.md is rewritten except for its notes.
 */
export class TableReporter implements Reporter {
  readonly #loadBefore = loadavg()[0] ?? 0;

  async onTestRunEnd(modules: readonly TestModule[]): Promise<void> {
    const rows = modules.flatMap(rowsOf);
    if (rows.length === 0) return;
    const table = new CliTable({ head: columns, style: { head: [], border: [] } });
    table.push(...rows.map(cells));
    process.stdout.write(`\n${table.toString()}\n${describeMachine()}\n`);
    if (process.env["BENCH_COMPARE"] !== undefined) await compare(rows);
    // a trial with fewer rows is not what the page promises
    if (process.env["BENCH_KEEP"] !== undefined && process.env["BENCH_EVENTS"] === undefined) await keep(modules, this.#loadBefore);
  }
}

function rowsOf(module: TestModule): readonly Row[] {
  return [...module.children.allTests()].flatMap((test) => test.meta().benchRows ?? []);
}

async function compare(rows: readonly Row[]): Promise<void> {
  const worse = worsened(await readKept(), rows);
  const verdict = worse.length === 0 ? "No ratio is more than 20 % worse" : "More than 20 % worse";
  process.stdout.write(`${[`${verdict} than in docs/benchmarks.md.`, ...worse].join("\n  ")}\n`);
  if (worse.length > 0) process.exitCode = 1;
}

/** Files that were interrupted keep their old numbers. */
async function keep(modules: readonly TestModule[], load: number): Promise<void> {
  const whole = modules.filter((module) => [...module.children.allTests()].every((test) => test.meta().benchRows));
  const measured = whole.map((module) => [
    basename(module.moduleId, ".bench.ts"),
    { machine: describeMachine(), load, rows: [...rowsOf(module)] },
  ]);
  const kept = { ...(await readKept()), ...Object.fromEntries(measured) };
  const [, notes = "\n"] = (await readFile(document, "utf8")).split(endOfMeasured);
  await writeFile(document, `${page(await writeKept(kept)).trimEnd()}${notes}`);
}
