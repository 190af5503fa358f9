import type { Database, Sql } from "../../src/platform/database/database.ts";

export const detectionsPerEvent = 10;
const cameras = 8;

/** Fills the database with events of about a year, ten detections each, and their totals and roll-ups. */
export async function fillWithEvents(db: Database, events: number): Promise<void> {
  await db.transaction(async (sql) => {
    await sql`set local session_replication_role = replica`;
    await sql`set local maintenance_work_mem = '256MB'`;
    await sql`
      insert into cameras (camera_id, name, folder_path)
      select 'camera-' || c, 'Camera ' || c, '/cameras/camera-' || c
      from generate_series(0, ${cameras - 1}::int) as c
    `;
    // Truncation in the same transaction makes a log of changes unnecessary.
    await sql`truncate events, detections, analysis_attempts cascade`;
    const indexes = await dropIndexes(sql);
    await sql`
      insert into events (batch_id, camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, risk_factors, analysis_status,
        analyzed_by, detection_count, object_types, cover_detection_id)
      select gen_random_uuid()::text, 'camera-' || i % ${cameras}, now() - (${events} - i) * interval '30 s',
        now() - (${events} - i) * interval '30 s' + interval '20 s', i % 101,
        case when i % 101 < 30 then 'low' when i % 101 < 60 then 'medium' when i % 101 < 80 then 'high' else 'critical' end,
        'A person walked from the gate to the door and stayed there for a while.',
        'One person was seen ten times within twenty seconds, in the evening, which is usual for this camera.',
        '[{"name": "person", "contribution": 30}, {"name": "dwell", "contribution": 12}]', 'completed',
        'bench', ${detectionsPerEvent}, '{person}', (i - 1) * ${detectionsPerEvent} + 1
      from generate_series(1, ${events}::int) as i
    `;
    await sql`
      insert into detections (camera_id, event_id, file_path, file_type, detected_at, object_type, confidence, bbox_x, bbox_y, bbox_width,
        bbox_height)
      select 'camera-' || e % ${cameras}, e, '/cameras/camera-' || e % ${cameras} || '/picture-' || e || '-' || d || '.jpg', 'image/jpeg',
        now() - (${events} - e) * interval '30 s' + d * interval '2 s',
        (array['person', 'car', 'dog'])[1 + e % 3], 0.9, 10, 20, 60, 120
      from generate_series(1, ${events}::int) as e, generate_series(0, ${detectionsPerEvent - 1}) as d
    `;
    for (const { definition } of indexes) await sql.unsafe(definition);
    await sql`insert into totals (kind, camera_id, count) select 'events', e.camera_id, count(*) from events e group by e.camera_id`;
    await sql`insert into totals (kind, camera_id, count) select 'detections', d.camera_id, count(*) from detections d group by d.camera_id`;
    await sql`select rebuild_rollups()`;
  });
  await db.query((sql) => sql`vacuum analyze events`);
  await db.query((sql) => sql`vacuum analyze detections`);
}

/** Fills the search index of events, which `fillWithEvents` leaves empty: that takes as long again. */
export async function fillEventSearch(db: Database): Promise<void> {
  await db.transaction(async (sql) => {
    await sql`set local maintenance_work_mem = '256MB'`;
    await sql`truncate event_search`;
    await sql`drop index event_search_words`;
    await sql`
      insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document)
      select r.event_id, r.camera_id, r.started_at, r.risk_score, r.risk_level, r.object_types, r.reviewed, r.document
      from event_search_rows r
      order by r.event_id
    `;
    await sql`create index event_search_words on event_search using gin (document) with (fastupdate = off)`;
  });
  await db.query((sql) => sql`vacuum analyze event_search`);
}

/** Drops the indexes that are no constraints, and returns how to create them again: filling with them takes several times as long. */
async function dropIndexes(sql: Sql): Promise<readonly { readonly name: string; readonly definition: string }[]> {
  const indexes = await sql<{ name: string; definition: string }[]>`
    select i.indexname as name, i.indexdef as definition
    from pg_indexes i
    where i.schemaname = 'public'
      and i.tablename in ('events', 'detections')
      and not exists (select from pg_constraint c where c.conname = i.indexname)
  `;
  for (const { name } of indexes) await sql`drop index ${sql(name)}`;
  return indexes;
}
