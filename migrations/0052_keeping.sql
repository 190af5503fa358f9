-- Events that a person pinned: no cleanup deletes them, until they are unpinned.
alter table events
  add column pinned_at timestamptz,
  -- the name of the key or session; null: the client had none
  add column pinned_by text;
create index events_pinned on events (started_at desc, event_id desc) where pinned_at is not null;

-- How long the data of a camera, of a risk level, or of a level at a camera is kept. Null: RETENTION_DAYS.
create table retention_rules (
  rule_id bigint generated always as identity primary key,
  camera_id text references cameras (camera_id),
  risk_level text check (risk_level in ('low', 'medium', 'high', 'critical')),
  event_days integer check (event_days between 1 and 3650),
  original_days integer check (original_days between 1 and 3650),
  thumbnail_days integer check (thumbnail_days between 1 and 3650),
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (camera_id is not null or risk_level is not null),
  check (event_days is not null or original_days is not null or thumbnail_days is not null)
);
create unique index retention_rules_by_scope on retention_rules (coalesce(camera_id, ''), coalesce(risk_level, ''));

-- When the cleanup deleted the file of a picture whose detections stay.
alter table images add column original_deleted_at timestamptz;
