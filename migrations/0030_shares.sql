-- Addresses that show one event without an account, and sessions that began with a key.

create table shares (
  share_id uuid primary key,
  -- null: the event was deleted for good
  event_id bigint references events (event_id) on delete set null,
  -- of 256 random bits, which need no salt
  secret_sha256 bytea not null unique,
  -- name of the key or session that shared it; null without one
  created_by text,
  created_at timestamptz not null,
  expires_at timestamptz not null check (expires_at > created_at),
  -- when it was revoked
  ended_at timestamptz,
  view_count integer not null default 0,
  last_viewed_at timestamptz
);
create index shares_by_time on shares (created_at desc, share_id desc);
create index shares_by_event on shares (event_id, created_at desc, share_id desc);

-- Identifies the key that a session began with, by a code that only the key file can make: the session ends with that key.
alter table keys add column from_mac bytea check (from_mac is null or kind = 'session');
