-- A new event is indexed from the rows that were inserted. Read back from the table, each one cost a walk through all events as long as
-- the table had no statistics.
create or replace function search_new_events() returns trigger language plpgsql as $$
begin
  insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document, kind)
  select n.event_id, n.camera_id, n.started_at, n.risk_score, n.risk_level, n.object_types, n.reviewed,
    event_document(n.camera_id, n.summary, n.reasoning, n.notes, n.object_types), n.kind
  from new_rows n
  where n.deleted_at is null;
  return null;
end $$;
