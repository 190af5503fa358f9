import type { Sql } from "../../platform/database/database.ts";

/** How the schemas of self-tests begin; the id of the process that made one follows. */
const prefix = "homesec_selftest_";

/** The schema in which a process makes its self-tests. */
export function selftestSchema(processId: string): string {
  return `${prefix}${processId.replaceAll("-", "")}`;
}

/** Makes the empty schema. */
export async function createSchema(sql: Sql, schema: string): Promise<void> {
  await sql`create schema ${sql(schema)}`;
}

/** Drops the schema with all that is in it, in one statement; one that is not there is none to drop. */
export async function dropSchema(sql: Sql, schema: string): Promise<void> {
  await sql`drop schema if exists ${sql(schema)} cascade`;
}

/** Schemas of self-tests whose process is gone: it was killed in the middle of one. */
export async function leftoverSchemas(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select n.nspname as name
    from pg_namespace n
    where starts_with(n.nspname::text, ${prefix})
      and not exists (select 1 from processes p where ${prefix} || replace(p.process_id::text, '-', '') = n.nspname::text)
  `;
  return rows.map(({ name }) => name);
}

/** How far the picture of a self-test has come, as its own tables say. */
export interface SelftestProgress {
  /** Null: it has no entry in the ledger yet. */
  readonly image: { readonly status: string; readonly reason: string | null; readonly detail: string | null } | null;
  readonly detections: readonly { readonly object_type: string; readonly confidence: number }[];
  readonly batches: number;
  /** Null: no batch was closed yet. */
  readonly event: {
    readonly event_id: number;
    readonly analysis_status: "pending" | "completed" | "failed";
    readonly risk_score: number | null;
    readonly analyzed_by: string | null;
  } | null;
  /** Why the last attempt to judge it came to nothing. */
  readonly analysis_error: string | null;
  readonly verdict: { readonly outcome: string; readonly failed_conditions: readonly string[] } | null;
  /** The number that the journal gave to the message of the alert. */
  readonly sequence: number | null;
  /** Of the jobs that wait or are dead, the last error. */
  readonly job_error: string | null;
}

/** Asks the tables of a self-test for all that its stages leave behind, in one statement. */
export async function selftestProgress(sql: Sql): Promise<SelftestProgress> {
  const [row] = await sql<[{ progress: SelftestProgress }]>`
    select jsonb_build_object(
      'image', (
        select jsonb_build_object('status', i.status, 'reason', i.reason, 'detail', i.detail) from images i order by i.image_id limit 1
      ),
      'detections', coalesce(
        (
          select jsonb_agg(jsonb_build_object('object_type', d.object_type, 'confidence', d.confidence) order by d.confidence desc)
          from detections d
        ),
        '[]'
      ),
      'batches', (select count(*) from batches b),
      'event', (
        select jsonb_build_object('event_id', e.event_id, 'analysis_status', e.analysis_status, 'risk_score', e.risk_score, 'analyzed_by', e.analyzed_by)
        from events e
        order by e.event_id
        limit 1
      ),
      'analysis_error', (select a.error from analysis_attempts a order by a.attempt desc limit 1),
      'verdict', (
        select jsonb_build_object('outcome', v.outcome, 'failed_conditions', v.failed_conditions) from rule_verdicts v limit 1
      ),
      'sequence', (select j.sequence from journal j where j.type = 'alert_created' order by j.journal_id limit 1),
      'job_error', (select q.last_error from jobs q where q.last_error is not null order by q.job_id desc limit 1)
    ) as progress
  `;
  return row.progress;
}
