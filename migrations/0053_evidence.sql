-- Evidence packs: the keys that sign them, the packs that were made, and the chain of days.

-- The newest key that the key file opens signs; the public part of earlier ones stays, since packs in other hands carry it.
create table evidence_keys (
  -- Ed25519, 32 bytes
  public_key bytea primary key check (octet_length(public_key) = 32),
  -- sealed with the key file
  sealed_private_key bytea not null,
  created_at timestamptz not null
);

create table evidence_packs (
  pack_id uuid primary key,
  -- no references: what was handed on stays listed when the event and the camera are gone
  event_id bigint not null,
  camera_id text not null,
  -- name of the key or session that asked for it; null without one
  created_by text,
  created_at timestamptz not null,
  -- null: it was cut off, and what had been sent by then is in other hands all the same
  finished_at timestamptz,
  file_count integer not null default 0,
  size_bytes bigint not null default 0,
  -- of the whole file; null unless finished
  sha256 bytea
);
create index evidence_packs_by_time on evidence_packs (created_at desc, pack_id desc);
create index evidence_packs_by_event on evidence_packs (event_id, created_at desc, pack_id desc);

-- One row per day that is over, in UTC. Each hash covers the records of the day and the hash of the day before.
create table evidence_days (
  day date primary key,
  -- by the name of the record: number of rows, and SHA-256 of them
  records jsonb not null,
  previous_hash bytea not null check (octet_length(previous_hash) = 32),
  hash bytea not null check (octet_length(hash) = 32),
  closed_at timestamptz not null,
  -- when the cleanup first deleted records of this day: it can no longer be recomputed
  thinned_at timestamptz
);
