-- What a camera has seen parked, so that it makes no events: one row per camera, since every picture reads and writes all of it. No row:
-- nothing was parked yet. `memory` is null while it is turned off for the camera.
create table camera_parking (
  camera_id text primary key references cameras,
  enabled boolean not null default true,
  memory jsonb
);

-- Of a detection of something parked, which belongs to no batch: since when it is there, and in how many of the last pictures it was seen.
alter table detections add column parked_since timestamptz, add column parked_seen smallint, add column parked_pictures smallint;
-- Of an event about something parked that left: since when it was there. Null for all other events.
alter table events add column parked_since timestamptz;
