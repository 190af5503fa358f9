-- Totals are taken from in the order of the cameras, whatever plan the update has: two who delete from several cameras at once would else wait
-- for each other in a circle.

create or replace function count_gone_detections() returns trigger language plpgsql as $$
begin
  perform from totals t
  where t.kind = 'detections' and t.camera_id in (select o.camera_id from old_rows o)
  order by t.camera_id
  for no key update;
  update totals t set count = t.count - o.n
  from (select camera_id, count(*) as n from old_rows group by camera_id) o
  where t.kind = 'detections' and t.camera_id = o.camera_id;
  return null;
end $$;

create or replace function count_gone_events() returns trigger language plpgsql as $$
begin
  perform from totals t
  where t.kind = 'events' and t.camera_id in (select o.camera_id from old_rows o where o.deleted_at is null)
  order by t.camera_id
  for no key update;
  update totals t set count = t.count - o.n
  from (select camera_id, count(*) as n from old_rows where deleted_at is null group by camera_id) o
  where t.kind = 'events' and t.camera_id = o.camera_id;
  return null;
end $$;
