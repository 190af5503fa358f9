import type { Sql } from "../../platform/database/database.ts";
import { type Held, heldRows, isHeld, type NewJob, type QueueName, requeueJob } from "./jobs-repository.ts";
import { noteWake } from "./wakes-repository.ts";

/**
 * Requests a job like `requeueJob`, but if it is running, it runs once more afterwards (`repeatJob`), because the current run may have
 * begun with older facts.
 */
export async function requestJob(sql: Sql, queue: QueueName, job: NewJob): Promise<void> {
  const running = await sql`
    update jobs j
    set again = true, priority = ${job.priority}, position = ${job.position}
    where j.queue = ${queue}
      and j.subject = ${job.subject}
      and j.status = 'running'
  `;
  if (running.count === 0) await requeueJob(sql, queue, job);
}

/**
 * Queues a claimed job again that was requested while it ran (`requestJob`), in the transaction that does its work, instead of finishing
 * it. Returns false if it was not requested: then the caller must finish it.
 */
export async function repeatJob(sql: Sql, job: Held, now: Date): Promise<boolean> {
  const [repeated] = await sql<[{ queue: QueueName }?]>`
    update jobs j
    set status = 'pending', claimed_by = null, offered_at = null, available_at = ${now}, attempts = 0, deferrals = 0, blamed = 0,
      last_error = null, again = false
    from ${heldRows(sql, [job])}
    where ${isHeld(sql)}
      and j.again
    returning j.queue
  `;
  if (repeated) noteWake(sql, `jobs:${repeated.queue}`);
  return repeated !== undefined;
}
