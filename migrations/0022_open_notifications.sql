-- Health asks which notifications still wait, as often as anyone looks. They are few among all that were ever sent.
create index notifications_open on notifications (channel, created_at) where status = 'waiting' or unreached is not null;
