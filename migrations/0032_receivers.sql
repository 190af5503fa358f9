-- What cameras need to deliver pictures to homesec's receivers: a login each, and what went wrong with them.

create table camera_logins (
  camera_id text not null references cameras,
  protocol text not null check (protocol in ('ftp', 'mail', 'http')),
  username text not null,
  -- of 80 random bits, which need no salt
  password_sha256 bytea not null,
  created_at timestamptz not null,
  last_connected_at timestamptz,
  last_delivery_at timestamptz,
  file_count bigint not null default 0,
  primary key (camera_id, protocol),
  unique (protocol, username)
);

-- Faults of deliveries, so that a person sees what the camera does wrong. A fault without a camera came with an unknown user name.
create table delivery_faults (
  fault_id bigint generated always as identity primary key,
  occurred_at timestamptz not null,
  protocol text not null,
  camera_id text references cameras,
  username text,
  client text not null,
  message text not null
);
create index delivery_faults_by_time on delivery_faults (occurred_at desc, fault_id desc);
