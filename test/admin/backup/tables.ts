import type { Database } from "../../../src/platform/database/database.ts";

/** The content of every table for comparison: the number of rows, and one text of all of them. */
export async function contentsOf(db: Database, leaveOut: readonly string[] = ["processes"]): Promise<Record<string, string>> {
  return await db.transaction(async (sql) => {
    await sql`set transaction isolation level repeatable read, read only`;
    const tables = await sql<{ name: string }[]>`
      select c.relname as name
      from pg_class c
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace
      order by 1
    `;
    const contents: Record<string, string> = {};
    for (const { name } of tables.filter((table) => !leaveOut.includes(table.name))) {
      const [row] = await sql<[{ rows: number; digest: string }]>`
        select count(*) as rows, coalesce(md5(string_agg(t::text, '|' order by t::text)), '') as digest
        from ${sql(name)} t
      `;
      contents[name] = `${row.rows} rows ${row.digest}`;
    }
    return contents;
  });
}

/** Everything that migrations create, in words: columns, constraints, indexes, triggers, functions and views. */
export async function shapeOf(db: Database): Promise<readonly string[]> {
  const rows = await db.query(
    (sql) => sql<{ text: string }[]>`
      select concat_ws(' ', 'column', c.table_name, c.column_name, c.data_type, c.column_default, c.is_nullable, c.is_generated) as text
      from information_schema.columns c where c.table_schema = 'public'
      union all
      select concat_ws(' ', 'constraint', c.conrelid::regclass, c.conname, pg_get_constraintdef(c.oid), c.convalidated)
      from pg_constraint c where c.connamespace = 'public'::regnamespace and c.contype <> 'n'
      union all
      select i.indexdef from pg_indexes i where i.schemaname = 'public'
      union all
      select concat_ws(' ', 'trigger', t.tgrelid::regclass, t.tgenabled, pg_get_triggerdef(t.oid))
      from pg_trigger t where not t.tgisinternal
      union all
      select concat_ws(' ', 'function', p.proname, p.prosrc) from pg_proc p where p.pronamespace = 'public'::regnamespace
      union all
      select concat_ws(' ', 'view', v.viewname, v.definition) from pg_views v where v.schemaname = 'public'
      order by 1
    `,
  );
  return rows.map(({ text }) => text);
}

/** Fills many tables with texts that are difficult for a file format. */
export async function fill(db: Database, how: { readonly events?: number; readonly detectionsEach?: number } = {}): Promise<void> {
  const { events = 40, detectionsEach = 3 } = how;
  const odd = 'Tür\t"Hof"\\N \\. \n\\.\nüber 🐈 \r\n{1,NULL}';
  await db.transaction(async (sql) => {
    await sql`
      insert into cameras (camera_id, name, folder_path, status_reason)
      values ('yard', ${odd}, '/srv/yard', null), ('gate', 'Gate', '/srv/gate', '')
      on conflict do nothing
    `;
    await sql`
      insert into images (camera_id, path, size_bytes, modified_ns, sha256, found_by, found_at, taken_at, status)
      select case n % 2 when 0 then 'yard' else 'gate' end, '/srv/' || n, n, n, decode('005c0aff', 'hex'), 'scan', now(), now(), 'processed'
      from generate_series(1, ${events}::int) g (n)
      on conflict do nothing
    `;
    await sql`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, notes, risk_factors, object_types, detection_count, deleted_at)
      select case n % 2 when 0 then 'yard' else 'gate' end, now() - n * interval '7 minutes', now(), n % 101, 'low', ${odd}, 'a note ' || n,
        ${sql.json([{ name: odd, value: 1.5 }])}, array['person', ${odd}, null], ${detectionsEach}, case when n % 7 = 0 then now() end
      from generate_series(1, ${events}::int) g (n)
    `;
    await sql`
      insert into detections (camera_id, event_id, file_path, detected_at, object_type, confidence, enrichment)
      select e.camera_id, e.event_id, '/srv/x', e.started_at, 'person', 0.1 + (e.event_id % 9) / 10.0,
        case when e.event_id % 5 = 0 then ${sql.json({ caption: "a red car", ocr: [{ text: odd, confidence: 0.5 }] })}::jsonb end
      from events e
      cross join generate_series(1, ${detectionsEach}::int) g (n)
      where not exists (select from detections d where d.event_id = e.event_id)
    `;
    await sql`
      insert into settings (key, value) values ('retention_days', '3'), ('odd', ${sql.json({ odd })}) on conflict do nothing
    `;
    await sql`insert into journal (type, data, created_at) select 'event.deleted', '{"id": 1}', now() from generate_series(1, 9)`;
    await sql`
      insert into jobs (queue, subject, position, available_at, status, claimed_by)
      values ('analyze', '1', now(), now(), 'running', gen_random_uuid()), ('analyze', '2', now(), now(), 'pending', null)
      on conflict do nothing
    `;
    await sql`
      with rule as (
        insert into rules (name, severity, dedup_key_template, cooldown_seconds) values ('Night', 'high', '{camera_id}', 300) returning rule_id
      ), alert as (
        insert into alerts (alert_id, event_id, rule_id, rule_name, camera_id, severity, dedup_key, created_at, updated_at)
        select gen_random_uuid(), 1, r.rule_id, 'Night', 'gate', 'high', 'gate', now(), now() from rule r returning alert_id, rule_id
      )
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, evaluated_at)
      select 1, a.rule_id, 'Night', 1, 'raised', '{}', '{}', a.alert_id, now() from alert a
      on conflict do nothing
    `;
    await sql`insert into gpu_stats (recorded_at, gpu_name, utilization) values (now(), ${odd}, 'NaN') on conflict do nothing`;
  });
  await db.query((sql) => sql`select from number_journal(5)`);
}
