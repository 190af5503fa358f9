import { afterAll, beforeAll, expect, test } from "vitest";
import { markEnriched } from "../../../src/monitoring/events/enrichment-repository.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

let database: TestDatabase;
beforeAll(async () => {
  database = await testDatabase();
  await database.db.query(async (sql) => {
    // a new installation under load has many events and no table statistics
    await sql`alter table events set (autovacuum_enabled = false)`;
    await sql`alter table detections set (autovacuum_enabled = false)`;
    await sql`insert into cameras (camera_id, name, folder_path) values ('yard', 'Yard', '/yard')`;
    await sql`insert into events (camera_id, started_at, ended_at) select 'yard', now(), now() from generate_series(1, 500)`;
    await sql`
      insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence, enrichment)
      select 'yard', e.event_id, '/yard/' || n, now(), 'person', 0.9, '{"services": {"vision": "completed"}}'
      from events e, generate_series(1, 20) n
    `;
  });
});
afterAll(() => database.close());

test("marking an event as enriched reads only its own detections", async () => {
  await database.db.transaction(async (sql) => {
    const read = async (): Promise<number> => {
      const [row] = await sql<[{ n: number }]>`
        select (seq_tup_read + coalesce(idx_tup_fetch, 0))::int as n from pg_stat_xact_user_tables where relname = 'detections'
      `;
      return row.n;
    };
    const [event] = await sql<[{ id: number }]>`select max(event_id) as id from events`;
    const before = await read();
    const [noted, ...others] = await markEnriched(sql, [event.id], new Date());
    expect(others).toEqual([]);
    expect(noted).toMatchObject({ eventId: event.id, cameraId: "yard" });
    expect(noted?.detectionIds).toHaveLength(20);
    expect((await read()) - before).toBeLessThan(200);
    expect(await markEnriched(sql, [event.id], new Date())).toEqual([]);
  });
});
