-- Nobody's wall clock ends a claim: it holds while its process lives and believes in its run. A later claim of the same job has a higher
-- number, so that a run which lost its job cannot end the next one's.
alter table jobs
  add column claims integer not null default 0,
  -- how often its service failed on it while it answered for others
  add column blamed integer not null default 0,
  drop column lease_until;
create index jobs_running on jobs (claimed_by) where status = 'running';
