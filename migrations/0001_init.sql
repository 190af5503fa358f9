-- The first schema: from a picture in a folder to a judged event.
-- Every table is written only by the repository of its domain; roll-ups are kept by the triggers at the end.

create table cameras (
  camera_id text primary key check (camera_id ~ '^[a-z0-9_-]{1,64}$'),
  name text not null check (char_length(name) between 1 and 255),
  folder_path text not null,
  status text not null default 'unknown' check (status in ('unknown', 'online', 'offline', 'error')),
  status_reason text,
  last_seen_at timestamptz,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create unique index cameras_name_key on cameras (name);
create unique index cameras_folder_path_key on cameras (folder_path);

-- One row per file that was ever seen: the ledger. Its outcome is the answer to "what became of my picture".
create table images (
  image_id bigint generated always as identity primary key,
  camera_id text not null references cameras (camera_id),
  path text not null,
  size_bytes bigint not null,
  modified_ns bigint not null,
  media_type text,
  width integer,
  height integer,
  sha256 bytea,
  found_by text not null check (found_by in ('watch', 'scan')),
  found_at timestamptz not null,
  taken_at timestamptz not null,
  status text not null check (status in ('pending', 'deferred', 'processed', 'skipped', 'failed')),
  reason text,
  detail text,
  same_content_as bigint,
  detection_count integer not null default 0,
  detector text,
  inference_ms double precision,
  started_at timestamptz,
  finished_at timestamptz,
  unique (camera_id, path, size_bytes, modified_ns)
);
create index images_content on images (camera_id, sha256, modified_ns) where sha256 is not null;
create index images_waiting on images (camera_id, taken_at) where status in ('pending', 'deferred');
create index images_by_time on images (camera_id, taken_at desc, image_id desc);
create index images_by_status on images (status, image_id desc);

create table batches (
  batch_id uuid primary key default gen_random_uuid(),
  camera_id text not null references cameras (camera_id),
  status text not null default 'open' check (status in ('open', 'closed')),
  started_at timestamptz not null,
  last_detection_at timestamptz not null,
  due_at timestamptz not null,
  detection_count integer not null default 0,
  opened_at timestamptz not null,
  -- when its last detection was stored, by the wall clock: a backlog's own times lie in the past
  joined_at timestamptz not null,
  closed_at timestamptz,
  close_reason text check (close_reason in ('window', 'idle', 'full'))
);
create index batches_open on batches (camera_id, started_at) where status = 'open';

create table events (
  event_id bigint generated always as identity primary key,
  batch_id text unique,
  camera_id text not null references cameras (camera_id),
  started_at timestamptz not null,
  ended_at timestamptz not null,
  risk_score smallint check (risk_score between 0 and 100),
  risk_level text check (risk_level in ('low', 'medium', 'high', 'critical')),
  summary text not null default '',
  reasoning text not null default '',
  risk_factors jsonb not null default '[]',
  analysis_status text not null default 'pending' check (analysis_status in ('pending', 'completed', 'failed')),
  analyzed_by text,
  reviewed boolean not null default false,
  notes text not null default '',
  detection_count integer not null default 0,
  object_types text[] not null default '{}',
  cover_detection_id bigint,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now(),
  deleted_at timestamptz
);
create index events_by_time on events (started_at desc, event_id desc) where deleted_at is null;
create index events_by_camera on events (camera_id, started_at desc, event_id desc) where deleted_at is null;
create index events_by_level on events (risk_level, started_at desc, event_id desc) where deleted_at is null;
create index events_by_type on events using gin (object_types) where deleted_at is null;
create index events_by_review on events (reviewed, started_at desc, event_id desc) where deleted_at is null;

create table detections (
  detection_id bigint generated always as identity primary key,
  camera_id text not null references cameras (camera_id),
  image_id bigint references images (image_id),
  batch_id uuid references batches (batch_id),
  event_id bigint references events (event_id),
  file_path text not null,
  file_type text,
  video_offset_seconds real,
  detected_at timestamptz not null,
  object_type text not null,
  confidence double precision not null check (confidence between 0 and 1),
  bbox_x integer,
  bbox_y integer,
  bbox_width integer,
  bbox_height integer,
  thumbnail_path text,
  enrichment jsonb,
  created_at timestamptz not null default now()
);
create index detections_by_time on detections (detected_at desc, detection_id desc);
create index detections_by_camera on detections (camera_id, detected_at desc, detection_id desc);
create index detections_by_type on detections (object_type, detected_at desc, detection_id desc);
create index detections_by_event on detections (event_id, detected_at, detection_id);
create index detections_by_batch on detections (batch_id) where event_id is null;
create index detections_by_image on detections (image_id);

-- What the analysis worker tried for an event, one row per attempt.
create table analysis_attempts (
  event_id bigint not null references events (event_id),
  attempt integer not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  outcome text not null check (outcome in ('completed', 'unreadable', 'unavailable', 'rejected')),
  analyzed_by text,
  error text,
  answer text,
  primary key (event_id, attempt)
);

-- The queues. A job points to the row it is about; a handler claims it, and deletes it in the transaction that does the work.
create table jobs (
  job_id bigint generated always as identity primary key,
  queue text not null,
  subject text not null,
  priority smallint not null default 0,
  position timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'running', 'dead')),
  available_at timestamptz not null,
  offered_at timestamptz,
  attempts integer not null default 0,
  deferrals integer not null default 0,
  claimed_by uuid,
  lease_until timestamptz,
  last_error text,
  created_at timestamptz not null default now(),
  unique (queue, subject)
);
create index jobs_pending on jobs (queue, priority, position, job_id) where status = 'pending';
create index jobs_running on jobs (lease_until) where status = 'running';
create index jobs_dead on jobs (queue, job_id) where status = 'dead';

-- Who is alive, so that what a dead process had claimed is freed at once.
create table processes (
  process_id uuid primary key,
  host text not null,
  pid integer not null,
  version text not null,
  started_at timestamptz not null,
  heartbeat_at timestamptz not null
);

-- Every change a client may hear of. Rows commit with their cause; the publisher numbers them afterwards, without holes.
create table journal (
  journal_id bigint generated always as identity primary key,
  sequence bigint unique,
  type text not null,
  data jsonb not null,
  created_at timestamptz not null
);
create index journal_unnumbered on journal (journal_id) where sequence is null;

create table journal_head (
  only_row boolean primary key default true check (only_row),
  last_sequence bigint not null
);
insert into journal_head (last_sequence) values (0);

-- Gives the oldest committed entries their numbers and returns them in order. The head is locked, so that one process at a time does it. It is
-- one statement for the caller, so that no process can stall between the lock and the commit; and each statement in here has a snapshot of its
-- own, so that what another process numbered while this one waited is seen as numbered. With nothing to do nothing is written.
create function number_journal(at_most integer)
returns table (sequence bigint, type text, data text, created_at timestamptz) language plpgsql as $$
declare
  head bigint;
  numbered bigint;
begin
  if not exists (select from journal j where j.sequence is null) then
    return;
  end if;
  select h.last_sequence into head from journal_head h for update;
  return query
    with waiting as (
      select j.journal_id, head + row_number() over (order by j.journal_id) as number
      from journal j
      where j.sequence is null
      order by j.journal_id
      limit at_most
    ), done as (
      update journal j set sequence = w.number
      from waiting w
      where j.journal_id = w.journal_id
      returning w.number, j.type, j.data, j.created_at
    )
    select n.number, n.type, n.data::text, n.created_at
    from done n
    order by n.number;
  get diagnostics numbered = row_count;
  if numbered > 0 then
    update journal_head h set last_sequence = head + numbered;
    perform pg_notify('homesec_journal', (head + numbered)::text);
  end if;
end $$;

-- Values changed at run time (PATCH /api/system/config); they beat environment and file.
create table settings (
  key text primary key,
  value jsonb not null,
  updated_at timestamptz not null default now()
);

-- Exact totals of unfiltered lists, kept in the transaction of each change.
create table totals (
  kind text not null check (kind in ('detections', 'events')),
  camera_id text not null references cameras (camera_id),
  count bigint not null,
  primary key (kind, camera_id)
);

create function count_new_detections() returns trigger language plpgsql as $$
begin
  insert into totals (kind, camera_id, count)
  select 'detections', n.camera_id, count(*) from new_rows n group by n.camera_id order by n.camera_id
  on conflict (kind, camera_id) do update set count = totals.count + excluded.count;
  return null;
end $$;
create trigger detections_counted_in after insert on detections
  referencing new table as new_rows for each statement execute function count_new_detections();

create function count_gone_detections() returns trigger language plpgsql as $$
begin
  update totals t set count = t.count - o.n
  from (select camera_id, count(*) as n from old_rows group by camera_id order by camera_id) o
  where t.kind = 'detections' and t.camera_id = o.camera_id;
  return null;
end $$;
create trigger detections_counted_out after delete on detections
  referencing old table as old_rows for each statement execute function count_gone_detections();

-- Only events that are not soft-deleted count.
create function count_new_events() returns trigger language plpgsql as $$
begin
  insert into totals (kind, camera_id, count)
  select 'events', n.camera_id, count(*) from new_rows n where n.deleted_at is null group by n.camera_id order by n.camera_id
  on conflict (kind, camera_id) do update set count = totals.count + excluded.count;
  return null;
end $$;
create trigger events_counted_in after insert on events
  referencing new table as new_rows for each statement execute function count_new_events();

create function count_changed_events() returns trigger language plpgsql as $$
begin
  insert into totals (kind, camera_id, count)
  select 'events', n.camera_id,
    count(*) filter (where n.deleted_at is null and o.deleted_at is not null)
      - count(*) filter (where n.deleted_at is not null and o.deleted_at is null)
  from new_rows n join old_rows o using (event_id)
  where (n.deleted_at is null) <> (o.deleted_at is null)
  group by n.camera_id order by n.camera_id
  on conflict (kind, camera_id) do update set count = totals.count + excluded.count;
  return null;
end $$;
create trigger events_counted_changed after update on events
  referencing new table as new_rows old table as old_rows for each statement execute function count_changed_events();

create function count_gone_events() returns trigger language plpgsql as $$
begin
  update totals t set count = t.count - o.n
  from (select camera_id, count(*) as n from old_rows where deleted_at is null group by camera_id order by camera_id) o
  where t.kind = 'events' and t.camera_id = o.camera_id;
  return null;
end $$;
create trigger events_counted_out after delete on events
  referencing old table as old_rows for each statement execute function count_gone_events();
