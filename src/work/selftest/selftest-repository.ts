import type { Sql } from "../../platform/database/database.ts";

/** Prefix of the schemas of self-tests; the id of the process that created the schema follows. */
const prefix = "homesec_selftest_";

/** Returns the schema for the self-tests of a process. */
export function selftestSchema(processId: string): string {
  return `${prefix}${processId.replaceAll("-", "")}`;
}

/** Creates an empty schema. */
export async function createSchema(sql: Sql, schema: string): Promise<void> {
  await sql`create schema ${sql(schema)}`;
}

/** Drops the schema and its contents in one statement, if it exists. */
export async function dropSchema(sql: Sql, schema: string): Promise<void> {
  await sql`drop schema if exists ${sql(schema)} cascade`;
}

/** Returns the schemas of self-tests whose process was killed before it dropped them. */
export async function leftoverSchemas(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ name: string }[]>`
    select n.nspname as name
    from pg_namespace n
    where starts_with(n.nspname::text, ${prefix})
      and not exists (select 1 from processes p where ${prefix} || replace(p.process_id::text, '-', '') = n.nspname::text)
  `;
  return rows.map(({ name }) => name);
}

/** The progress of a self-test's picture, read from the tables of its schema. */
export interface SelftestProgress {
  /** Null if the picture is not in the ledger yet. */
  readonly image: { readonly status: string; readonly reason: string | null; readonly detail: string | null } | null;
  readonly detections: readonly { readonly object_type: string; readonly confidence: number }[];
  readonly batches: number;
  /** Null if no batch was closed yet. */
  readonly event: {
    readonly event_id: number;
    readonly analysis_status: "pending" | "completed" | "failed";
    readonly risk_score: number | null;
    readonly analyzed_by: string | null;
  } | null;
  /** Error of the last attempt to judge the event. */
  readonly analysis_error: string | null;
  readonly verdict: { readonly outcome: string; readonly failed_conditions: readonly string[] } | null;
  /** The number of the alert's message in the journal. */
  readonly sequence: number | null;
  /** The last error of the jobs that wait or are dead. */
  readonly job_error: string | null;
}

/** Reads the results of all stages from the tables of a self-test, in one statement. */
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
