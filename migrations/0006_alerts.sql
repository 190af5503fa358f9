-- From an event to a person: rules and their verdicts, alerts, notifications, outbound webhooks, and what monitoring systems report to us.

-- A lane is a place that takes one delivery at a time: a webhook, the mail server. Jobs without one are not held back.
alter table jobs add column lane text;
create unique index jobs_lane_taken on jobs (queue, lane) where status = 'running' and lane is not null;
create index jobs_lanes on jobs (queue, lane, priority, position, job_id) where status = 'pending' and lane is not null;

create table rules (
  rule_id uuid primary key default gen_random_uuid(),
  name text not null check (char_length(name) between 1 and 255),
  enabled boolean not null default true,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  risk_threshold smallint check (risk_threshold between 0 and 100),
  object_types text[],
  camera_ids text[],
  min_confidence double precision check (min_confidence between 0 and 1),
  schedule jsonb,
  dedup_key_template text not null,
  cooldown_seconds integer not null check (cooldown_seconds >= 0),
  channels text[],
  escalate boolean not null default false,
  digest boolean not null default false,
  -- counts its definitions; verdicts name the one they came from
  version integer not null default 1,
  created_at timestamptz not null default now(),
  updated_at timestamptz not null default now()
);
create index rules_by_time on rules (created_at desc, rule_id desc);

-- Every definition that a rule ever had, the present one included: what a rule test compares with, and what explains an old verdict.
create table rule_versions (
  rule_id uuid not null references rules (rule_id) on delete cascade,
  version integer not null,
  definition jsonb not null,
  created_at timestamptz not null,
  primary key (rule_id, version)
);

create table alerts (
  alert_id uuid primary key,
  event_id bigint not null references events (event_id) on delete cascade,
  rule_id uuid references rules (rule_id) on delete set null,
  rule_name text not null,
  camera_id text not null references cameras (camera_id),
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  status text not null default 'pending' check (status in ('pending', 'delivered', 'acknowledged', 'dismissed')),
  dedup_key text not null,
  alert_metadata jsonb not null default '{}',
  created_at timestamptz not null,
  delivered_at timestamptz,
  acknowledged_at timestamptz,
  dismissed_at timestamptz,
  updated_at timestamptz not null
);
create index alerts_by_time on alerts (created_at desc, alert_id desc);
create index alerts_by_event on alerts (event_id);
create index alerts_by_rule on alerts (rule_id, created_at desc, alert_id desc);
create index alerts_by_camera on alerts (camera_id, created_at desc, alert_id desc);
create index alerts_by_status on alerts (status, created_at desc, alert_id desc);

-- What each rule said of each event, once: raised, suppressed by an earlier alert, or which conditions failed.
create table rule_verdicts (
  event_id bigint not null references events (event_id) on delete cascade,
  -- no reference: what a rule said is still true when the rule is gone
  rule_id uuid not null,
  rule_name text not null,
  rule_version integer not null,
  outcome text not null check (outcome in ('raised', 'suppressed', 'not_matched')),
  matched_conditions text[] not null,
  failed_conditions text[] not null,
  alert_id uuid references alerts (alert_id) on delete set null,
  suppressed_by uuid,
  suppressed_until timestamptz,
  evaluated_at timestamptz not null,
  primary key (event_id, rule_id)
);
create index rule_verdicts_by_suppressor on rule_verdicts (suppressed_by) where suppressed_by is not null;
create index rule_verdicts_by_alert on rule_verdicts (alert_id) where alert_id is not null;

-- The newest alert under each dedup key. One statement checks it, takes it over and inserts the alert.
create table cooldowns (
  dedup_key text primary key,
  alert_id uuid not null,
  rule_id uuid not null,
  raised_at timestamptz not null,
  -- the end that held when the alert was raised
  ends_at timestamptz not null,
  -- the band of the alerted event: 0 unscored, 1 low to 4 critical
  band smallint not null
);

-- A digest waits for the end of the cooldown that an alert began, since something was held back under it.
create table digests (
  alert_id uuid primary key references alerts (alert_id) on delete cascade,
  due_at timestamptz not null,
  -- those of the rules whose events were held back
  channels text[] not null,
  closed_at timestamptz
);
create index digests_due on digests (due_at) where closed_at is null;

-- One message through one channel: of an alert, or of the digest of what it held back.
create table notifications (
  notification_id uuid primary key,
  alert_id uuid not null references alerts (alert_id) on delete cascade,
  kind text not null check (kind in ('alert', 'digest')),
  channel text not null check (channel in ('email', 'webhook', 'push')),
  status text not null check (status in ('waiting', 'sent', 'failed', 'expired', 'cancelled', 'unusable')),
  reason text,
  attempt_count integer not null default 0,
  -- recipients of a mail that have not got it yet, where others have or it is not all of them
  unreached text[],
  next_attempt_at timestamptz,
  expires_at timestamptz not null,
  late boolean not null default false,
  created_at timestamptz not null,
  finished_at timestamptz,
  unique (alert_id, kind, channel)
);
create index notifications_waiting on notifications (created_at) where status = 'waiting';

create table notification_attempts (
  notification_id uuid not null references notifications (notification_id) on delete cascade,
  attempt integer not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  outcome text not null check (outcome in ('sent', 'again', 'failed')),
  -- what the other side said: an SMTP reply, an HTTP status, or why it was never reached
  answer text,
  primary key (notification_id, attempt)
);

create table webhooks (
  webhook_id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  url text not null,
  event_types text[] not null,
  integration_type text not null,
  enabled boolean not null default true,
  -- why homesec itself switched it off
  disabled_reason text,
  -- sealed with the key file: nobody reads them in a copy of the database
  sealed_auth bytea,
  sealed_headers bytea,
  sealed_secret bytea not null,
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  payload_template text,
  max_retries smallint not null check (max_retries between 0 and 10),
  retry_delay_seconds integer not null check (retry_delay_seconds between 1 and 3600),
  total_deliveries bigint not null default 0,
  successful_deliveries bigint not null default 0,
  last_delivery_at timestamptz,
  last_delivery_status text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index webhooks_by_time on webhooks (created_at desc, webhook_id desc);

create table webhook_deliveries (
  delivery_id uuid primary key default gen_random_uuid(),
  webhook_id uuid not null references webhooks (webhook_id) on delete cascade,
  event_type text not null,
  event_id text not null,
  data jsonb not null,
  emitted_at timestamptz not null,
  status text not null default 'pending' check (status in ('pending', 'success', 'failed', 'retrying')),
  status_code integer,
  response_time_ms integer,
  error_message text,
  attempt_count integer not null default 0,
  next_retry_at timestamptz,
  created_at timestamptz not null,
  delivered_at timestamptz,
  -- the failed delivery that this one tries again; both carry the same message id
  retry_of uuid,
  message_id uuid not null
);
create index webhook_deliveries_by_webhook on webhook_deliveries (webhook_id, created_at desc, delivery_id desc);
create index webhook_deliveries_by_time on webhook_deliveries (created_at);
create index webhook_deliveries_by_event on webhook_deliveries (event_id);

create table webhook_delivery_attempts (
  delivery_id uuid not null references webhook_deliveries (delivery_id) on delete cascade,
  attempt integer not null,
  started_at timestamptz not null,
  finished_at timestamptz not null,
  status_code integer,
  error text,
  -- the beginning of what was answered
  response text,
  primary key (delivery_id, attempt)
);

-- The overall health that webhooks were last told of, and by which process: one row.
create table reported_health (
  single boolean primary key default true check (single),
  status text not null check (status in ('healthy', 'degraded', 'unhealthy')),
  process_id uuid not null,
  changed_at timestamptz not null
);

-- What an alert manager reported, once per alert and state, however often it repeats itself.
create table received_alerts (
  fingerprint text not null,
  starts_at timestamptz not null,
  status text not null check (status in ('firing', 'resolved')),
  alertname text,
  severity text not null,
  component text not null,
  camera_id text,
  labels jsonb not null,
  annotations jsonb not null,
  ends_at timestamptz,
  generator_url text,
  receiver text not null,
  group_key text not null,
  external_url text not null,
  first_received_at timestamptz not null,
  last_received_at timestamptz not null,
  received_count integer not null default 1,
  primary key (fingerprint, starts_at, status)
);
create index received_alerts_by_time on received_alerts (last_received_at desc);
