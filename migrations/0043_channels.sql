-- Channels to phones: what each one needs, and which notifications go through it.
create table channels (
  channel_id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  kind text not null,
  -- without secrets
  settings jsonb not null,
  -- the secret settings as a JSON object, sealed with the key file; null: none
  sealed_settings bytea,
  enabled boolean not null default true,
  -- the last attempt, and why it failed; null: it succeeded
  last_attempt_at timestamptz,
  last_error text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index channels_by_name on channels (lower(name));

-- `channel` is a neutral name (email, webhook, push), or the name that a channel had when the notification was stored.
alter table notifications
  drop constraint notifications_channel_check,
  -- no reference: it stays true when the channel is removed
  add column channel_id uuid,
  -- what the provider calls the message, such as the id of a chat message
  add column reference text;
create index notifications_of_channels on notifications (channel_id, created_at) where channel_id is not null and status = 'waiting';
