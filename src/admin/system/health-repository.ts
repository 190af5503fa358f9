import type { Sql } from "../../platform/database/database.ts";
import type { OverallStatus } from "./overall.ts";

/** The overall health that was last reported to outbound webhooks. */
export interface ReportedHealth {
  readonly status: OverallStatus;
  readonly processId: string;
  readonly changedAt: Date;
  /** Whether the process that reported it is still alive. */
  readonly reporterLives: boolean;
}

/** Returns the last reported health and locks it, so that one process at a time changes it. Undefined before the first report. */
export async function lockReportedHealth(sql: Sql): Promise<ReportedHealth | undefined> {
  const [row] = await sql<[ReportedHealth?]>`
    select h.status, h.process_id as "processId", h.changed_at as "changedAt",
      exists (select 1 from processes p where p.process_id = h.process_id) as "reporterLives"
    from reported_health h
    for update of h
  `;
  return row;
}

/** Stores the reported health. */
export async function storeReportedHealth(sql: Sql, health: Omit<ReportedHealth, "reporterLives">): Promise<void> {
  await sql`
    insert into reported_health (status, process_id, changed_at)
    values (${health.status}, ${health.processId}, ${health.changedAt})
    on conflict (single) do update
    set status = excluded.status, process_id = excluded.process_id, changed_at = excluded.changed_at
  `;
}
