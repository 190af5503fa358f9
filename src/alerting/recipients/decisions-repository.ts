import { advisoryLocks, type Sql } from "../../platform/database/database.ts";
import type { Decision, Told } from "./decision.ts";

/** A decision about a recipient of an alert, and what is due next. */
export interface NewDecision {
  readonly alertId: string;
  readonly recipientId: string;
  readonly recipient: string;
  readonly decision: Decision["kind"];
  readonly reason: string | null;
  /** The next repeat, or the begin of the hours. */
  readonly dueAt: Date | null;
  readonly escalateAt: Date | null;
  /** The recipient who did not acknowledge. */
  readonly escalatedFrom: string | null;
}

/** Stores a decision. Returns whether it is the first one about this recipient and alert: no one is notified twice. */
export async function insertDecision(sql: Sql, given: NewDecision, now: Date): Promise<boolean> {
  const stored = await sql`
    insert into alert_recipients (alert_id, recipient_id, recipient, decision, reason, decided_at, due_at, escalate_at, escalated_from)
    values (${given.alertId}, ${given.recipientId}, ${given.recipient}, ${given.decision}, ${given.reason}, ${now}, ${given.dueAt},
      ${given.escalateAt}, ${given.escalatedFrom})
    on conflict (alert_id, recipient_id) do nothing
  `;
  return stored.count > 0;
}

/** Reads the facts of an alert that a decision depends on. */
export async function factsOfAlert(sql: Sql, alertId: string): Promise<Told | undefined> {
  const [row] = await sql<[Told?]>`
    select a.severity, a.rule_id as "ruleId"
    from alerts a
    where a.alert_id = ${alertId}
  `;
  return row;
}

/**
 * Lets one process follow up at a time, until the transaction ends. Returns whether it is this one. Two recipients may share a channel,
 * which gets a repeat once.
 */
export async function tryToFollowUp(sql: Sql): Promise<boolean> {
  const [row] = await sql<[{ held: boolean }]>`select pg_try_advisory_xact_lock(${advisoryLocks.followUps}) as held`;
  return row.held;
}

/** Returns when something is due next for a recipient of an alert; undefined if nothing is. */
export async function nextFollowUpAt(sql: Sql): Promise<Date | undefined> {
  const [row] = await sql<[{ at: Date | null }]>`
    select least(
      (select min(t.due_at) from alert_recipients t where t.due_at is not null),
      (select min(t.escalate_at) from alert_recipients t where t.escalate_at is not null)
    ) as at
  `;
  return row.at ?? undefined;
}

/** Lists recipients with something due. */
export async function dueRecipients(sql: Sql, now: Date, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select t.recipient_id as id
    from alert_recipients t
    where t.due_at <= ${now}
    union
    select t.recipient_id
    from alert_recipients t
    where t.escalate_at <= ${now}
    limit ${limit}
  `;
  return rows.map(({ id }) => id);
}

/** An alert with something due for a recipient. */
export interface Due extends Told {
  readonly alertId: string;
  readonly decision: Decision["kind"];
  readonly repeats: number;
  readonly isDue: boolean;
  readonly isEscalating: boolean;
  /** No one has acknowledged or dismissed the alert, and its event was not deleted. */
  readonly isOpen: boolean;
}

/**
 * Locks what is due for a recipient, the oldest alert first. Skips what another process has locked, so that it waits for no lock: whoever
 * deletes an alert locks these rows after the alert.
 */
export async function lockDue(sql: Sql, recipientId: string, now: Date, limit: number): Promise<readonly Due[]> {
  return await sql<Due[]>`
    select t.alert_id as "alertId", t.decision, t.repeats, coalesce(t.due_at <= ${now}, false) as "isDue",
      coalesce(t.escalate_at <= ${now}, false) as "isEscalating", a.severity, a.rule_id as "ruleId",
      a.status in ('pending', 'delivered')
        and not exists (select from events e where e.event_id = a.event_id and e.deleted_at is not null) as "isOpen"
    from alert_recipients t
    join alerts a on a.alert_id = t.alert_id
    where t.recipient_id = ${recipientId}
      and (t.due_at <= ${now} or t.escalate_at <= ${now})
    order by t.decided_at, t.alert_id
    limit ${limit}
    for update of t skip locked
    for key share of a skip locked
  `;
}

/** Stores what is due next for a recipient of an alert. An undefined field stays. */
export async function storeNext(
  sql: Sql,
  { alertId, recipientId }: { readonly alertId: string; readonly recipientId: string },
  next: { readonly dueAt?: Date | null; readonly escalateAt?: null; readonly repeats?: number },
): Promise<void> {
  await sql`
    update alert_recipients t
    set due_at = ${next.dueAt === undefined ? sql`t.due_at` : sql`${next.dueAt}::timestamptz`},
      escalate_at = ${next.escalateAt === undefined ? sql`t.escalate_at` : sql`null`},
      repeats = ${next.repeats ?? sql`t.repeats`}
    where t.alert_id = ${alertId}
      and t.recipient_id = ${recipientId}
  `;
}

/** The channels that have a message of a kind and round about an alert. */
export async function channelsWith(
  sql: Sql,
  { alertId, kind, round }: { readonly alertId: string; readonly kind: "alert" | "repeat"; readonly round: number },
): Promise<readonly string[]> {
  const rows = await sql<{ channel: string }[]>`
    select n.channel
    from notifications n
    where n.alert_id = ${alertId}
      and n.kind = ${kind}
      and n.round = ${round}
  `;
  return rows.map(({ channel }) => channel);
}
