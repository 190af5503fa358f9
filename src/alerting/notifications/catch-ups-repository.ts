import { severities } from "../../contract/constants.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { CatchUpFacts, HeldBackEvent, SilencedAlerts } from "../delivery/message.ts";
import { heldBackColumns } from "./facts-repository.ts";

/** Stores a catch-up message of a recipient, and which alerts it is about. */
export async function insertCatchUp(
  sql: Sql,
  {
    id,
    recipientId,
    recipient,
    alertIds,
  }: { readonly id: string; readonly recipientId: string; readonly recipient: string; readonly alertIds: readonly string[] },
  now: Date,
): Promise<void> {
  await sql`
    insert into catch_ups (catch_up_id, recipient_id, recipient, created_at)
    values (${id}, ${recipientId}, ${recipient}, ${now})
  `;
  await sql`
    update alert_recipients t
    set catch_up_id = ${id}
    where t.recipient_id = ${recipientId}
      and t.alert_id = any (${[...alertIds]}::uuid[])
  `;
}

/** The open alerts of a catch-up message: the facts, their count, and at most `limit` of them, the riskiest ones, by time. */
export interface CatchUp {
  readonly facts: CatchUpFacts;
  readonly heldBack: SilencedAlerts;
}

/** Reads a catch-up message. Undefined if it was deleted, or if no alert of it is open any more. */
export async function findCatchUp(sql: Sql, catchUpId: string, limit: number): Promise<CatchUp | undefined> {
  const rows = await sql<(Row & HeldBackEvent & { ruleName: string })[]>`
    select ${heldBackColumns(sql)}, a.rule_name as "ruleName", a.severity, a.created_at as "raisedAt", u.recipient, u.created_at as "createdAt"
    from catch_ups u
    join alert_recipients t on t.catch_up_id = u.catch_up_id
    join alerts a on a.alert_id = t.alert_id
    join events e on e.event_id = a.event_id
    join cameras c on c.camera_id = a.camera_id
    where u.catch_up_id = ${catchUpId}
      and a.status in ('pending', 'delivered')
      and e.deleted_at is null
    order by array_position(${[...severities]}::text[], a.severity) desc, e.risk_score desc nulls last, e.started_at, a.alert_id
  `;
  const [first] = rows;
  if (!first) return undefined;
  const byTime = (one: HeldBackEvent, other: HeldBackEvent): number => one.startedAt.getTime() - other.startedAt.getTime();
  return {
    facts: {
      ...{ catchUpId, recipient: first.recipient, severity: first.severity, until: first.createdAt },
      since: new Date(Math.min(...rows.map(({ raisedAt }) => raisedAt.getTime()))),
      cameras: [...new Set(rows.toSorted(byTime).map(({ cameraName }) => cameraName))],
    },
    heldBack: { count: rows.length, events: rows.slice(0, limit).toSorted(byTime) },
  };
}

interface Row {
  readonly severity: CatchUpFacts["severity"];
  readonly raisedAt: Date;
  readonly recipient: string;
  readonly createdAt: Date;
}

/** The alerts of a catch-up message, in the order of their ids. */
export async function alertsOfCatchUp(sql: Sql, catchUpId: string): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select t.alert_id as id
    from alert_recipients t
    where t.catch_up_id = ${catchUpId}
    order by t.alert_id
  `;
  return rows.map(({ id }) => id);
}

/** Whether a catch-up message about an alert was sent. */
export async function isCaughtUp(sql: Sql, alertId: string): Promise<boolean> {
  const rows = await sql`
    select
    from alert_recipients t
    join notifications n on n.catch_up_id = t.catch_up_id
    where t.alert_id = ${alertId}
      and n.status = 'sent'
    limit 1
  `;
  return rows.length > 0;
}

/** Deletes catch-up messages from before a time, with their notifications. */
export async function deleteCatchUps(sql: Sql, before: Date): Promise<void> {
  await sql`
    delete from catch_ups u
    where u.created_at < ${before}
      and not exists (select from notifications n where n.catch_up_id = u.catch_up_id and n.finished_at is null)
  `;
}
