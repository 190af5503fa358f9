-- Who or what was seen again, the vectors by which it is recognised, and when an event's detections were enriched.

create table entities (
  entity_id uuid primary key default gen_random_uuid(),
  object_type text not null,
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  -- of all times, the deleted ones included
  detection_count bigint not null check (detection_count > 0),
  -- the one that the detector was most certain of; it may be deleted before the entity
  representative_detection_id bigint not null,
  representative_confidence double precision not null,
  created_at timestamptz not null
);
create index entities_by_discovery on entities (created_at desc, entity_id desc);
create index entities_by_type on entities (object_type, created_at desc, entity_id desc);

create table entity_cameras (
  entity_id uuid not null references entities (entity_id) on delete cascade,
  camera_id text not null references cameras (camera_id),
  first_seen_at timestamptz not null,
  last_seen_at timestamptz not null,
  detection_count bigint not null check (detection_count > 0),
  primary key (entity_id, camera_id)
);
create index entity_cameras_by_camera on entity_cameras (camera_id);

-- Vectors of length 1: numbers of four bytes, the lowest byte first. Ids ascend in the order of the commits within a class, since whoever adds one
-- holds the lock of the class: so a process that has read up to an id has missed none.
create table embeddings (
  embedding_id bigint generated always as identity primary key,
  detection_id bigint not null unique references detections (detection_id) on delete cascade,
  entity_id uuid not null references entities (entity_id) on delete cascade,
  object_type text not null,
  -- who made it: vectors of different embedders cannot be compared
  source text not null,
  seen_at timestamptz not null,
  created_at timestamptz not null,
  vector bytea not null
);
create index embeddings_by_type on embeddings (object_type, embedding_id);
create index embeddings_by_age on embeddings (created_at);
create index embeddings_by_entity on embeddings (entity_id);

alter table detections add column entity_id uuid;
create index detections_by_entity on detections (entity_id, detected_at desc, detection_id desc) where entity_id is not null;

-- When the enrichment of all its detections was done; null when it is not, or found nothing.
alter table events add column enriched_at timestamptz;
