-- An immediate rule alerts during a visit. Its event then exists before the batch closes, and one more message follows the alert.
alter table rules add column immediate boolean not null default false;

-- `ongoing`: the batch of the event is still open. `closed_at`: when the batch of such an event closed; null for all other events.
alter table events
  add column ongoing boolean not null default false,
  add column closed_at timestamptz;

-- The event of an open batch, if it exists already.
alter table batches add column event_id bigint references events (event_id) on delete set null;
create index batches_by_event on batches (event_id) where event_id is not null;

alter table notifications
  drop constraint notifications_kind_check,
  add constraint notifications_kind_check check (kind in ('alert', 'digest', 'end', 'silence', 'update'));
