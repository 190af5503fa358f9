-- A job that was requested again while it runs runs once more afterwards, because the running one may have read older facts.
alter table jobs add column again boolean not null default false;
