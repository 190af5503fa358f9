import { z } from "zod";
import type { Log } from "../../src/base/log/log.ts";
import { silentLog } from "../../src/base/log/log.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** How the server ran a statement, as auto_explain reports it. */
interface Node {
  readonly "Node Type": string;
  readonly "Relation Name"?: string | undefined;
  readonly "Index Name"?: string | undefined;
  readonly "Actual Rows": number;
  readonly "Actual Loops": number;
  readonly "Rows Removed by Filter"?: number | undefined;
  readonly "Rows Removed by Index Recheck"?: number | undefined;
  readonly Plans?: readonly Node[] | undefined;
}
const Node: z.ZodType<Node> = z.object({
  "Node Type": z.string(),
  "Relation Name": z.string().optional(),
  "Index Name": z.string().optional(),
  "Actual Rows": z.number(),
  "Actual Loops": z.number(),
  "Rows Removed by Filter": z.number().optional(),
  "Rows Removed by Index Recheck": z.number().optional(),
  get Plans() {
    return z.array(Node).optional();
  },
});
const Report = z.object({ "Query Text": z.string(), Plan: Node });

/** The run of a statement that read the most rows. */
export interface StatementPlan {
  readonly text: string;
  /** Rows read from tables, including those that a filter removed. */
  readonly rowsRead: number;
  /** The scans of that run: node, table and index, rows. */
  readonly scans: readonly string[];
  readonly runs: number;
}

/**
 * Makes later sessions of a database report the plan of each statement, including those of functions and triggers. The database cannot be
 * reused.
 */
export async function reportPlans(db: Database): Promise<void> {
  await db.query(async (sql) => {
    const [{ name }] = await sql<[{ name: string }]>`select current_database() as name`;
    const settings = {
      ...{ session_preload_libraries: "auto_explain", "auto_explain.log_min_duration": "0", "auto_explain.log_analyze": "on" },
      ...{ "auto_explain.log_timing": "off", "auto_explain.log_nested_statements": "on", "auto_explain.log_format": "json" },
      ...{ "auto_explain.log_level": "notice" },
    };
    for (const [setting, value] of Object.entries(settings)) await sql.unsafe(`alter database ${name} set ${setting} = '${value}'`);
  });
}

/** A log that collects the reported plans, by the text of their statements. */
export function planCollector(): { readonly log: Log; readonly plans: () => readonly StatementPlan[] } {
  const worst = new Map<string, StatementPlan>();
  const collect = (fields: unknown): void => {
    const { message = "" } = (fields as { readonly notice?: { readonly message?: string } }).notice ?? {};
    const json = /plan:\s*(\{.*\})\s*$/s.exec(message)?.[1];
    if (json === undefined) return;
    const { Plan, "Query Text": query } = Report.parse(JSON.parse(json));
    const text = query.replace(/\s+/g, " ").trim();
    const scans = scansOf(Plan);
    const rowsRead = scans.reduce((sum, { rows }) => sum + rows, 0);
    const before = worst.get(text);
    const runs = (before?.runs ?? 0) + 1;
    worst.set(
      text,
      before && before.rowsRead >= rowsRead ? { ...before, runs } : { text, rowsRead, runs, scans: scans.map(({ what }) => what) },
    );
  };
  const log: Log = { ...silentLog, debug: collect, child: () => log };
  return { log, plans: () => [...worst.values()] };
}

function scansOf(node: Node): readonly { readonly what: string; readonly rows: number }[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  const place = node["Relation Name"] ?? node["Index Name"];
  if (place === undefined || !node["Node Type"].endsWith("Scan")) return below;
  const removed = (node["Rows Removed by Filter"] ?? 0) + (node["Rows Removed by Index Recheck"] ?? 0);
  const rows = Math.round((node["Actual Rows"] + removed) * node["Actual Loops"]);
  return [{ what: `${node["Node Type"]} ${place} ${node["Index Name"] ?? ""}: ${rows}`, rows }, ...below];
}
