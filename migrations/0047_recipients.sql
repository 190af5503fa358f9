-- People that rules name: how and when each one wants to be notified.
create table recipients (
  recipient_id uuid primary key,
  name text not null check (char_length(name) between 1 and 100),
  -- names of channels to phones, and mail addresses
  channels text[] not null,
  -- a list of schedules as in rules; null: always
  hours jsonb,
  severity text not null check (severity in ('low', 'medium', 'high', 'critical')),
  -- the only rules to hear from; null: all that name the recipient
  rule_ids uuid[],
  critical_anytime boolean not null,
  repeat_minutes integer not null check (repeat_minutes between 1 and 1440),
  repeat_times smallint not null check (repeat_times between 0 and 100),
  escalate_to uuid references recipients (recipient_id) on delete set null,
  escalate_minutes integer not null check (escalate_minutes between 1 and 1440),
  enabled boolean not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index recipients_by_name on recipients (lower(name));

-- One message to a recipient about the alerts that were held back outside of the hours.
create table catch_ups (
  catch_up_id uuid primary key,
  -- no reference: it stays true when the recipient is removed
  recipient_id uuid not null,
  recipient text not null,
  created_at timestamptz not null
);
create index catch_ups_by_time on catch_ups (created_at);

-- The decision about each recipient of an alert, and what is due next for it.
create table alert_recipients (
  alert_id uuid not null references alerts (alert_id) on delete cascade,
  recipient_id uuid not null,
  -- the name at that time
  recipient text not null,
  decision text not null check (decision in ('notified', 'held_back', 'left_out')),
  reason text,
  decided_at timestamptz not null,
  -- the next repeat of a critical alert, or the begin of the hours; null: nothing
  due_at timestamptz,
  repeats smallint not null default 0,
  -- null: no escalation, or it is over
  escalate_at timestamptz,
  -- the recipient who did not acknowledge; null: the rule names this one
  escalated_from text,
  catch_up_id uuid references catch_ups (catch_up_id) on delete set null,
  primary key (alert_id, recipient_id)
);
create index alert_recipients_due on alert_recipients (due_at) where due_at is not null;
create index alert_recipients_escalating on alert_recipients (escalate_at) where escalate_at is not null;
create index alert_recipients_of_catch_ups on alert_recipients (catch_up_id) where catch_up_id is not null;

-- A channel to a mail address is the address itself.
alter table notifications
  -- for whom it is; null: a rule names the channel itself
  add column recipient_id uuid,
  -- counts the repeats of a critical alert
  add column round smallint not null default 0,
  add column catch_up_id uuid references catch_ups (catch_up_id) on delete cascade,
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check
    check (kind in ('alert', 'digest', 'end', 'silence', 'update', 'summary', 'repeat', 'catch_up')),
  drop constraint notifications_about,
  add constraint notifications_about check (
    (kind = 'silence') = (silence_id is not null)
    and (kind = 'summary') = (summary_day is not null)
    and (kind = 'catch_up') = (catch_up_id is not null)
    and (kind in ('silence', 'summary', 'catch_up')) = (alert_id is null)
  ),
  drop constraint notifications_alert_id_kind_channel_key,
  add constraint notifications_of_alerts unique (alert_id, kind, channel, round),
  add constraint notifications_of_catch_ups unique (catch_up_id, channel);
