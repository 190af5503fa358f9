-- Restores that hold messages back: what was over before the newest one raises no alert and sends no message.
create table restores (
  restored_at timestamptz primary key,
  backup_created_at timestamptz not null,
  -- the machine of the backup and its CAMERA_ROOT, unknown for backups of older versions
  host text,
  camera_root text
);
