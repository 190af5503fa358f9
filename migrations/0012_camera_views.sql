-- How a camera usually looks, for each light condition: a small grey picture, as WebP of a few KB.
create table camera_views (
  camera_id text not null references cameras (camera_id),
  light text not null check (light in ('day', 'night', 'infrared')),
  view bytea not null,
  -- how similar the camera's own pictures are to it, exponentially decayed
  similarity double precision not null,
  updated_at timestamptz not null,
  primary key (camera_id, light)
);
-- The new view: what acknowledging adopts, and what tells a further change from this one.
alter table scene_changes add column light text check (light in ('day', 'night', 'infrared')), add column view bytea;
