import type { Sql } from "../../platform/database/database.ts";
import type { Slice } from "../../platform/database/keyset.ts";
import type { QueueName } from "./jobs-repository.ts";
import { noteWake } from "./wakes-repository.ts";

/** A job that will not be tried again by itself. */
export interface DeadJob {
  readonly jobId: number;
  readonly queue: string;
  readonly subject: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
}

/** How many dead letters each queue has; queues without one are left out. */
export async function countDeadJobs(sql: Sql): Promise<readonly { readonly queue: string; readonly count: number }[]> {
  return await sql<{ queue: string; count: number }[]>`
    select j.queue, count(*) as count
    from jobs j
    where j.status = 'dead'
    group by j.queue
    order by j.queue
  `;
}

/** A part of the dead letters of a queue, newest first, below the id in `after`. */
export async function listDeadJobs(
  sql: Sql,
  queue: QueueName,
  { jobId, after, offset, limit }: Slice<readonly [jobId: number]> & { readonly jobId: number | undefined },
): Promise<readonly DeadJob[]> {
  return await sql<DeadJob[]>`
    select j.job_id as "jobId", j.queue, j.subject, j.last_error as error, j.attempts, j.created_at as "createdAt"
    from jobs j
    where j.status = 'dead'
      and j.queue = ${queue}
      ${jobId === undefined ? sql`` : sql`and j.job_id = ${jobId}`}
      ${after ? sql`and j.job_id < ${after[0]}` : sql``}
    order by j.job_id desc
    limit ${limit}
    offset ${offset}
  `;
}

/** How many dead letters a queue has, or of one job whether it is one. */
export async function countDeadJobsOf(sql: Sql, queue: QueueName, jobId: number | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from jobs j
    where j.status = 'dead'
      and j.queue = ${queue}
      ${jobId === undefined ? sql`` : sql`and j.job_id = ${jobId}`}
  `;
  return row.count;
}

/**
 * Revives at most `limit` dead letters of a queue, one by its id or the oldest, as if they had never been tried. Those of the lanes `closed` stay.
 * Returns their subjects.
 */
export async function reviveDeadJobs(
  sql: Sql,
  queue: QueueName,
  which: { readonly jobId: number | undefined; readonly closed: readonly string[]; readonly limit: number; readonly now: Date },
): Promise<readonly string[]> {
  const rows = await sql<{ subject: string }[]>`
    with chosen as (
      select o.job_id
      from jobs o
      where o.status = 'dead'
        and o.queue = ${queue}
        ${which.jobId === undefined ? sql`` : sql`and o.job_id = ${which.jobId}`}
        and coalesce(o.lane, '') <> all (${[...which.closed]}::text[])
      order by o.job_id
      limit ${which.limit}
      for update
    )
    update jobs j
    set status = 'pending', attempts = 0, deferrals = 0, blamed = 0, available_at = ${which.now}, offered_at = null, last_error = null
    from chosen
    where j.job_id = chosen.job_id
    returning j.subject
  `;
  if (rows.length > 0) noteWake(sql, `jobs:${queue}`);
  return rows.map(({ subject }) => subject);
}

/** Deletes dead letters of a queue, one by its id or all, and returns how many. */
export async function purgeDeadJobs(sql: Sql, queue: QueueName, jobId: number | undefined): Promise<number> {
  const gone = await sql`
    delete from jobs j
    where j.status = 'dead'
      and j.queue = ${queue}
      ${jobId === undefined ? sql`` : sql`and j.job_id = ${jobId}`}
  `;
  return gone.count;
}
