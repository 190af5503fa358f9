-- Web Push: the key pair by which push services recognise this homesec. Browsers subscribe with its public key.
create table vapid_keys (
  is_only boolean primary key default true check (is_only),
  public_key text not null,
  -- sealed with the key file
  sealed_private_key bytea not null,
  created_at timestamptz not null
);
create unique index channels_by_subscription on channels ((settings ->> 'subscription')) where kind = 'web_push';
