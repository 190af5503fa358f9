-- Buttons on phones: what people answered to alerts, and up to where the answers of each service were read.
create table answers (
  answer_id bigint generated always as identity primary key,
  alert_id uuid not null references alerts (alert_id) on delete cascade,
  -- the message whose button was pressed
  notification_id uuid not null,
  action text not null check (action in ('acknowledge', 'silence', 'dismiss')),
  answered_at timestamptz not null,
  -- the person and the device, such as 'Anna on Telegram'
  answered_by text not null,
  -- once: a second press changes nothing
  unique (alert_id, action)
);

-- Written in the transaction that stores the effect of an answer, so that no answer is lost or counted twice.
create table answer_sources (
  -- the service and the account, without secrets, such as 'telegram 123456'
  source text primary key,
  -- what the service calls the next answer to read; null: all that it still has
  position text,
  moved_at timestamptz,
  -- why answers cannot be read now, since when, and what to do; null: they can
  fault text,
  failing_since timestamptz,
  -- answers that were ignored: their signature is wrong, or they came from elsewhere
  refused bigint not null default 0
);
