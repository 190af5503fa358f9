import { groups } from "../../src/admin/doctor/check.ts";
import type { CheckReport } from "../../src/admin/doctor/run-checks.ts";
import { pluralize } from "../../src/base/text/format.ts";
import { type Output, printRows } from "../output/output.ts";
import { table } from "../output/table.ts";
import { type Paint, paint, plain, type TerminalFormat } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { wrapped } from "../output/wrap.ts";

/** Facts about the whole run. */
interface Run {
  readonly version: string;
  readonly checked_at: Date;
  readonly elapsed_ms: number;
}

export const view: RowView<CheckReport> = {
  plural: "checks",
  fields: () => ["id", "group", "title", "status", "severity", "finding", "remedy", "detail", "elapsed_ms"],
  id: ({ id }) => id,
  columns: [
    { title: "", keep: true, cell: (report) => symbolOf(report) },
    { title: "CHECK", keep: true, cell: ({ id }) => ({ text: id }) },
    { title: "RESULT", cell: (report) => ({ text: resultOf(report), paint: report.status === "skipped" ? "dim" : undefined }) },
  ],
};

/** Prints the reports. The table format starts with the findings, errors first, each with its fix; then it lists all checks by group. */
export async function printReports(output: Output, reports: readonly CheckReport[], run: Run): Promise<void> {
  const count = (has: (report: CheckReport) => boolean): number => reports.filter(has).length;
  const counts = {
    ok: count(({ status }) => status === "ok"),
    findings: count(({ status }) => status === "finding"),
    skipped: count(({ status }) => status === "skipped"),
    errors: count(({ severity }) => severity === "error"),
    warnings: count(({ severity }) => severity === "warning"),
  };
  if (output.format === "table" && output.fields === undefined) printTables(output, reports);
  else await printRows(output, reports, view, { ...run, ...counts, checks: reports });
  const { terminal } = output;
  const worst = counts.errors > 0 ? "red" : counts.findings > 0 ? "yellow" : "green";
  const found =
    counts.findings === 0
      ? "no findings"
      : `${pluralize(counts.findings, "finding")} (${pluralize(counts.errors, "error")}, ${pluralize(counts.warnings, "warning")})`;
  output.note(`${paint(terminal, worst, found)}, ${counts.ok} ok, ${counts.skipped} skipped, in ${(run.elapsed_ms / 1000).toFixed(1)} s`);
}

function printTables(output: Output, reports: readonly CheckReport[]): void {
  const { terminal } = output;
  const found = reports.filter(({ status }) => status === "finding");
  const errorsFirst = found.toSorted((one, other) => Number(other.severity === "error") - Number(one.severity === "error"));
  for (const report of errorsFirst) output.write(`${findingText(terminal, report)}\n`);
  for (const [group, title] of Object.entries(groups)) {
    const rows = reports.filter((report) => report.group === group);
    if (rows.length === 0) continue;
    const [symbol, id, result] = view.columns as readonly [RowView<CheckReport>["columns"][number], ...RowView<CheckReport>["columns"]];
    const heads = [symbol, { ...id, title }, { ...result, title: "" }] as const;
    const cells = rows.map((row) => view.columns.map((column) => column.cell(row, terminal)));
    output.write(`${table(terminal, heads, cells)}\n`);
  }
}

/** `✗ disk-space: Disk space`, then each finding, with its fix behind an arrow. */
function findingText(terminal: TerminalFormat, { id, title, findings, ...report }: CheckReport): string {
  const { text, paint: colour } = symbolOf(report);
  const indented = (mark: string, sentence: string): string => {
    const lines = wrapped(plain(sentence), terminal.width - 4);
    return lines.map((line, at) => `  ${at === 0 ? mark : " "} ${line}\n`).join("");
  };
  const body = findings.map(({ finding, remedy }) => indented(" ", finding) + indented("→", remedy));
  return `${paint(terminal, colour, text)} ${paint(terminal, "bold", id)}: ${plain(title)}\n${body.join("")}`;
}

function symbolOf({ status, severity }: Pick<CheckReport, "status" | "severity">): { readonly text: string; readonly paint: Paint } {
  if (status === "ok") return { text: "✓", paint: "green" };
  if (status === "skipped") return { text: "-", paint: "dim" };
  return severity === "error" ? { text: "✗", paint: "red" } : { text: "!", paint: "yellow" };
}

function resultOf({ title, finding, detail, status }: CheckReport): string {
  const text = status === "skipped" ? `skipped: ${detail}` : (finding ?? detail);
  return text === null ? title : `${title}: ${text}`;
}
