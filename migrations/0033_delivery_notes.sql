-- What cameras say about delivered pictures, such as the subject of a mail: a fact for the language model.

create table delivery_notes (
  camera_id text not null references cameras,
  -- as images.path
  path text not null,
  noted_at timestamptz not null,
  note text not null,
  primary key (camera_id, path)
);
create index delivery_notes_by_time on delivery_notes (noted_at);
