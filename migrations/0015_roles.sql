-- Several daemons on one database: what each of them does, what only it does now, and what it says of itself.
alter table processes
  -- the machine as the system calls it, so that a process number means something; null where the system does not say
  add column machine text,
  add column roles text[] not null default '{}',
  -- workers that run in one daemon at a time, and in this one now
  add column singletons text[] not null default '{}',
  -- the session that holds them: while it is there, the daemon lives
  add column session_pid integer,
  add column session_started_at timestamptz,
  -- its stopped workers, breakers and services, for the others to show
  add column report jsonb;
