import type { Sql } from "../../platform/database/database.ts";
import type { Anomaly } from "./baseline.ts";

/** An unusual hour to store. */
export interface NewAnomaly extends Anomaly {
  readonly cameraId: string;
  readonly hourStartedAt: Date;
}

/** A stored anomaly with its id. */
export interface StoredAnomaly extends NewAnomaly {
  readonly id: number;
}

/**
 * Stores an anomaly, one per camera, class and hour. If the hour already has one, its numbers are updated when it has become more
 * unusual. Returns the anomaly if it is new.
 */
export async function storeAnomaly(sql: Sql, anomaly: NewAnomaly, now: Date): Promise<StoredAnomaly | undefined> {
  const [row] = await sql<[{ id: number; isNew: boolean }?]>`
    insert into anomalies as a (camera_id, hour_started_at, occurred_at, detection_class, anomaly_score, expected_frequency,
      observed_frequency, reason, created_at)
    values (${anomaly.cameraId}, ${anomaly.hourStartedAt}, ${anomaly.timestamp}, ${anomaly.detection_class}, ${anomaly.anomaly_score},
      ${anomaly.expected_frequency}, ${anomaly.observed_frequency}, ${anomaly.reason}, ${now})
    on conflict (camera_id, hour_started_at, detection_class) where hour_started_at is not null do update
    set anomaly_score = excluded.anomaly_score, expected_frequency = excluded.expected_frequency,
      observed_frequency = excluded.observed_frequency, reason = excluded.reason
    where abs(excluded.anomaly_score) > abs(a.anomaly_score)
    returning a.anomaly_id as id, a.xmax = 0 as "isNew"
  `;
  return row?.isNew ? { ...anomaly, id: row.id } : undefined;
}

/** Returns a camera's anomalies since a time, newest first. */
export async function anomaliesSince(sql: Sql, cameraId: string, since: Date): Promise<readonly Anomaly[]> {
  return await sql<Anomaly[]>`
    select a.occurred_at as timestamp, a.detection_class, a.anomaly_score, a.expected_frequency, a.observed_frequency, a.reason
    from anomalies a
    where a.camera_id = ${cameraId}
      and a.occurred_at >= ${since}
    order by a.occurred_at desc, a.anomaly_id desc
  `;
}

/** Deletes at most `limit` anomalies from before `before`, and returns how many. */
export async function deleteAnomaliesBefore(sql: Sql, before: Date, limit: number): Promise<number> {
  const gone = await sql`
    delete from anomalies a
    where a.anomaly_id = any (array(
      select o.anomaly_id
      from anomalies o
      where o.occurred_at < ${before}
      order by o.occurred_at
      limit ${limit}
    ))
  `;
  return gone.count;
}
