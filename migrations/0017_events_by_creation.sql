-- The nightly export asks for what was stored since the last one, and that can have happened long before.
create index events_by_creation on events (created_at) where deleted_at is null;
