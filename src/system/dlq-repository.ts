import type { Sql } from "../engines/database.ts";

/** The picture that a dead letter is about. */
export interface DeadImage {
  readonly image_id: number;
  readonly camera_id: string;
  readonly path: string;
  readonly status: string;
  readonly reason: string | null;
  readonly failedAt: Date | null;
}

/** The pictures with these ids, in no order. */
export async function deadImages(sql: Sql, ids: readonly number[]): Promise<readonly DeadImage[]> {
  return await sql<DeadImage[]>`
    select i.image_id, i.camera_id, i.path, i.status, i.reason, i.finished_at as "failedAt"
    from images i
    where i.image_id = any (${[...ids]}::bigint[])
  `;
}

/** The event that a dead letter is about. */
export interface DeadEvent {
  readonly event_id: number;
  readonly camera_id: string;
  readonly started_at: Date;
  readonly analysis_status: string;
  readonly failedAt: Date | null;
}

/** The events with these ids, soft-deleted ones included, in no order. */
export async function deadEvents(sql: Sql, ids: readonly number[]): Promise<readonly DeadEvent[]> {
  return await sql<DeadEvent[]>`
    select e.event_id, e.camera_id, e.started_at, e.analysis_status,
      (select max(a.finished_at) from analysis_attempts a where a.event_id = e.event_id) as "failedAt"
    from events e
    where e.event_id = any (${[...ids]}::bigint[])
  `;
}
