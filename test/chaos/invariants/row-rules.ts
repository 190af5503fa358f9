import type { Sql } from "../../../src/platform/database/database.ts";

/** Counts inconsistent rows, in words; empty if the rows are consistent. */
export async function wrongRows(sql: Sql): Promise<readonly string[]> {
  const counted = await Promise.all([ofPictures(sql), ofEvents(sql), ofAlerts(sql), ofMessages(sql), ofJournalAndJobs(sql)]);
  return counted.flatMap((part) =>
    Object.entries(part)
      .filter(([, n]) => n !== 0)
      .map(([what, n]) => `${n} x ${what}`),
  );
}

type Counts = Readonly<Record<string, number>>;

async function ofPictures(sql: Sql): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    select
      (select count(*) from images i where i.status in ('pending', 'deferred')) as "a picture without an outcome",
      (select count(*) from images i where i.status = 'failed') as "a picture that failed",
      (select count(*) from images i where i.status = 'skipped' and i.reason is null) as "a picture skipped without a reason",
      (
        select count(*)
        from images i
        left join (select d.image_id, count(*) as n from detections d group by d.image_id) d using (image_id)
        where i.detection_count <> coalesce(d.n, 0)
      ) as "a picture whose detections were lost or doubled",
      (
        (select count(*) from detections d)
        - (select coalesce(sum(d.count), 0) from detection_days d)
        - (select coalesce(sum(c.count), 0) from detection_changes c)
      )::bigint as "a detection more or less than the statistics say"
  `;
  return row;
}

async function ofEvents(sql: Sql): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    select
      (select count(*) from batches b where b.status = 'open') as "an open batch",
      (
        select count(*)
        from batches b
        where (select count(*) from events e where e.batch_id = b.batch_id::text) <> 1
      ) as "a batch without exactly one event",
      (select count(*) from detections d where d.event_id is null) as "a detection without an event",
      (select count(*) from events e where e.ongoing) as "an event whose visit does not end",
      (
        select count(*)
        from events e
        left join (select d.event_id, count(*) as n from detections d group by d.event_id) d using (event_id)
        where e.kind = 'event' and e.detection_count <> coalesce(d.n, 0)
      ) as "an event whose detections do not add up",
      (select count(*) from events e where e.kind = 'event' and e.analysis_status = 'pending') as "an event without a judgement",
      (
        select count(*)
        from events e
        left join (select j.data ->> 'id' as id, count(*) as n from journal j where j.type = 'event' group by 1) t
          on t.id = e.event_id::text
        where e.kind = 'event' and coalesce(t.n, 0) <> 1
      ) as "an event that was not told once"
  `;
  return row;
}

async function ofAlerts(sql: Sql): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    with told as (
      select j.data ->> 'id' as id, count(*) filter (where j.type = 'alert_created') as created,
        count(*) filter (where j.type = 'alert_delivered') as delivered
      from journal j
      where j.type in ('alert_created', 'alert_delivered')
      group by 1
    )
    select
      (
        select count(*)
        from rule_verdicts v
        where v.outcome = 'raised' and not exists (select from alerts a where a.alert_id = v.alert_id and a.event_id = v.event_id)
      ) as "a raised alert that is not there",
      (
        select count(*)
        from alerts a
        where (select count(*) from rule_verdicts v where v.alert_id = a.alert_id and v.outcome = 'raised') <> 1
      ) as "an alert that no verdict raised, or two",
      (
        select count(*) from (select from alerts a group by a.event_id, a.rule_id having count(*) > 1) doubled
      ) as "an event that raised an alert twice",
      (
        select count(*)
        from alerts a
        left join told t on t.id = a.alert_id::text
        where coalesce(t.created, 0) <> 1
      ) as "an alert that was not told once",
      (
        select count(*)
        from alerts a
        left join told t on t.id = a.alert_id::text
        where coalesce(t.delivered, 0) <> (a.delivered_at is not null)::int
      ) as "an alert whose delivery was not told once",
      (
        select count(*)
        from alerts a
        where a.status = 'pending'
          and not exists (
            select from notifications n
            where n.alert_id = a.alert_id and n.kind = 'alert' and n.status in ('failed', 'expired', 'unusable') and n.reason is not null
          )
      ) as "an alert without an end",
      (
        select count(*)
        from alerts a
        where a.status = 'pending'
          and exists (select from notifications n where n.alert_id = a.alert_id and n.kind = 'alert' and n.status = 'sent')
      ) as "an alert that was sent and is pending"
  `;
  return row;
}

async function ofMessages(sql: Sql): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    select
      (select count(*) from notifications n where n.status = 'waiting' or n.unreached is not null) as "a notification that waits",
      (
        select count(*)
        from notifications n
        where n.status in ('failed', 'expired')
          and (
            coalesce(n.reason, '') = ''
            or not exists (select from jobs j where j.subject = 'notification:' || coalesce(n.joined_to, n.notification_id) and j.status = 'dead')
          )
      ) as "a failed notification without reason or dead letter",
      (
        select count(*)
        from notifications n
        join notifications l on l.notification_id = n.joined_to
        where l.joined_to is not null
          or l.channel <> n.channel
          or (select a.event_id from alerts a where a.alert_id = l.alert_id) <> (select a.event_id from alerts a where a.alert_id = n.alert_id)
      ) as "a notification in the message of another event",
      (
        -- an alert during the visit has one update, unless its message was sent after the judgement, or told again by another alert
        select count(*)
        from notifications n
        join alerts a on a.alert_id = n.alert_id
        join events e on e.event_id = a.event_id
        where n.kind = 'alert' and n.status = 'sent'
          and e.risk_score is not null
          and a.created_at < e.closed_at
          and n.finished_at < (
            select min(t.finished_at) from analysis_attempts t
            where t.event_id = e.event_id and t.outcome = 'completed' and t.finished_at >= e.closed_at
          )
          and not exists (
            select from notifications u where u.alert_id = n.alert_id and u.channel = n.channel and u.kind = 'update'
          )
          and not exists (
            select from alerts o join notifications m on m.alert_id = o.alert_id
            where o.event_id = a.event_id and o.created_at >= e.closed_at and m.kind = 'alert' and m.channel = n.channel
          )
      ) as "an immediate alert without its update",
      (
        select count(*)
        from notifications u
        join alerts a on a.alert_id = u.alert_id
        join events e on e.event_id = a.event_id
        where u.kind = 'update'
          and (a.created_at < e.closed_at) is not true
      ) as "an update of an alert that was not immediate",
      (select count(*) from webhook_deliveries d where d.status in ('pending', 'retrying')) as "a delivery that waits",
      (
        select count(*)
        from webhook_deliveries d
        where d.status = 'failed'
          and (
            coalesce(d.error_message, '') = ''
            or not exists (select from jobs j where j.subject = 'delivery:' || d.delivery_id and j.status = 'dead')
          )
      ) as "a failed delivery without reason or dead letter",
      (
        select count(*)
        from webhooks w
        where w.total_deliveries <> (select count(*) from webhook_deliveries d where d.webhook_id = w.webhook_id)
          or w.successful_deliveries
            <> (select count(*) from webhook_deliveries d where d.webhook_id = w.webhook_id and d.status = 'success')
      ) as "a webhook whose counters are wrong",
      (
        select count(*)
        from (
          select from webhook_deliveries d
          where d.event_type = 'event_created' and d.retry_of is null
          group by d.webhook_id, d.event_id
          having count(*) > 1
        ) doubled
      ) as "an event of which a webhook was told twice"
  `;
  return row;
}

async function ofJournalAndJobs(sql: Sql): Promise<Counts> {
  const [row] = await sql<[Counts]>`
    select
      (select count(*) from journal j where j.sequence is null) as "an entry of the journal without a number",
      (select coalesce(max(j.sequence) - min(j.sequence) + 1, 0) - count(*) from journal j where j.sequence is not null)
        as "a hole in the sequence",
      (select h.last_sequence - coalesce(max(j.sequence), 0) from journal_head h left join journal j on true group by h.last_sequence)
        as "a number that was given to nothing",
      (select count(*) from jobs j where j.status <> 'dead') as "a job that is not done",
      (select count(*) from jobs j where j.status = 'dead' and coalesce(j.last_error, '') = '') as "a dead letter without a reason"
  `;
  return row;
}
