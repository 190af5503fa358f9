-- Paths below this folder, the CAMERA_ROOT of the first daemon, are stored relative to it (src/platform/database/stored-paths.ts). That
-- daemon names it when it starts, and shortens the paths from before.
create table camera_root (
  only_row boolean primary key default true check (only_row),
  path text not null
);

-- Relative paths of before are those that clients gave; they are marked.
update detections d set file_path = './' || d.file_path where not starts_with(d.file_path, '/');
