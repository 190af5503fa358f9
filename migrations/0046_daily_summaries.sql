-- A message about each day. `content` is null if none was sent: the time was over when the summary
-- was first set up, or the summary was switched off.
create table daily_summaries (
  -- the local day on which it is sent
  day date primary key,
  due_at timestamptz not null,
  content jsonb,
  created_at timestamptz not null
);

alter table notifications
  add column summary_day date references daily_summaries (day) on delete cascade,
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in ('alert', 'digest', 'end', 'silence', 'update', 'summary')),
  drop constraint notifications_about,
  add constraint notifications_about check (
    (kind = 'silence') = (silence_id is not null)
    and (kind = 'summary') = (summary_day is not null)
    and (kind in ('silence', 'summary')) = (alert_id is null)
  ),
  add constraint notifications_of_summaries unique (summary_day, channel);
