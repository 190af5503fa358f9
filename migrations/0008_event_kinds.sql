-- Incidents of cameras are events too, so that rules can raise alerts for them; rules say which kind of event they are for.

alter table events add column kind text not null default 'event' check (kind in ('event', 'camera_health'));
create index events_health on events (camera_id, started_at desc, event_id desc) where kind = 'camera_health';

alter table rules add column kind text not null default 'event' check (kind in ('event', 'camera_health'));
-- an incident has neither a score nor detections
alter table rules add constraint rules_of_health check (
  kind = 'event' or (risk_threshold is null and object_types is null and min_confidence is null)
);
update rule_versions v set definition = v.definition || '{"kind": "event"}';

-- Totals, roll-ups and statistics count what cameras saw; an incident is nothing that they saw. The kind of an event never changes.

create or replace function count_new_events() returns trigger language plpgsql as $$
begin
  insert into totals (kind, camera_id, count)
  select 'events', n.camera_id, count(*) from new_rows n where n.deleted_at is null and n.kind = 'event' group by n.camera_id order by n.camera_id
  on conflict (kind, camera_id) do update set count = totals.count + excluded.count;
  return null;
end $$;

create or replace function count_changed_events() returns trigger language plpgsql as $$
begin
  insert into totals (kind, camera_id, count)
  select 'events', n.camera_id,
    count(*) filter (where n.deleted_at is null and o.deleted_at is not null)
      - count(*) filter (where n.deleted_at is not null and o.deleted_at is null)
  from new_rows n join old_rows o using (event_id)
  where (n.deleted_at is null) <> (o.deleted_at is null) and n.kind = 'event'
  group by n.camera_id order by n.camera_id
  on conflict (kind, camera_id) do update set count = totals.count + excluded.count;
  return null;
end $$;

create or replace function count_gone_events() returns trigger language plpgsql as $$
begin
  perform from totals t
  where t.kind = 'events' and t.camera_id in (select o.camera_id from old_rows o where o.deleted_at is null and o.kind = 'event')
  order by t.camera_id
  for no key update;
  update totals t set count = t.count - o.n
  from (select camera_id, count(*) as n from old_rows where deleted_at is null and kind = 'event' group by camera_id) o
  where t.kind = 'events' and t.camera_id = o.camera_id;
  return null;
end $$;

create or replace function note_new_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', n.started_at, 'UTC'), n.camera_id, n.risk_score, coalesce(n.risk_level, 'unscored'), count(*)
  from new_rows n
  where n.deleted_at is null and n.kind = 'event'
  group by 1, n.camera_id, n.risk_score, n.risk_level;
  return null;
end $$;

create or replace function note_gone_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', o.started_at, 'UTC'), o.camera_id, o.risk_score, coalesce(o.risk_level, 'unscored'), -count(*)
  from old_rows o
  where o.deleted_at is null and o.kind = 'event'
  group by 1, o.camera_id, o.risk_score, o.risk_level;
  return null;
end $$;

create or replace function note_changed_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', b.started_at, 'UTC'), b.camera_id, b.risk_score, coalesce(b.risk_level, 'unscored'), sum(b.sign)
  from (
    select n.started_at, n.camera_id, n.risk_score, n.risk_level, 1 as sign from new_rows n where n.deleted_at is null and n.kind = 'event'
    union all
    select o.started_at, o.camera_id, o.risk_score, o.risk_level, -1 from old_rows o where o.deleted_at is null and o.kind = 'event'
  ) b
  group by 1, b.camera_id, b.risk_score, b.risk_level
  having sum(b.sign) <> 0;
  return null;
end $$;

create or replace function count_event_hours(changes event_changes[]) returns void language plpgsql set enable_seqscan = off as $$
begin
  delete from event_hours h
  using (select distinct c.camera_id, c.hour from unnest(changes) c) t
  where h.camera_id = t.camera_id and h.hour = t.hour;
  insert into event_hours (camera_id, hour, count, max_risk_score)
  select t.camera_id, t.hour, e.count, e.max_risk_score
  from (select distinct c.camera_id, c.hour from unnest(changes) c) t
  cross join lateral (
    select count(*) as count, max(e.risk_score) as max_risk_score
    from events e
    where e.camera_id = t.camera_id
      and e.started_at >= t.hour
      and e.started_at < t.hour + interval '1 hour'
      and e.deleted_at is null
      and e.kind = 'event'
  ) e
  where e.count > 0;
end $$;

create or replace function rebuild_rollups() returns void language plpgsql as $$
begin
  lock table events, detections in share row exclusive mode;
  perform pg_advisory_xact_lock(7003, 1), pg_advisory_xact_lock(7003, 2);
  delete from detection_changes;
  delete from event_changes;
  delete from detection_days;
  delete from detection_type_days;
  delete from detection_camera_days;
  delete from event_scores;
  delete from event_score_months;
  delete from event_score_days;
  delete from event_days;
  delete from event_hours;
  insert into detection_days (day, camera_id, object_type, count, confidence_millionths)
  select (d.detected_at at time zone 'utc')::date, d.camera_id, d.object_type, count(*), sum(round(d.confidence * 1000000))
  from detections d
  group by 1, d.camera_id, d.object_type;
  perform sum_detections(array(select distinct d.day from detection_days d));
  insert into event_scores (day, risk_score, count)
  select (e.started_at at time zone 'utc')::date, e.risk_score, count(*)
  from events e
  where e.deleted_at is null and e.kind = 'event' and e.risk_score is not null
  group by 1, e.risk_score;
  perform sum_event_scores(array(select distinct s.day from event_scores s));
  insert into event_days (day, camera_id, risk_level, count)
  select (e.started_at at time zone 'utc')::date, e.camera_id, coalesce(e.risk_level, 'unscored'), count(*)
  from events e
  where e.deleted_at is null and e.kind = 'event'
  group by 1, e.camera_id, coalesce(e.risk_level, 'unscored');
  insert into event_hours (camera_id, hour, count, max_risk_score)
  select e.camera_id, date_trunc('hour', e.started_at, 'UTC'), count(*), max(e.risk_score)
  from events e
  where e.deleted_at is null and e.kind = 'event'
  group by e.camera_id, 2;
  update rollup_folds f set folds = f.folds + 1;
end $$;

-- The search has the kind, too.
alter table event_search add column kind text not null default 'event';
create or replace view event_search_rows as
select e.event_id, e.camera_id, e.started_at, e.risk_score, e.risk_level, e.object_types, e.reviewed,
  event_document(e.camera_id, e.summary, e.reasoning, e.notes, e.object_types) as document, e.kind
from events e
where e.deleted_at is null;

create or replace function search_new_events() returns trigger language plpgsql as $$
begin
  insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document, kind)
  select r.event_id, r.camera_id, r.started_at, r.risk_score, r.risk_level, r.object_types, r.reviewed, r.document, r.kind
  from event_search_rows r
  where r.event_id in (select n.event_id from new_rows n);
  return null;
end $$;

create or replace function search_changed_events() returns trigger language plpgsql as $$
begin
  delete from event_search s using new_rows n where s.event_id = n.event_id and n.deleted_at is not null;
  insert into event_search (event_id, camera_id, started_at, risk_score, risk_level, object_types, reviewed, document, kind)
  select n.event_id, n.camera_id, n.started_at, n.risk_score, n.risk_level, n.object_types, n.reviewed,
    event_document(n.camera_id, n.summary, n.reasoning, n.notes, n.object_types), n.kind
  from new_rows n
  join old_rows o using (event_id)
  where n.deleted_at is null
    and (
      o.deleted_at is not null
      or (n.camera_id, n.started_at, n.risk_score, n.risk_level, n.object_types, n.reviewed, n.summary, n.reasoning, n.notes)
        is distinct from (o.camera_id, o.started_at, o.risk_score, o.risk_level, o.object_types, o.reviewed, o.summary, o.reasoning, o.notes)
    )
  order by n.event_id
  on conflict (event_id) do update
  set camera_id = excluded.camera_id, started_at = excluded.started_at, risk_score = excluded.risk_score, risk_level = excluded.risk_level,
    object_types = excluded.object_types, reviewed = excluded.reviewed, document = excluded.document;
  return null;
end $$;
