import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Home } from "./home.ts";

/** Number of pending things: pictures without an outcome, jobs, messages. Undefined while the database is away. */
export async function unfinished(home: Home): Promise<number | undefined> {
  return await home
    .query(async (sql) => {
      const [row] = await sql<[{ n: number }]>`
        select (greatest(0, ${home.uploaded.length} - (select count(*) from images i))
          + (select count(*) from images i where i.status in ('pending', 'deferred'))
          + (select count(*) from batches b where b.status = 'open')
          + (select count(*) from events e where e.kind = 'event' and e.analysis_status = 'pending')
          + (select count(*) from notifications n where n.status = 'waiting' or n.unreached is not null)
          + (select count(*) from webhook_deliveries d where d.status in ('pending', 'retrying'))
          + (select count(*) from journal j where j.sequence is null)
          + (select count(*) from jobs j where j.status <> 'dead'))::int as n`;
      return row.n;
    })
    .catch(() => undefined);
}

/** Describes inconsistencies after all work is done; empty if pictures, rows, messages and files agree. */
export async function disagreements(home: Home): Promise<readonly string[]> {
  const found: string[] = [];
  const expect = (what: string, actual: unknown, wanted: unknown): void => {
    if (JSON.stringify(actual) !== JSON.stringify(wanted)) found.push(`${what}: ${JSON.stringify(actual)}, not ${JSON.stringify(wanted)}`);
  };
  const uploaded = home.uploaded.length;
  await home.query(async (sql) => {
    const outcomes = await sql<{ outcome: string; n: number }[]>`
      select i.status || coalesce(' ' || i.reason, '') as outcome, count(*)::int as n from images i group by 1 order by 1`;
    expect("outcomes of the pictures", [...outcomes], [{ outcome: "processed", n: uploaded }]);

    const [rows] = await sql<[Record<string, number>]>`
      select
        (select count(distinct i.path) from images i)::int as paths,
        (select count(*) from detections d)::int as detections,
        (select count(distinct d.image_id) from detections d)::int as pictures_with_detections,
        (select count(*) from detections d where not exists (select from events e where e.event_id = d.event_id))::int as without_event,
        (select coalesce(sum(e.detection_count), 0) from events e)::int as counted_in_events,
        (select count(*) from events e where e.kind = 'event' and e.risk_score is null)::int as not_judged,
        (select count(*) from (select from events e where e.kind = 'event' group by e.batch_id having count(*) > 1) x)::int as doubled_events,
        (select max(j.sequence) - count(*) from journal j)::int as holes_in_the_sequence,
        (select count(*) from jobs j)::int as jobs
    `;
    expect("rows", rows, {
      ...{ paths: uploaded, detections: uploaded, pictures_with_detections: uploaded, without_event: 0, counted_in_events: uploaded },
      ...{ not_judged: 0, doubled_events: 0, holes_in_the_sequence: 0, jobs: 0 },
    });

    const [alerts] = await sql<[Record<string, number>]>`
      select
        (select count(*) from events e where e.kind = 'event' and (select count(*) from alerts a where a.event_id = e.event_id) <> 1)::int as not_one,
        (select count(*) from alerts a where a.status <> 'delivered')::int as not_delivered,
        (select count(*) from alerts a where (select count(*) from notifications n where n.alert_id = a.alert_id) <> 2)::int as not_two_messages,
        (select count(*) from notifications n where n.status <> 'sent')::int as not_sent,
        (select count(*) from webhook_deliveries d where d.status <> 'success')::int as not_taken
    `;
    expect("alerts and messages", alerts, { not_one: 0, not_delivered: 0, not_two_messages: 0, not_sent: 0, not_taken: 0 });

    const ids = await sql<{ id: string; channel: string }[]>`select n.notification_id as id, n.channel from notifications n`;
    const byMail = new Set(home.mails().map(({ mail }) => /^<notification\.([0-9a-f-]+)@/.exec(mail.headers["message-id"] ?? "")?.[1]));
    const byWebhook = new Set(home.channel.received.map(({ headers }) => headers["webhook-id"]));
    const nowhere = ids.filter(({ id, channel }) => !(channel === "email" ? byMail : byWebhook).has(id));
    expect("messages that never arrived", nowhere, []);
    const messages = await sql<{ id: string }[]>`select d.message_id as id from webhook_deliveries d`;
    const taken = new Set(home.hook.received.map(({ headers }) => headers["webhook-id"]));
    expect("deliveries that never arrived", messages.filter(({ id }) => !taken.has(id)).length, 0);

    const paths = await sql<
      { path: string }[]
    >`select r.path || '/' || i.path as path from images i cross join camera_root r order by i.path`;
    const root = join(home.dataDir, "cameras");
    const entries = await readdir(root, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
    const known = new Set(paths.map(({ path }) => path));
    expect("files without a row", files.filter((file) => !known.has(file)).length, 0);
    expect(
      "rows without a file, but for pictures that were removed",
      known.size - files.length,
      await home.keepNewest(Number.POSITIVE_INFINITY),
    );
  });
  return found;
}
