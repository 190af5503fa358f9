import type { CameraStatus } from "../../monitoring/cameras/camera.ts";
import { type Cause, causes } from "../../monitoring/incidents/incident.ts";
import type { Sql } from "../../platform/database/database.ts";

/** Metrics of a camera that is not deleted. */
export interface CameraMetrics {
  readonly cameraId: string;
  readonly status: CameraStatus;
  readonly lastSeenAt: Date | null;
}

/** Returns all cameras that are not deleted, by id. */
export async function cameraMetrics(sql: Sql): Promise<readonly CameraMetrics[]> {
  return await sql<CameraMetrics[]>`
    select c.camera_id as "cameraId", c.status, c.last_seen_at as "lastSeenAt"
    from cameras c
    where c.deleted_at is null
    order by c.camera_id
  `;
}

/** Counts the open incidents by cause. */
export async function openIncidents(sql: Sql): Promise<Readonly<Record<Cause, number>>> {
  const rows = await sql<{ cause: Cause; count: number }[]>`
    select i.cause, count(*) as count
    from camera_incidents i
    where i.ended_at is null
    group by i.cause
  `;
  const counts = new Map(rows.map(({ cause, count }) => [cause, count]));
  return Object.fromEntries(causes.map((cause) => [cause, counts.get(cause) ?? 0])) as Record<Cause, number>;
}

/** Counts of unfinished things. */
export interface OpenCounts {
  readonly batches: number;
  /** Alerts that no recipient has been notified of. */
  readonly pendingAlerts: number;
  readonly silences: number;
}

/** Counts unfinished things. Each count reads no more rows than it counts. */
export async function openCounts(sql: Sql, now: Date): Promise<OpenCounts> {
  const [row] = await sql<[OpenCounts]>`
    select
      (select count(*) from batches b where b.status = 'open') as batches,
      (select count(*) from alerts a where a.status = 'pending') as "pendingAlerts",
      (select count(*) from silences s where s.told_at is null and s.ended_at is null and s.ends_at > ${now}) as silences
  `;
  return row;
}
