-- Places where detections of one class are ignored: stored and counted, but not in events and alerts.
create table camera_masks (
  mask_id bigint generated always as identity primary key,
  camera_id text not null references cameras,
  object_type text not null,
  -- the box, in shares of the picture
  box_x double precision not null,
  box_y double precision not null,
  box_width double precision not null,
  box_height double precision not null,
  -- the detection that it was made from
  detection_id bigint,
  hidden_count bigint not null default 0,
  last_hidden_at timestamptz,
  -- the camera was moved since then, so the mask may hide another place; null once someone confirmed it
  doubtful_since timestamptz,
  created_at timestamptz not null
);
create index camera_masks_camera on camera_masks (camera_id);

-- The mask that hid a detection, which then belongs to no batch and no event; it stays when the mask is removed.
alter table detections add column mask_id bigint;
create index detections_hidden on detections (camera_id, detected_at desc) where mask_id is not null;
