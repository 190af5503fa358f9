-- Named areas of a camera's picture, which rules and records refer to.
create table camera_zones (
  camera_id text not null references cameras,
  name text not null,
  -- corners in shares of the picture, as a literal of the type polygon: ((0.1,0.4),(0.5,0.4),(0.5,0.9))
  points text not null,
  -- the camera was moved since then, so the zone may lie elsewhere; null once someone confirmed it
  doubtful_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (camera_id, name)
);
create unique index camera_zones_name on camera_zones (camera_id, lower(name));

-- Conditions on where a detection is and how tall: the height of its box as a share of the picture's.
alter table rules add column zones text[], add column not_zones text[], add column min_size double precision;
