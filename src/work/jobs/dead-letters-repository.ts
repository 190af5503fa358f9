import type { Sql } from "../../platform/database/database.ts";
import type { Slice } from "../../platform/database/keyset.ts";
import type { QueueName } from "./jobs-repository.ts";
import { noteWake } from "./wakes-repository.ts";

/** A job that homesec no longer retries. */
export interface DeadJob {
  readonly jobId: number;
  readonly queue: string;
  readonly subject: string;
  readonly error: string | null;
  readonly attempts: number;
  readonly createdAt: Date;
}

/** Counts the dead letters of each queue; queues without any are omitted. */
export async function countDeadJobs(sql: Sql): Promise<readonly { readonly queue: string; readonly count: number }[]> {
  return await sql<{ queue: string; count: number }[]>`
    select j.queue, count(*) as count
    from jobs j
    where j.status = 'dead'
    group by j.queue
    order by j.queue
  `;
}

/** Returns one page of a queue's dead letters, newest first, continuing below the id in `after`. */
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

/** Counts the dead letters of a queue; with `jobId`, returns 1 if that job is one of them, otherwise 0. */
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
 * Revives at most `limit` dead letters of a queue, either one by its id or the oldest, as if they had never been tried. Dead letters in
 * the lanes `closed` stay. Returns the subjects of the revived jobs.
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

/** Deletes the dead letters of a queue, either one by its id or all of them, and returns their number. */
export async function purgeDeadJobs(sql: Sql, queue: QueueName, jobId: number | undefined): Promise<number> {
  const gone = await sql`
    delete from jobs j
    where j.status = 'dead'
      and j.queue = ${queue}
      ${jobId === undefined ? sql`` : sql`and j.job_id = ${jobId}`}
  `;
  return gone.count;
}
