import type { Sql } from "../../platform/database/database.ts";
import type { QueueName } from "./jobs-repository.ts";
import { noteWake } from "./wakes-repository.ts";

/** Makes the delayed jobs of a queue start now, because the service they wait for is available. Returns their number. */
export async function promoteJobs(sql: Sql, queue: QueueName, now: Date): Promise<number> {
  const promoted = await sql`
    update jobs j
    set available_at = ${now}
    where j.status = 'pending'
      and j.queue = ${queue}
      and j.available_at > ${now}
  `;
  if (promoted.count > 0) noteWake(sql, `jobs:${queue}`);
  return promoted.count;
}

/** Makes delayed jobs that were never tried start now, because the data they wait for has arrived. */
export async function promoteFirstTries(sql: Sql, queue: QueueName, subjects: readonly string[], now: Date): Promise<void> {
  const due = await sql`
    with known as materialized (
      -- one lookup per subject: with the other conditions, all pending jobs would be read as long as the table has no statistics
      select k.job_id
      from unnest(${[...subjects]}::text[]) as s (subject)
      cross join lateral (select o.job_id from jobs o where o.queue = ${queue} and o.subject = s.subject limit 1) k
    ), early as materialized (
      select j.job_id
      from jobs j
      where j.job_id = any (array(select k.job_id from known k))
        and j.status = 'pending'
        and j.attempts = 0
        and j.deferrals = 0
        and j.available_at > ${now}
      order by j.job_id
      for update
    )
    update jobs j
    set available_at = ${now}
    from early
    where j.job_id = early.job_id
  `;
  if (due.count > 0) noteWake(sql, `jobs:${queue}`);
}
