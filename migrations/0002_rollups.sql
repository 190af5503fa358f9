-- Roll-ups: what statistics and analytics read instead of millions of rows.
--
-- A change of detections or events first becomes rows of a table of changes, in the transaction that makes it, by triggers that no operation
-- can forget. Adding a row waits for nobody, so whatever a transaction changes, and in whatever order, it never waits for another one here.
-- Now and then one of the writers takes up all changes that are committed, adds them to the roll-up and removes them ("folds" them). Only
-- one writer at a time folds, and a writer that finds another one at it goes on without. So a question is always answered from the
-- roll-up and the few changes that are not folded yet, read by one statement; the views at the end put both together.
-- Days and hours are those of UTC.

-- detections by day, camera and class; the sum of confidences in millionths, which unlike the sum of fractions comes back to 0
create table detection_days (
  day date not null,
  camera_id text not null,
  object_type text not null,
  count integer not null,
  confidence_millionths bigint not null,
  primary key (day, camera_id, object_type)
);
-- made from that, so that a year is a few rows
create table detection_type_days (
  day date not null,
  object_type text not null,
  count integer not null,
  primary key (day, object_type)
);
create table detection_camera_days (
  day date not null,
  camera_id text not null,
  count integer not null,
  primary key (day, camera_id)
);
create table detection_changes (
  change_id bigint generated always as identity primary key,
  day date not null,
  camera_id text not null,
  object_type text not null,
  count integer not null,
  confidence_millionths bigint not null
);

-- Events that are not soft-deleted, first those with a score: by day and score, and made from that, so that a year is a few rows, by month
-- and score, and by day alone, in the bands of the risk history.
create table event_scores (
  day date not null,
  risk_score smallint not null,
  count integer not null,
  primary key (day, risk_score)
);
create table event_score_months (
  month date not null,
  risk_score smallint not null,
  count integer not null,
  primary key (month, risk_score)
);
create table event_score_days (
  day date primary key,
  count integer not null,
  score_sum bigint not null,
  low integer not null,
  medium integer not null,
  high integer not null,
  critical integer not null
);
-- all of them by day, camera and level, and by hour and camera with the highest score
create table event_days (
  day date not null,
  camera_id text not null,
  -- 'unscored' for those without
  risk_level text not null,
  count integer not null,
  primary key (day, camera_id, risk_level)
);
create table event_hours (
  camera_id text not null,
  hour timestamptz not null,
  count integer not null,
  max_risk_score smallint,
  primary key (camera_id, hour)
);
create index event_hours_by_time on event_hours (hour);
create table event_changes (
  change_id bigint generated always as identity primary key,
  hour timestamptz not null,
  camera_id text not null,
  risk_score smallint,
  risk_level text not null,
  count integer not null
);

-- How often each kind was folded. With the changes that wait, it tells whether anything is different from before.
create table rollup_folds (
  kind text primary key check (kind in ('detections', 'events')),
  folds bigint not null
);
insert into rollup_folds (kind, folds) values ('detections', 0), ('events', 0);

-- rows come and go all the time in these, and readers look at all of them
alter table detection_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);
alter table event_changes set (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500);

-- Whether this transaction may fold: nobody else is at it, and its statements see what others have committed by then.
create function may_fold(lock_key integer) returns boolean language plpgsql as $$
begin
  return current_setting('transaction_isolation') = 'read committed' and pg_try_advisory_xact_lock(7003, lock_key);
end $$;

-- The day of which a change of events is, and the bands of the risk history: fixed ones, not those of the configured levels.
create function day_of(hour timestamptz) returns date language sql immutable return (hour at time zone 'utc')::date;
create function band_of(risk_score smallint) returns text language sql immutable
  return case when risk_score < 30 then 'low' when risk_score < 60 then 'medium' when risk_score < 85 then 'high' else 'critical' end;

-- Makes from the counts by day and score what is made from them, for some days.
create function sum_event_scores(days date[]) returns void language plpgsql set enable_seqscan = off as $$
begin
  delete from event_score_days s where s.day = any (days);
  insert into event_score_days (day, count, score_sum, low, medium, high, critical)
  select s.day, sum(s.count), sum(s.count * s.risk_score),
    coalesce(sum(s.count) filter (where band_of(s.risk_score) = 'low'), 0),
    coalesce(sum(s.count) filter (where band_of(s.risk_score) = 'medium'), 0),
    coalesce(sum(s.count) filter (where band_of(s.risk_score) = 'high'), 0),
    coalesce(sum(s.count) filter (where band_of(s.risk_score) = 'critical'), 0)
  from event_scores s
  where s.day = any (days)
  group by s.day;
  delete from event_score_months s
  using (select distinct date_trunc('month', d::timestamp)::date as month from unnest(days) d) m
  where s.month = m.month;
  insert into event_score_months (month, risk_score, count)
  select m.month, s.risk_score, sum(s.count)
  from (select distinct date_trunc('month', d::timestamp)::date as month from unnest(days) d) m
  join event_scores s on s.day >= m.month and s.day < m.month + interval '1 month'
  group by m.month, s.risk_score;
end $$;

-- Counts hours of a camera anew: a highest score cannot be kept by adding and taking away.
create function count_event_hours(changes event_changes[]) returns void language plpgsql set enable_seqscan = off as $$
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
  ) e
  where e.count > 0;
end $$;

-- Makes from the counts of detections what is made from them, for some days.
create function sum_detections(days date[]) returns void language plpgsql set enable_seqscan = off as $$
begin
  delete from detection_type_days t where t.day = any (days);
  insert into detection_type_days (day, object_type, count)
  select d.day, d.object_type, sum(d.count)
  from detection_days d
  where d.day = any (days)
  group by d.day, d.object_type;
  delete from detection_camera_days c where c.day = any (days);
  insert into detection_camera_days (day, camera_id, count)
  select d.day, d.camera_id, sum(d.count)
  from detection_days d
  where d.day = any (days)
  group by d.day, d.camera_id;
end $$;

-- Nobody else writes the roll-ups meanwhile. A session keeps the plans that it made when the tables were small, so they may only look
-- rows up.
create function fold_detection_changes() returns void language plpgsql set enable_seqscan = off as $$
declare
  changes detection_changes[];
begin
  if not may_fold(1) then
    return;
  end if;
  with gone as (delete from detection_changes c returning c)
  select array_agg(g.c) into changes from gone g;
  insert into detection_days as d (day, camera_id, object_type, count, confidence_millionths)
  select c.day, c.camera_id, c.object_type, sum(c.count), sum(c.confidence_millionths)
  from unnest(changes) c
  group by c.day, c.camera_id, c.object_type
  on conflict (day, camera_id, object_type) do update
  set count = d.count + excluded.count, confidence_millionths = d.confidence_millionths + excluded.confidence_millionths;
  delete from detection_days d
  using unnest(changes) c
  where d.day = c.day and d.camera_id = c.camera_id and d.object_type = c.object_type and d.count = 0;
  perform sum_detections(array(select distinct c.day from unnest(changes) c));
  update rollup_folds f set folds = f.folds + 1 where f.kind = 'detections';
end $$;

create function fold_event_changes() returns void language plpgsql set enable_seqscan = off as $$
declare
  changes event_changes[];
begin
  if not may_fold(2) then
    return;
  end if;
  with gone as (delete from event_changes c returning c)
  select array_agg(g.c) into changes from gone g;
  insert into event_scores as s (day, risk_score, count)
  select day_of(c.hour), c.risk_score, sum(c.count)
  from unnest(changes) c
  where c.risk_score is not null
  group by day_of(c.hour), c.risk_score
  on conflict (day, risk_score) do update set count = s.count + excluded.count;
  delete from event_scores s
  using unnest(changes) c
  where s.day = day_of(c.hour) and s.risk_score = c.risk_score and s.count = 0;
  perform sum_event_scores(array(select distinct day_of(c.hour) from unnest(changes) c where c.risk_score is not null));
  insert into event_days as d (day, camera_id, risk_level, count)
  select day_of(c.hour), c.camera_id, c.risk_level, sum(c.count)
  from unnest(changes) c
  group by day_of(c.hour), c.camera_id, c.risk_level
  on conflict (day, camera_id, risk_level) do update set count = d.count + excluded.count;
  delete from event_days d
  using unnest(changes) c
  where d.day = day_of(c.hour) and d.camera_id = c.camera_id and d.risk_level = c.risk_level and d.count = 0;
  perform count_event_hours(changes);
  update rollup_folds f set folds = f.folds + 1 where f.kind = 'events';
end $$;

-- Every 32nd change is the occasion to fold.
create function fold_detections_now_and_then() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n where n.change_id % 32 = 0) then
    perform fold_detection_changes();
  end if;
  return null;
end $$;
create trigger detection_changes_folded after insert on detection_changes
  referencing new table as new_rows for each statement execute function fold_detections_now_and_then();

create function fold_events_now_and_then() returns trigger language plpgsql as $$
begin
  if exists (select from new_rows n where n.change_id % 32 = 0) then
    perform fold_event_changes();
  end if;
  return null;
end $$;
create trigger event_changes_folded after insert on event_changes
  referencing new table as new_rows for each statement execute function fold_events_now_and_then();

-- What a statement changed: new rows count, old ones count against, and what stays the same cancels out.
create function note_new_detections() returns trigger language plpgsql as $$
begin
  insert into detection_changes (day, camera_id, object_type, count, confidence_millionths)
  select (n.detected_at at time zone 'utc')::date, n.camera_id, n.object_type, count(*), sum(round(n.confidence * 1000000))
  from new_rows n
  group by 1, n.camera_id, n.object_type;
  return null;
end $$;
create trigger detections_noted_in after insert on detections
  referencing new table as new_rows for each statement execute function note_new_detections();

create function note_gone_detections() returns trigger language plpgsql as $$
begin
  insert into detection_changes (day, camera_id, object_type, count, confidence_millionths)
  select (o.detected_at at time zone 'utc')::date, o.camera_id, o.object_type, -count(*), -sum(round(o.confidence * 1000000))
  from old_rows o
  group by 1, o.camera_id, o.object_type;
  return null;
end $$;
create trigger detections_noted_out after delete on detections
  referencing old table as old_rows for each statement execute function note_gone_detections();

create function note_changed_detections() returns trigger language plpgsql as $$
begin
  insert into detection_changes (day, camera_id, object_type, count, confidence_millionths)
  select (b.detected_at at time zone 'utc')::date, b.camera_id, b.object_type, sum(b.sign), sum(b.sign * round(b.confidence * 1000000))
  from (
    select n.detected_at, n.camera_id, n.object_type, n.confidence, 1 as sign from new_rows n
    union all
    select o.detected_at, o.camera_id, o.object_type, o.confidence, -1 from old_rows o
  ) b
  group by 1, b.camera_id, b.object_type
  having sum(b.sign) <> 0 or sum(b.sign * round(b.confidence * 1000000)) <> 0;
  return null;
end $$;
create trigger detections_noted_changed after update on detections
  referencing new table as new_rows old table as old_rows for each statement execute function note_changed_detections();

create function note_new_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', n.started_at, 'UTC'), n.camera_id, n.risk_score, coalesce(n.risk_level, 'unscored'), count(*)
  from new_rows n
  where n.deleted_at is null
  group by 1, n.camera_id, n.risk_score, n.risk_level;
  return null;
end $$;
create trigger events_noted_in after insert on events
  referencing new table as new_rows for each statement execute function note_new_events();

create function note_gone_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', o.started_at, 'UTC'), o.camera_id, o.risk_score, coalesce(o.risk_level, 'unscored'), -count(*)
  from old_rows o
  where o.deleted_at is null
  group by 1, o.camera_id, o.risk_score, o.risk_level;
  return null;
end $$;
create trigger events_noted_out after delete on events
  referencing old table as old_rows for each statement execute function note_gone_events();

create function note_changed_events() returns trigger language plpgsql as $$
begin
  insert into event_changes (hour, camera_id, risk_score, risk_level, count)
  select date_trunc('hour', b.started_at, 'UTC'), b.camera_id, b.risk_score, coalesce(b.risk_level, 'unscored'), sum(b.sign)
  from (
    select n.started_at, n.camera_id, n.risk_score, n.risk_level, 1 as sign from new_rows n where n.deleted_at is null
    union all
    select o.started_at, o.camera_id, o.risk_score, o.risk_level, -1 from old_rows o where o.deleted_at is null
  ) b
  group by 1, b.camera_id, b.risk_score, b.risk_level
  having sum(b.sign) <> 0;
  return null;
end $$;
create trigger events_noted_changed after update on events
  referencing new table as new_rows old table as old_rows for each statement execute function note_changed_events();

-- Makes the roll-ups anew from the rows. Writers wait meanwhile.
create function rebuild_rollups() returns void language plpgsql as $$
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
  where e.deleted_at is null and e.risk_score is not null
  group by 1, e.risk_score;
  perform sum_event_scores(array(select distinct s.day from event_scores s));
  insert into event_days (day, camera_id, risk_level, count)
  select (e.started_at at time zone 'utc')::date, e.camera_id, coalesce(e.risk_level, 'unscored'), count(*)
  from events e
  where e.deleted_at is null
  group by 1, e.camera_id, coalesce(e.risk_level, 'unscored');
  insert into event_hours (camera_id, hour, count, max_risk_score)
  select e.camera_id, date_trunc('hour', e.started_at, 'UTC'), count(*), max(e.risk_score)
  from events e
  where e.deleted_at is null
  group by e.camera_id, 2;
  update rollup_folds f set folds = f.folds + 1;
end $$;
select rebuild_rollups();

-- What questions read. Each has several rows for the same day: sum them.
create view detections_per_day as
  select d.day, d.camera_id, d.object_type, d.count, d.confidence_millionths from detection_days d
  union all
  select c.day, c.camera_id, c.object_type, c.count, c.confidence_millionths from detection_changes c;
create view detection_types_per_day as
  select t.day, t.object_type, t.count from detection_type_days t
  union all
  select c.day, c.object_type, c.count from detection_changes c;
create view detection_cameras_per_day as
  select d.day, d.camera_id, d.count from detection_camera_days d
  union all
  select c.day, c.camera_id, c.count from detection_changes c;
create view events_scored_per_day as
  select s.day, s.count, s.score_sum, s.low, s.medium, s.high, s.critical from event_score_days s
  union all
  select day_of(c.hour), c.count, (c.count * c.risk_score)::bigint,
    case when band_of(c.risk_score) = 'low' then c.count else 0 end,
    case when band_of(c.risk_score) = 'medium' then c.count else 0 end,
    case when band_of(c.risk_score) = 'high' then c.count else 0 end,
    case when band_of(c.risk_score) = 'critical' then c.count else 0 end
  from event_changes c
  where c.risk_score is not null;
create view events_per_day as
  select d.day, d.camera_id, d.risk_level, d.count from event_days d
  union all
  select day_of(c.hour), c.camera_id, c.risk_level, c.count from event_changes c;
-- The same text as before: nothing of this kind has changed.
create view rollup_versions as
  select f.kind, concat_ws(' ', f.folds, w.count, w.sum) as version
  from rollup_folds f
  cross join (select count(*) as count, sum(c.change_id) as sum from detection_changes c) w
  where f.kind = 'detections'
  union all
  select f.kind, concat_ws(' ', f.folds, w.count, w.sum)
  from rollup_folds f
  cross join (select count(*) as count, sum(c.change_id) as sum from event_changes c) w
  where f.kind = 'events';
