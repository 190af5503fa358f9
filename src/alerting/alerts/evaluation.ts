import { randomUUID } from "node:crypto";
import { type EvaluationTrigger, eventDeleted } from "../../monitoring/events/evaluation-repository.ts";
import { riskBand } from "../../monitoring/events/risk.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { emit } from "../../work/outbox/outbox.ts";
import { type Delivery, expiryOf } from "../notifications/delivery.ts";
import { queueNotifications } from "../notifications/queue.ts";
import { dedupKey } from "../rules/dedup-key.ts";
import { evaluate } from "../rules/evaluate.ts";
import { ruleFacts } from "../rules/facts-repository.ts";
import type { Rule, RuleFacts, RuleVerdict } from "../rules/rule.ts";
import { enabledRules } from "../rules/rules-repository.ts";
import { type HoldingSilence, lockHolding, noteSilenced, type SilencedAlert } from "../silences/hiding-repository.ts";
import { silenceFor } from "../silences/silence.ts";
import { type Alert, reasonPending } from "./alert.ts";
import { updateProgress } from "./alerts-repository.ts";
import { type Cooldown, cooldownOf, raiseUnlessHeldBack } from "./cooldowns-repository.ts";
import { awaitDigest } from "./digests-repository.ts";
import { heldBackIncidents } from "./held-back-incidents.ts";
import { inOrder, type Match } from "./order.ts";
import { type EarlierVerdict, earlierVerdicts, lockLevelOf, type StoredVerdict, storeVerdicts } from "./verdicts-repository.ts";

/** What is to be looked at, and when. */
export interface Evaluation {
  readonly eventId: number;
  readonly trigger: EvaluationTrigger;
  readonly delivery: Delivery;
  readonly now: Date;
}

/** What the rules said of an event. */
export interface Evaluated {
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly verdicts: readonly StoredVerdict[];
}

/** What is known of the event while its rules are gone through. */
interface Subject extends Evaluation {
  readonly facts: RuleFacts;
  readonly band: number;
}

/**
 * Has the rules that this trigger is for judge an event, and stores one verdict for each: raised, held back by an earlier
 * alert or by a silence, or not matched. Raises what is to be raised, in the caller's transaction. A rule that raised an alert for this
 * event before is done with it. An event that is gone gets nothing: undefined.
 */
export async function evaluateEvent(sql: Sql, evaluation: Evaluation): Promise<Evaluated | undefined> {
  const { eventId, trigger, now } = evaluation;
  // sent together: what follows the lock is begun, and sees what is committed, only when the lock is there
  const [event, stored, earlier, rules, heldBack] = await Promise.all([
    lockLevelOf(sql, eventId),
    ruleFacts(sql, eventId),
    earlierVerdicts(sql, eventId),
    enabledRules(sql),
    trigger === "held_back" ? heldBackIncidents(sql, now, eventId) : [],
  ]);
  if (!event || !stored) return undefined;
  // what is over by now, or was deleted, stays held back
  if (trigger === "held_back" && heldBack.length === 0) return undefined;
  // what lasts is told when the rule wants to hear of it
  const facts = trigger === "held_back" ? { ...stored, storedAt: now } : stored;
  const subject: Subject = { ...evaluation, facts, band: riskBand(event.level) };
  const atOnce = rules.filter((rule) => rule.risk_threshold === null);
  const waiting = rules.filter((rule) => rule.risk_threshold !== null);
  // a threshold that was taken away meanwhile: at the time for rules without one this rule had one
  const isChanged = (rule: Rule) => !earlier.has(rule.id) && rule.created_at <= event.createdAt && rule.updated_at > event.createdAt;
  const due = {
    stored: () => atOnce,
    scored: () => [...waiting, ...atOnce.filter((rule) => mayEscalate(subject, rule, earlier.get(rule.id)) || isChanged(rule))],
    failed: () => atOnce.filter(isChanged),
    restored: () => rules.filter(({ id }) => earlier.get(id)?.onDeleted),
    held_back: () => atOnce.filter(({ id }) => heldBack.some(({ ruleId }) => ruleId === id)),
  }[trigger]();
  const open = due.filter(({ id }) => earlier.get(id)?.outcome !== "raised");

  const verdicts: StoredVerdict[] = [];
  const matches: Match[] = [];
  for (const rule of open) {
    const verdict = facts.deleted ? verdictOnDeleted[facts.deleted] : evaluate(rule, facts);
    if (verdict.matches) matches.push({ rule, verdict, key: keyOf(rule, facts, verdict) });
    else verdicts.push({ ...verdictOf(rule, verdict), outcome: "not_matched" });
  }
  // before any cooldown, since that is the order of locks; a silence stands above a cooldown, and begins none
  const ruleIds = matches.map(({ rule }) => rule.id);
  const silences = matches.length > 0 ? await lockHolding(sql, { cameraId: facts.cameraId, ruleIds }, now) : [];
  const hidden: Hidden[] = [];
  for (const match of inOrder(matches)) {
    const silence = silenceFor(silences, { cameraId: facts.cameraId, ruleId: match.rule.id });
    if (silence) hidden.push({ match, silence });
    else {
      const verdict = await raise(sql, subject, match);
      if (verdict) verdicts.push(verdict);
    }
  }
  await noteSilenced(sql, eventId, hidden.map(silencedAlertOf), now);
  verdicts.push(...hidden.map(silencedVerdictOf));
  await storeVerdicts(sql, eventId, verdicts, now);
  return { batchId: event.batchId, cameraId: facts.cameraId, verdicts };
}

/** What was held back before its score was known may be worse than what was alerted; when it is not, it stays held back, though the cooldown be over by now. */
function mayEscalate({ band }: Subject, { escalate }: Rule, before: EarlierVerdict | undefined): boolean {
  if (!escalate || before?.outcome !== "suppressed") return false;
  return before.heldBackBy === null || band > riskBand(before.alertedLevel);
}

/** A match that would have raised an alert, or met a cooldown, and the silence that hides it. */
interface Hidden {
  readonly match: Match;
  readonly silence: HoldingSilence;
}

function silencedAlertOf({ match: { rule }, silence }: Hidden): SilencedAlert {
  return { silenceId: silence.id, ruleId: rule.id, ruleName: rule.name, channels: rule.channels ?? [] };
}

function silencedVerdictOf({ match: { rule, verdict }, silence }: Hidden): StoredVerdict {
  return {
    ...verdictOf(rule, verdict),
    outcome: "suppressed",
    suppressed_until: silence.ends_at,
    silence_id: silence.id,
    silence_reason: silence.reason,
  };
}

const unmatched = (reason: string): RuleVerdict => ({
  matches: false,
  matchedConditions: [],
  failedConditions: [reason],
  objectType: null,
});

/** A camera that is deleted is to alert no more, also of what waits. */
const verdictOnDeleted = {
  event: unmatched(eventDeleted),
  camera: unmatched("the camera was deleted before the rule looked at it"),
};

function keyOf(rule: Rule, facts: RuleFacts, { objectType }: RuleVerdict): string {
  return dedupKey(rule.dedup_key_template, {
    camera_id: facts.cameraId,
    rule_id: rule.id,
    object_type: objectType,
    severity: rule.severity,
  });
}

/** Raises an alert or notes what holds it back. Undefined: the rule was deleted or disabled meanwhile. */
async function raise(sql: Sql, subject: Subject, { rule, verdict, key }: Match): Promise<StoredVerdict | undefined> {
  const channels = rule.channels ?? [];
  const result = await raiseUnlessHeldBack(
    sql,
    {
      id: randomUUID(),
      eventId: subject.eventId,
      cameraId: subject.facts.cameraId,
      band: subject.band,
      rule,
      dedupKey: key,
      status: channels.length === 0 ? "delivered" : "pending",
      metadata: { rule_name: rule.name, matched_conditions: [...verdict.matchedConditions], channels: [], reason: null },
    },
    subject.now,
  );
  if (result.kind === "rule_gone") return undefined;
  if (result.kind === "raised") {
    await announce(sql, subject, result.alert, rule);
    return { ...verdictOf(rule, verdict), outcome: "raised", alert_id: result.alert.id };
  }
  const cooldown = await cooldownOf(sql, key);
  if (!cooldown) throw new Error(`nothing holds back alerts under the key ${key}`);
  await noteForDigest(sql, rule, cooldown);
  return { ...verdictOf(rule, verdict), outcome: "suppressed", suppressed_by: cooldown.alertId, suppressed_until: cooldown.endsAt };
}

/** What is held back is told of later, when the rule says so and there is a way to. */
async function noteForDigest(sql: Sql, rule: Rule, { alertId, endsAt }: Cooldown): Promise<void> {
  if (!rule.digest || !rule.channels || rule.channels.length === 0) return;
  await awaitDigest(sql, { alertId, dueAt: endsAt, channels: rule.channels });
}

/** Tells everybody of a new alert: clients, webhooks, and people through the channels of the rule. */
async function announce(sql: Sql, { delivery, now }: Subject, created: Alert, rule: Rule): Promise<void> {
  let alert = created;
  if (rule.channels && rule.channels.length > 0) {
    const order = { alertId: created.id, kind: "alert", channels: rule.channels, expiresAt: expiryOf(delivery, now) } as const;
    const channels = await queueNotifications(sql, order, delivery.availability, now);
    alert = (await updateProgress(sql, created.id, { status: "pending", channels, reason: reasonPending(channels) }, now)) ?? created;
  }
  await appendToJournal(sql, [{ type: "alert_created", data: { ...alert, status: "pending", delivered_at: null } }], now);
  if (alert.status === "delivered") await appendToJournal(sql, [{ type: "alert_delivered", data: alert }], now);
  await emit(sql, [{ type: "alert_fired", eventId: alert.id, data: alert }], now);
}

function verdictOf(rule: Rule, verdict: RuleVerdict): Omit<StoredVerdict, "outcome"> {
  return {
    rule_id: rule.id,
    rule_name: rule.name,
    rule_version: rule.version,
    matched_conditions: verdict.matchedConditions,
    failed_conditions: verdict.failedConditions,
    alert_id: null,
    suppressed_by: null,
    suppressed_until: null,
    silence_id: null,
    silence_reason: null,
  };
}
