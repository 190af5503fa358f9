import type { Database } from "../../src/platform/database/database.ts";

/** Rows of a history, inserted without the pipeline. */
export interface History {
  readonly cameras: number;
  readonly events: number;
  readonly detectionsPerEvent: number;
}

/**
 * Fills a database with cameras `cam0`, `cam1`, ..., and events a minute apart that end on 2026-03-01 12:00 UTC, the newest with the
 * highest id. Levels, classes and confidences rotate; every second event has no score.
 */
export async function fillHistory(db: Database, { cameras, events, detectionsPerEvent }: History): Promise<void> {
  await db.query(async (sql) => {
    await sql`
      insert into cameras (camera_id, name, folder_path)
      select 'cam' || n, 'Camera ' || n, '/cameras/cam' || n
      from generate_series(0, ${cameras - 1}::integer) n
    `;
    await sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, analysis_status, reviewed, detection_count, object_types, created_at)
      select 'cam' || n % ${cameras}::integer, t.started_at, t.started_at + interval '20 seconds',
        case when n % 2 = 0 then n % 101 end,
        case when n % 2 = 0 then (array['low', 'medium', 'high', 'critical'])[case when n % 101 >= 80 then 4 when n % 101 >= 60 then 3 when n % 101 >= 30 then 2 else 1 end] end,
        case when n % 2 = 0 then 'completed' else 'pending' end,
        n % 50 <> 0,
        ${detectionsPerEvent}::integer,
        array[(array['person', 'car', 'dog', 'cat'])[n % 4 + 1]],
        t.started_at
      from generate_series(1, ${events}::integer) n
      cross join lateral (
        select timestamptz '2026-03-01 12:00:00Z' - (${events}::integer - n) * interval '1 minute' as started_at
      ) t
      order by n
    `;
    await sql`
      insert into detections (camera_id, event_id, file_path, file_type, detected_at, object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height, created_at)
      select e.camera_id, e.event_id, '/cameras/' || e.camera_id || '/' || e.event_id || '-' || n || '.jpg', 'image/jpeg',
        e.started_at + n * interval '1 second', e.object_types[1], 0.5 + (e.event_id * 7 + n) % 50 / 100.0, 10, 20, 30, 40, e.started_at
      from events e
      cross join generate_series(1, ${detectionsPerEvent}::integer) n
      order by e.event_id, n
    `;
    await sql`analyze cameras, events, detections, totals`;
  });
}
