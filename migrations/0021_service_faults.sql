-- Earlier versions dropped pictures and events for an answer that was not about them: a wrong key, a moved address, a proxy whose service
-- restarted. Those of the last day are tried again; older ones would raise alerts about the past.
with revived as (
  update jobs
  set status = 'pending', attempts = 0, deferrals = 0, blamed = 0, available_at = now(), offered_at = null, last_error = null
  where status = 'dead'
    and queue in ('detect', 'analyze')
    and created_at > now() - interval '1 day'
    and last_error ~ '^(refused: )?status 4(?!00|08|13|15|22|25|29)\d\d'
  returning queue, subject
), pictures as (
  update images i
  set status = 'pending', reason = null, detail = null, started_at = null, finished_at = null
  from revived r
  where r.queue = 'detect'
    and i.image_id = r.subject::bigint
    and i.status = 'skipped'
)
update events e
set analysis_status = 'pending', updated_at = now()
from revived r
where r.queue = 'analyze'
  and e.event_id = r.subject::bigint
  and e.analysis_status = 'failed';
