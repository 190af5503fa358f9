-- Named keys with roles, invitations, and the sessions of browsers that accepted one.

create table keys (
  key_id uuid primary key,
  kind text not null check (kind in ('key', 'invitation', 'session')),
  name text not null,
  role text not null check (role in ('owner', 'resident', 'guest')),
  -- null: all cameras
  camera_ids text[] check ((camera_ids is not null) = (role = 'guest')),
  -- of 256 random bits, which need no salt
  secret_sha256 bytea not null unique,
  created_at timestamptz not null,
  -- null: it does not expire
  expires_at timestamptz check (expires_at > created_at),
  -- when it was revoked, or an invitation was accepted
  ended_at timestamptz,
  last_seen_at timestamptz,
  -- the browser of a session, as it describes itself
  device text check (device is null or kind = 'session')
);
create index keys_by_time on keys (created_at desc, key_id desc);
