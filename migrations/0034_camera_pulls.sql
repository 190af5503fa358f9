-- Cameras whose pictures homesec fetches itself: from which address, how often, and how it goes.

create table camera_pulls (
  camera_id text primary key references cameras,
  -- without user name and password
  url text not null,
  username text,
  sealed_password bytea,
  every_ms integer not null check (every_ms > 0),
  -- a picture has changed if at least this share of it has
  threshold_percent real not null,
  created_at timestamptz not null,
  -- of the settings above; a change starts the pull again
  updated_at timestamptz not null,
  seen_count bigint not null default 0,
  kept_count bigint not null default 0,
  last_picture_at timestamptz,
  -- why no picture comes; null while pictures come
  fault text,
  failing_since timestamptz,
  -- processor time of the last minute, of one core, and the memory of ffmpeg
  cpu_percent real,
  memory_bytes bigint
);

-- The address of a camera gives no pictures.
alter table camera_incidents drop constraint camera_incidents_cause_check;
alter table camera_incidents add constraint camera_incidents_cause_check
  check (cause in ('silent', 'error', 'black', 'frozen', 'clock', 'view', 'unreachable'));
