import type { Sql } from "../../platform/database/database.ts";
import type { OverallStatus } from "./overall.ts";

/** The overall health that outbound webhooks were last told of. */
export interface ReportedHealth {
  readonly status: OverallStatus;
  readonly processId: string;
  readonly changedAt: Date;
  /** The process that reported it is still there. */
  readonly reporterLives: boolean;
}

/** The value that was last reported, locked so that one process at a time changes it. Undefined before the first. */
export async function lockReportedHealth(sql: Sql): Promise<ReportedHealth | undefined> {
  const [row] = await sql<[ReportedHealth?]>`
    select h.status, h.process_id as "processId", h.changed_at as "changedAt",
      exists (select 1 from processes p where p.process_id = h.process_id) as "reporterLives"
    from reported_health h
    for update of h
  `;
  return row;
}

/** Stores a reported value. */
export async function storeReportedHealth(sql: Sql, health: Omit<ReportedHealth, "reporterLives">): Promise<void> {
  await sql`
    insert into reported_health (status, process_id, changed_at)
    values (${health.status}, ${health.processId}, ${health.changedAt})
    on conflict (single) do update
    set status = excluded.status, process_id = excluded.process_id, changed_at = excluded.changed_at
  `;
}
