import type { DoctorReport } from "../../src/admin/doctor/report.ts";
import type { CheckReport } from "../../src/admin/doctor/run-checks.ts";
import { pluralize, typable } from "../../src/base/text/format.ts";
import { doctorGroups } from "../../src/contract/constants.ts";
import { type Output, printRows } from "../output/output.ts";
import { table } from "../output/table.ts";
import { type Paint, paint, plain, type TerminalFormat } from "../output/terminal-format.ts";
import type { RowView } from "../output/view.ts";
import { wrapped } from "../output/wrap.ts";

export const view: RowView<CheckReport> = {
  plural: "checks",
  fields: () => ["id", "group", "title", "status", "severity", "finding", "remedy", "detail", "needs_terminal", "elapsed_ms"],
  id: ({ id }) => id,
  columns: [
    { title: "", keep: true, cell: (report) => symbolOf(report) },
    { title: "CHECK", keep: true, cell: ({ id }) => ({ text: id }) },
    { title: "RESULT", cell: (report) => ({ text: resultOf(report), paint: report.status === "skipped" ? "dim" : undefined }) },
  ],
};

/** Prints a report. The table format starts with the findings, errors first, each with its fix; then it lists all checks by group. */
export async function printReport(output: Output, report: DoctorReport): Promise<void> {
  if (output.format === "table" && output.fields === undefined) printTables(output, report.checks);
  else await printRows(output, report.checks, view, report);
  const { terminal } = output;
  const { ok, skipped, findings, errors, warnings, elapsed_ms: elapsedMs } = report;
  const worst = errors > 0 ? "red" : findings > 0 ? "yellow" : "green";
  const found =
    findings === 0 ? "no findings" : `${pluralize(findings, "finding")} (${pluralize(errors, "error")}, ${pluralize(warnings, "warning")})`;
  output.note(`${paint(terminal, worst, found)}, ${ok} ok, ${skipped} skipped, in ${(elapsedMs / 1000).toFixed(1)} s`);
}

/** Says which daemon checked itself, and which checks only a terminal of its machine can run. */
export function printDaemon(output: Output, { host, version, checks }: DoctorReport, url: string): void {
  output.note(`checked by the daemon at ${url} (${version}) on ${host}, with its settings; each fix is for ${host}`);
  const forTerminal = checks.filter((check) => check.needs_terminal).map(({ id }) => id);
  if (forTerminal.length === 0) return;
  const they = forTerminal.length === 1 ? "it" : "them";
  output.note(
    `only a terminal of ${host} can check ${forTerminal.join(", ")}; to run ${they}: homesec doctor on that machine, with the settings of the daemon`,
  );
}

function printTables(output: Output, reports: readonly CheckReport[]): void {
  const { terminal } = output;
  const found = reports.filter(({ status }) => status === "finding");
  const errorsFirst = found.toSorted((one, other) => Number(other.severity === "error") - Number(one.severity === "error"));
  for (const report of errorsFirst) output.write(`${findingText(terminal, report)}\n`);
  for (const [group, title] of Object.entries(doctorGroups)) {
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
    const lines = wrapped(plain(typable(sentence, terminal.called)), terminal.width - 4);
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
