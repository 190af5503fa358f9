import { minuteMs } from "../../base/clock/clock.ts";
import type { Sql, SqlFragment } from "../../platform/database/database.ts";
import { isUniqueViolation } from "../../platform/database/pg-errors.ts";
import type { JobOffer } from "../../platform/store/job-dispatcher.ts";
import { noteWake } from "./wakes-repository.ts";

/** The queues of the pipeline. The jobs of `deliver` have lanes, one per target; each lane runs one job at a time. */
export const queueNames = ["detect", "enrich", "analyze", "alert", "deliver"] as const;
export type QueueName = (typeof queueNames)[number];

/** Live jobs run first, then jobs that were live but had to wait, then the backlog. */
export const priorities = { live: 0, late: 5, backlog: 10 } as const;
/** A live job that has waited this long becomes `late`. */
export const lateAfterMs = 10 * minuteMs;

/** A job to add. It refers to a row. */
export interface NewJob {
  /** The id of the row, as text. Each queue has at most one job per subject. */
  readonly subject: string;
  readonly priority: number;
  /** Order within a priority: the time of the picture or event. */
  readonly position: Date;
  /** The earliest time it may start. */
  readonly availableAt: Date;
}

/** A job that this process has claimed. `attempts` includes this one. */
export interface ClaimedJob {
  readonly jobId: number;
  /** The number of this claim; each later claim of the job has a higher one. */
  readonly claim: number;
  readonly subject: string;
  readonly priority: number;
  /** Order within the priority. */
  readonly position: Date;
  readonly attempts: number;
  /** Number of releases because the service did not answer. */
  readonly deferrals: number;
  /** Number of those releases that may be the job's own fault, because the service answered other jobs meanwhile. */
  readonly blamed: number;
}

/** Identifies one claim of a job, so that a worker that has lost its claim to a later one cannot finish the job. */
export type Held = Pick<ClaimedJob, "jobId" | "claim">;

/** The claiming process, the queue and the current time. */
export interface Claim {
  readonly queue: QueueName;
  readonly processId: string;
  readonly now: Date;
}

/** The columns that a claim sets. */
const taken = (sql: Sql, { processId }: Claim): SqlFragment => sql`
  status = 'running', claimed_by = ${processId}, claims = j.claims + 1, attempts = j.attempts + 1, awaits = null, again = false
`;
const claimedColumns = (sql: Sql): SqlFragment => sql`
  j.job_id as "jobId", j.claims as claim, j.subject, j.priority, j.position, j.attempts, j.deferrals, j.blamed
`;

/** Adds jobs in the caller's transaction, whose commit wakes the workers of the queue. Existing jobs stay unchanged. */
export async function addJobs(sql: Sql, queue: QueueName, jobs: readonly NewJob[]): Promise<void> {
  if (jobs.length === 0) return;
  const added = await sql`
    insert into jobs (queue, subject, priority, position, available_at)
    select ${queue}, j.subject, j.priority, j.position, j.available_at
    from unnest(
      ${jobs.map((job) => job.subject)}::text[],
      ${jobs.map((job) => job.priority)}::smallint[],
      ${sql.array(jobs.map((job) => job.position))}::timestamptz[],
      ${sql.array(jobs.map((job) => job.availableAt))}::timestamptz[]
    ) as j (subject, priority, position, available_at)
    on conflict (queue, subject) do nothing
  `;
  if (added.count > 0) noteWake(sql, `jobs:${queue}`);
}

/**
 * Adds a job, or resets the existing one to a new job, even if it is a dead letter or waits for a later time. A running job stays
 * unchanged.
 */
export async function requeueJob(sql: Sql, queue: QueueName, job: NewJob): Promise<void> {
  const queued = await sql`
    insert into jobs (queue, subject, priority, position, available_at)
    values (${queue}, ${job.subject}, ${job.priority}, ${job.position}, ${job.availableAt})
    on conflict (queue, subject) do update
    set status = 'pending', priority = excluded.priority, position = excluded.position, available_at = excluded.available_at, offered_at = null,
      attempts = 0, deferrals = 0, blamed = 0
    where jobs.status <> 'running'
  `;
  if (queued.count > 0) noteWake(sql, `jobs:${queue}`);
}

/** Claims the next jobs in order: live before backlog, then by time. */
export async function claimNextJobs(sql: Sql, claim: Claim, limit: number): Promise<readonly ClaimedJob[]> {
  const rows = await sql<ClaimedJob[]>`
    with next as (
      select j.job_id
      from jobs j
      where j.queue = ${claim.queue}
        and j.status = 'pending'
        and j.available_at <= ${claim.now}
      order by j.priority, j.position, j.job_id
      limit ${limit}
      for update skip locked
    )
    update jobs j
    set ${taken(sql, claim)}
    from next
    where j.job_id = next.job_id
    returning ${claimedColumns(sql)}
  `;
  // An update returns its rows in no particular order
  return rows.toSorted((a, b) => a.priority - b.priority || a.position.getTime() - b.position.getTime() || a.jobId - b.jobId);
}

/**
 * Claims the next job of each free lane, in order. Each target gets one message at a time, and targets do not wait for each other. If
 * another process claims at the same moment, this returns nothing; the caller polls again within a second.
 */
export async function claimNextInLanes(sql: Sql, claim: Claim, limit: number): Promise<readonly ClaimedJob[]> {
  try {
    const rows = await sql<ClaimedJob[]>`
      with recursive lanes as (
        (select j.lane from jobs j where j.queue = ${claim.queue} and j.status = 'pending' and j.lane is not null order by j.lane limit 1)
        union all
        select (
          select j.lane
          from jobs j
          where j.queue = ${claim.queue} and j.status = 'pending' and j.lane > l.lane
          order by j.lane
          limit 1
        )
        from lanes l
        where l.lane is not null
      ), heads as (
        select h.job_id, h.position
        from lanes l
        cross join lateral (
          select j.job_id, j.position
          from jobs j
          where j.queue = ${claim.queue}
            and j.lane = l.lane
            and j.status = 'pending'
            and j.available_at <= ${claim.now}
          order by j.priority, j.position, j.job_id
          limit 1
        ) h
        where not exists (select 1 from jobs r where r.queue = ${claim.queue} and r.lane = l.lane and r.status = 'running')
        order by h.position, h.job_id
        limit ${limit}
      ), next as (
        -- looked up by id: a join would read all jobs as long as the table has no statistics
        select j.job_id
        from jobs j
        where j.job_id = any (array(select h.job_id from heads h))
          and j.status = 'pending'
        for update skip locked
      )
      update jobs j
      set ${taken(sql, claim)}
      from next
      where j.job_id = next.job_id
      returning ${claimedColumns(sql)}
    `;
    return rows.toSorted((a, b) => a.priority - b.priority || a.position.getTime() - b.position.getTime() || a.jobId - b.jobId);
  } catch (error) {
    if (isUniqueViolation(error)) return [];
    throw error;
  }
}

/** Claims one job by its id, if it is still free. */
export async function claimJob(sql: Sql, claim: Claim, jobId: number): Promise<ClaimedJob | undefined> {
  const [row] = await sql<[ClaimedJob?]>`
    update jobs j
    set ${taken(sql, claim)}
    where j.job_id = ${jobId}
      and j.queue = ${claim.queue}
      and j.status = 'pending'
      and j.available_at <= ${claim.now}
    returning ${claimedColumns(sql)}
  `;
  return row;
}

/**
 * Marks pending jobs as offered to an external queue and returns them in no particular order. An offer that no process claims within 30 s
 * is repeated.
 */
export async function offerJobs(sql: Sql, queue: QueueName, now: Date, limit: number): Promise<readonly JobOffer[]> {
  return await sql<JobOffer[]>`
    with next as (
      select j.job_id
      from jobs j
      where j.queue = ${queue}
        and j.status = 'pending'
        and j.available_at <= ${now}
        and (j.offered_at is null or j.offered_at < ${new Date(now.getTime() - 30_000)})
      order by j.priority, j.position, j.job_id
      limit ${limit}
      for update skip locked
    )
    update jobs j
    set offered_at = ${now}
    from next
    where j.job_id = next.job_id
    returning j.job_id as "jobId", j.priority, j.claims
  `;
}

/**
 * Withdraws the offer of a job that a process received but had no slot for, so that it is offered again to any process with a free slot.
 */
export async function withdrawOffer(sql: Sql, jobId: number): Promise<void> {
  await sql`
    update jobs j
    set offered_at = null
    where j.job_id = ${jobId}
      and j.status = 'pending'
  `;
}

/**
 * The claim is lost: its process seemed dead or its lease expired, and another process may have the job. The transaction must be rolled
 * back.
 */
export class LeaseLost extends Error {
  override name = "LeaseLost";
}

/** Finishes one claimed job in the transaction that does its work. Throws `LeaseLost` if the claim is lost. */
export async function finishJob(sql: Sql, job: Held): Promise<void> {
  await finishJobs(sql, [job]);
}

/** Finishes claimed jobs in the transaction that does their work. Throws `LeaseLost` if the claim of any of them is lost. */
export async function finishJobs(sql: Sql, jobs: readonly Held[]): Promise<void> {
  const gone = await sql`
    delete from jobs j
    using ${heldRows(sql, jobs)}
    where ${isHeld(sql)}
  `;
  if (gone.count !== jobs.length) throw new LeaseLost(`of the jobs ${jobs.map(({ jobId }) => jobId).join(", ")} one is no longer claimed`);
}

/** The claims of jobs as rows `h`, and whether job `j` still has its claim. */
export const heldRows = (sql: Sql, jobs: readonly Held[]): SqlFragment => sql`
  unnest(${jobs.map(({ jobId }) => jobId)}::bigint[], ${jobs.map(({ claim }) => claim)}::integer[]) as h (job_id, claim)
`;
export const isHeld = (sql: Sql): SqlFragment => sql`j.job_id = h.job_id and j.claims = h.claim and j.status = 'running'`;

/**
 * Releases a claimed job. `attempt` says how the attempt counts. `counts`: as an attempt. `free`: not at all, since the job is not at
 * fault. `deferred`: as a deferral, since the service did not answer. `blamed`: as a deferral that may be the job's fault, since the
 * service answered other jobs meanwhile. Throws `LeaseLost` if the claim is lost, so that the transaction's other writes about the
 * subject are rolled back.
 */
export async function releaseJob(
  sql: Sql,
  job: Held,
  how: {
    readonly availableAt: Date;
    readonly error: string | null;
    readonly attempt: "counts" | "free" | "deferred" | "blamed";
    /** The job keeps its priority if this is missing. */
    readonly priority?: number;
  },
): Promise<void> {
  const isDeferred = how.attempt === "deferred" || how.attempt === "blamed";
  const released = await sql`
    update jobs j
    set status = 'pending', claimed_by = null, offered_at = null, available_at = ${how.availableAt},
      last_error = ${how.error}, attempts = j.attempts - ${how.attempt === "counts" ? 0 : 1},
      deferrals = j.deferrals + ${isDeferred ? 1 : 0}, blamed = j.blamed + ${how.attempt === "blamed" ? 1 : 0},
      priority = coalesce(${how.priority ?? null}::smallint, j.priority)
    from ${heldRows(sql, [job])}
    where ${isHeld(sql)}
  `;
  if (released.count !== 1) throw new LeaseLost(`job ${job.jobId} is no longer claimed`);
}

/** Moves a claimed job to the dead letters, in the transaction that records the reason. Throws `LeaseLost` if the claim is lost. */
export async function buryJob(sql: Sql, job: Held, error: string): Promise<void> {
  const buried = await sql`
    update jobs j
    set status = 'dead', claimed_by = null, last_error = ${error}
    from ${heldRows(sql, [job])}
    where ${isHeld(sql)}
  `;
  if (buried.count !== 1) throw new LeaseLost(`job ${job.jobId} is no longer claimed`);
}

/**
 * Lowers the priority of live jobs that have waited too long, such as for a service that was down, so that newer ones run first. Jobs in
 * lanes keep their order.
 */
export async function demoteLateJobs(sql: Sql, now: Date): Promise<void> {
  await sql`
    update jobs j
    set priority = ${priorities.late}
    where j.queue = any (${[...queueNames]}::text[])
      and j.status = 'pending'
      and j.priority = ${priorities.live}
      and j.lane is null
      and j.position < ${new Date(now.getTime() - lateAfterMs)}
  `;
}

/**
 * Makes all delayed jobs start now. After the clock was set back, their start may be hours away. A job that starts too early is delayed
 * again; a message that waits a few seconds for a judgement keeps waiting.
 */
export async function promoteAllJobs(sql: Sql, now: Date): Promise<void> {
  const due = await sql`
    update jobs j
    set available_at = ${now}, offered_at = null
    where j.status = 'pending'
      and j.available_at > ${now}
      and (j.awaits is null or j.available_at > ${now}::timestamptz + interval '5 seconds')
  `;
  if (due.count > 0) noteAllQueues(sql);
}

function noteAllQueues(sql: Sql): void {
  for (const queue of queueNames) noteWake(sql, `jobs:${queue}`);
}

/** Frees jobs that are claimed by this process but not running in it, because the connection broke before the claim was returned. */
export async function freeOrphanedJobs(sql: Sql, queue: QueueName, processId: string, runningIds: readonly number[]): Promise<number> {
  const freed = await sql`
    update jobs j
    set status = 'pending', claimed_by = null, offered_at = null, attempts = j.attempts - 1
    where j.status = 'running'
      and j.queue = ${queue}
      and j.claimed_by = ${processId}
      and j.job_id <> all (${[...runningIds]}::bigint[])
  `;
  return freed.count;
}

/**
 * Frees claimed jobs that have run longer than their lease and may never end. The attempt counts. Jobs that were already freed stay
 * unchanged.
 */
export async function freeOverdueJobs(sql: Sql, jobs: readonly Held[]): Promise<number> {
  if (jobs.length === 0) return 0;
  const freed = await sql`
    update jobs j
    set status = 'pending', claimed_by = null, offered_at = null
    from ${heldRows(sql, jobs)}
    where ${isHeld(sql)}
  `;
  return freed.count;
}

/** Frees jobs claimed by processes that no longer exist. The attempt counts, since the job may have crashed the process. */
export async function freeAbandonedJobs(sql: Sql): Promise<number> {
  const freed = await sql`
    update jobs j
    set status = 'pending', claimed_by = null, offered_at = null
    where j.status = 'running'
      and not exists (select 1 from processes p where p.process_id = j.claimed_by)
  `;
  if (freed.count > 0) noteAllQueues(sql);
  return freed.count;
}

/** Number and age of the jobs in a queue. */
export interface QueueCounts {
  readonly waiting: number;
  readonly deferred: number;
  readonly inProgress: number;
  readonly dead: number;
  readonly oldestWaitingSeconds: number | null;
  /** Age of the oldest job that waits or runs. */
  readonly oldestSeconds: number | null;
}

/** Counts the jobs of each queue by their state. */
export async function countJobs(sql: Sql, now: Date): Promise<Readonly<Record<QueueName, QueueCounts>>> {
  const rows = await sql<(QueueCounts & { readonly queue: string })[]>`
    select j.queue,
      count(*) filter (where j.status = 'pending' and j.available_at <= ${now})::int as waiting,
      count(*) filter (where j.status = 'pending' and j.available_at > ${now})::int as deferred,
      count(*) filter (where j.status = 'running')::int as "inProgress",
      count(*) filter (where j.status = 'dead')::int as dead,
      extract(epoch from ${now}::timestamptz - min(j.created_at) filter (where j.status = 'pending'))::float8 as "oldestWaitingSeconds",
      extract(epoch from ${now}::timestamptz - min(j.created_at) filter (where j.status <> 'dead'))::float8 as "oldestSeconds"
    from jobs j
    group by j.queue
  `;
  const none: QueueCounts = { waiting: 0, deferred: 0, inProgress: 0, dead: 0, oldestWaitingSeconds: null, oldestSeconds: null };
  const of = (queue: QueueName): QueueCounts => rows.find((row) => row.queue === queue) ?? none;
  return { detect: of("detect"), enrich: of("enrich"), analyze: of("analyze"), alert: of("alert"), deliver: of("deliver") };
}
