import type { Sql } from "../../platform/database/database.ts";

/** A job that waits, runs, or failed for good. */
export interface WaitingJob {
  readonly subject: string;
  readonly status: "pending" | "running" | "dead";
  readonly available_at: Date;
  readonly attempts: number;
  readonly deferrals: number;
  readonly error: string | null;
  readonly created_at: Date;
}

const columns = (sql: Sql) => sql`
  j.subject, j.status, j.available_at, j.attempts, j.deferrals, j.last_error as error, j.created_at
`;

/** The jobs of a queue about these subjects. */
export async function jobsOf(sql: Sql, queue: "detect" | "analyze", subjects: readonly string[]): Promise<readonly WaitingJob[]> {
  return await sql<WaitingJob[]>`
    select ${columns(sql)}
    from jobs j
    where j.queue = ${queue}
      and j.subject = any (${[...subjects]}::text[])
  `;
}

/** The jobs that still have to evaluate the rules for an event. */
export async function evaluationJobsOf(sql: Sql, eventId: number): Promise<readonly WaitingJob[]> {
  return await sql<WaitingJob[]>`
    select ${columns(sql)}
    from jobs j
    where j.queue = 'alert'
      and split_part(j.subject, ':', 1) = ${String(eventId)}
      and j.subject not like '%:ended:%'
  `;
}
