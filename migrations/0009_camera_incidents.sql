-- What is wrong with a camera: one open incident for each cause. Its event is gone when retention deleted it.

create table camera_incidents (
  incident_id bigint generated always as identity primary key,
  camera_id text not null references cameras (camera_id),
  cause text not null check (cause in ('silent', 'error', 'black', 'frozen', 'clock', 'view')),
  event_id bigint references events (event_id) on delete set null,
  reason text not null,
  began_at timestamptz not null,
  opened_at timestamptz not null,
  ended_at timestamptz
);
create unique index camera_incidents_open on camera_incidents (camera_id, cause) where ended_at is null;
create index camera_incidents_by_time on camera_incidents (camera_id, cause, opened_at);
create index camera_incidents_by_event on camera_incidents (event_id);
