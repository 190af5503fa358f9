-- Modes of the home: a rule alerts only in the modes that it names.
-- Modes of the user, and changes to the built-in ones (home, away, night, off), which otherwise have no row.
create table modes (
  mode text primary key check (char_length(mode) between 1 and 32),
  exit_delay_seconds integer not null check (exit_delay_seconds between 0 and 3600),
  entry_delay_seconds integer not null check (entry_delay_seconds between 0 and 600),
  schedule jsonb,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- The mode now: one row for all daemons, from the first switch on. A switch locks it.
create table mode_state (
  only_row boolean primary key default true check (only_row),
  mode text not null default 'home',
  -- null: since the installation
  since timestamptz,
  -- the key or session of the person; null without one, and for a schedule
  set_by text,
  source text,
  -- the switch whose exit delay is running
  pending_mode text,
  pending_at timestamptz,
  pending_since timestamptz,
  pending_by text,
  -- the mode that the schedules asked for when they were last read, so that each start and end of a window counts once
  scheduled_mode text,
  check ((pending_mode is null) = (pending_at is null) and (pending_mode is null) = (pending_since is null))
);

-- Every switch, at the time when it took effect: events count for the mode in which they began.
create table mode_switches (
  switch_id bigint generated always as identity primary key,
  mode text not null,
  previous_mode text not null,
  requested_at timestamptz not null,
  switched_at timestamptz not null,
  set_by text,
  source text
);
create index mode_switches_by_time on mode_switches (switched_at desc, switch_id desc);

-- Null: in every mode except off.
alter table rules add column modes text[];
update rule_versions v set definition = v.definition || '{"modes": null}';

-- An alert whose messages wait for the entry delay, and the channels that they go to then.
alter table alerts add column held_until timestamptz, add column held_channels text[];
create index alerts_held on alerts (held_until) where held_until is not null and status = 'pending';
