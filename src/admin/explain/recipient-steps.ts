import { pluralize } from "../../base/text/format.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { AlertFacts } from "./alerts-repository.ts";
import { instant, type Step, sentence } from "./step.ts";

/** The decision about a recipient of an alert, and what followed. */
export interface RecipientFacts {
  readonly alert_id: string;
  readonly recipient: string;
  readonly decision: "notified" | "held_back" | "left_out";
  readonly reason: string | null;
  readonly decided_at: Date;
  readonly due_at: Date | null;
  readonly repeats: number;
  readonly escalate_at: Date | null;
  /** The next recipient. */
  readonly escalates_to: string | null;
  readonly escalated_from: string | null;
  /** When the message about what was held back was queued, and whether a channel has sent it. */
  readonly caught_up_at: Date | null;
  readonly caught_up: boolean;
}

/** The recipients of alerts, in the order of the decisions. */
export async function recipientsOf(sql: Sql, alertIds: readonly string[]): Promise<readonly RecipientFacts[]> {
  return await sql<RecipientFacts[]>`
    select t.alert_id, t.recipient, t.decision, t.reason, t.decided_at, t.due_at, t.repeats, t.escalate_at, n.name as escalates_to,
      t.escalated_from, u.created_at as caught_up_at,
      exists (select from notifications m where m.catch_up_id = t.catch_up_id and m.status = 'sent') as caught_up
    from alert_recipients t
    left join recipients r on r.recipient_id = t.recipient_id
    left join recipients n on n.recipient_id = r.escalate_to
    left join catch_ups u on u.catch_up_id = t.catch_up_id
    where t.alert_id = any (${[...alertIds]}::uuid[])
    order by t.decided_at, t.recipient
  `;
}

/** Step of a recipient: notified, waiting or left out, with the reason, and what is due next. */
export function recipientStep(facts: RecipientFacts, alert: Pick<AlertFacts, "status">): Step {
  const { recipient, decision, reason, decided_at: at, escalated_from: from, ...details } = facts;
  const isOpen = alert.status === "pending" || alert.status === "delivered";
  const because = from === null ? "" : ` because ${from} had not acknowledged the alert`;
  const text = {
    notified: `homesec notified ${recipient}${because}.`,
    held_back: `homesec did not notify ${recipient} at once: ${sentence(reason ?? "outside the hours")}`,
    left_out: `homesec did not notify ${recipient}: ${sentence(reason ?? "not wanted")}`,
  }[decision];
  const isWaiting = isOpen && decision === "held_back" && facts.caught_up_at === null;
  return {
    at,
    step: "recipient",
    status: { notified: "done", held_back: isWaiting ? "waiting" : "done", left_out: "note" }[decision] as Step["status"],
    text: [text, ...followUpTexts(facts, isOpen)].join(" "),
    details: { recipient, decision, reason, escalated_from: from, ...details },
  };
}

function followUpTexts(facts: RecipientFacts, isOpen: boolean): readonly string[] {
  const { decision, repeats, due_at, escalate_at, escalates_to, caught_up_at, caught_up } = facts;
  const texts: string[] = [];
  if (repeats > 0) texts.push(`It repeated the alert ${pluralize(repeats, "time")}.`);
  if (decision === "notified" && due_at && isOpen) texts.push(`It repeats at ${instant(due_at)} unless someone acknowledges it.`);
  if (caught_up_at) texts.push(`A message about what was held back ${caught_up ? "was sent" : "was queued"} at ${instant(caught_up_at)}.`);
  else if (decision === "held_back")
    texts.push(isOpen ? "A message follows when the hours begin." : "The alert was closed first, so no message followed.");
  if (escalate_at && escalates_to && isOpen)
    texts.push(`If no one acknowledges it by ${instant(escalate_at)}, homesec notifies ${escalates_to}.`);
  return texts;
}
