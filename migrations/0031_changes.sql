-- Who changed what: the accepted requests of named keys, sessions and keys of API_KEYS, without their values.
create table changes (
  change_id bigint generated always as identity primary key,
  changed_at timestamptz not null,
  -- no reference to a key: the entry outlives it
  changed_by text not null,
  role text not null check (role in ('owner', 'resident', 'guest')),
  operation text not null,
  -- addresses of the things that changed below /api, such as 'events/12'
  subjects text[] not null,
  -- what the request set; only switches with their value, so that no secret is stored
  fields text[] not null
);
create index changes_by_time on changes (changed_at desc, change_id desc);
create index changes_by_subject on changes using gin (subjects);

-- Who began and ended a silence; null without a named key, and for an end at its time.
alter table rule_verdicts add column silence_by text;
alter table silences add column created_by text, add column ended_by text;
