-- A message about an event may wait a few seconds for its judgement: the job names the event, and storing the judgement ends the wait.
alter table jobs add column awaits text;
create index jobs_awaiting on jobs (awaits) where awaits is not null;

-- Messages about an event say what happened. Those that were stored before and may still be sent get the same fields.
update webhook_deliveries d
set data = u.overview || d.data
from (
  select m.delivery_id,
    jsonb_build_object(
      'event_id', m.about,
      'kind', coalesce(e.kind, 'event'),
      'camera_id', m.camera_id,
      'camera_name', coalesce(c.name, m.camera_id),
      'started_at', to_char(coalesce(e.started_at, m.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'ended_at', to_char(coalesce(e.ended_at, m.created_at) at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
      'risk_score', e.risk_score,
      'risk_level', e.risk_level,
      'summary', coalesce(e.summary, ''),
      'object_types', to_jsonb(coalesce(e.object_types, '{}')),
      'object_counts', '{}'::jsonb,
      'thumbnail_url', '/api/detections/' || e.cover_detection_id || '/thumbnail',
      'event_url', '/api/events/' || m.about
    ) as overview
  from (
    select w.delivery_id, w.created_at, w.data ->> 'camera_id' as camera_id,
      case when starts_with(w.event_type, 'alert_') then (w.data ->> 'event_id')::bigint else w.event_id::bigint end as about
    from webhook_deliveries w
    where w.status <> 'success'
      and (starts_with(w.event_type, 'alert_') or starts_with(w.event_type, 'event_') or starts_with(w.event_type, 'batch_'))
  ) m
  left join events e on e.event_id = m.about
  left join cameras c on c.camera_id = m.camera_id
) u
where d.delivery_id = u.delivery_id;
