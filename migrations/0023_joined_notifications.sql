-- Several rules may match one event: their mails are one message. Each alert keeps its notification; all but the first are joined to it, have
-- no job, and follow its state.
alter table notifications add column joined_to uuid references notifications (notification_id) on delete cascade;
create index notifications_joined on notifications (joined_to) where joined_to is not null;
