-- Alert silences: what is held back until when, and why; what each of them hid, and that somebody was told of it.

create table silences (
  silence_id uuid primary key,
  -- null: of every camera
  camera_id text references cameras (camera_id),
  -- null: every rule. No reference: the silence stays what it was when the rule is gone
  rule_id uuid,
  -- as the rule was called when the silence began
  rule_name text,
  reason text not null,
  created_at timestamptz not null,
  ends_at timestamptz not null check (ends_at > created_at),
  -- when it ceased to hold back: at `ends_at`, or earlier, when a person ended it
  ended_at timestamptz,
  -- when its end was taken up: what it hid is told from then on
  told_at timestamptz check (told_at is null or ended_at is not null),
  check ((rule_id is null) = (rule_name is null))
);
create index silences_by_time on silences (created_at desc, silence_id desc);
create index silences_untold on silences (ends_at) where told_at is null;

-- What a silence hid: the alerts that rules would have raised, each once.
create table silenced_alerts (
  silence_id uuid not null references silences (silence_id) on delete cascade,
  -- no references: what was hidden still counts when the event or the rule is gone
  event_id bigint not null,
  rule_id uuid not null,
  rule_name text not null,
  -- those of the rule at that moment
  channels text[] not null,
  silenced_at timestamptz not null,
  primary key (silence_id, event_id, rule_id)
);

-- The silence that held an alert back. No reference, and its reason too: the verdict outlives it.
alter table rule_verdicts add column silence_id uuid, add column silence_reason text;

-- The end of a silence is told like a digest, but of no alert.
alter table notifications
  alter column alert_id drop not null,
  add column silence_id uuid references silences (silence_id) on delete cascade,
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in ('alert', 'digest', 'end', 'silence')),
  add constraint notifications_about check ((kind = 'silence') = (silence_id is not null) and (kind = 'silence') = (alert_id is null)),
  add constraint notifications_of_silences unique (silence_id, channel);
