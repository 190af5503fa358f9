import { randomUUID } from "node:crypto";
import { type EvaluationTrigger, eventDeleted } from "../../monitoring/events/evaluation-repository.ts";
import { riskRank } from "../../monitoring/events/event.ts";
import { emitAboutEvents } from "../../monitoring/events/messages.ts";
import type { Sql } from "../../platform/database/database.ts";
import { appendToJournal } from "../../work/journal/journal.ts";
import { expiryOf, type NotificationSettings } from "../channels/availability.ts";
import { webhooksNamedBy } from "../channels/targets.ts";
import { type ModesOfEvent, modesOfEvent } from "../modes/history.ts";
import { keepState } from "../modes/state-repository.ts";
import { evaluate } from "../rules/conditions.ts";
import { ruleFacts } from "../rules/facts-repository.ts";
import { isImmediate } from "../rules/immediate.ts";
import { secondsLate } from "../rules/lateness.ts";
import { dedupKey, type Rule, type RuleFacts, type RuleVerdict } from "../rules/rule.ts";
import { enabledRules } from "../rules/rules-repository.ts";
import { type ActiveSilence, lockActiveSilences, type MutedAlert, storeMutedAlerts } from "../silences/muting-repository.ts";
import { silenceFor } from "../silences/silence.ts";
import { type Alert, reasonPending } from "./alert.ts";
import { updateProgress } from "./alerts-repository.ts";
import { type Cooldown, cooldownOf, raiseUnlessSuppressed } from "./cooldowns-repository.ts";
import { awaitDigest } from "./digests-repository.ts";
import { holdAlert } from "./held-repository.ts";
import { notifyOfAlert } from "./notify.ts";
import { inOrder, type Match } from "./order.ts";
import { suppressedIncidents } from "./suppressed-incidents.ts";
import { type EarlierVerdict, earlierVerdicts, lockLevelOf, type StoredVerdict, storeVerdicts } from "./verdicts-repository.ts";

/** The event to evaluate, the trigger, and the time. */
export interface Evaluation {
  readonly eventId: number;
  readonly trigger: EvaluationTrigger;
  readonly delivery: NotificationSettings;
  readonly now: Date;
}

/** The verdicts of the rules on an event. */
export interface Evaluated {
  readonly eventId: number;
  readonly batchId: string | null;
  readonly cameraId: string;
  readonly verdicts: readonly StoredVerdict[];
}

/** The event with everything that its rules need. */
interface Subject extends Evaluation {
  readonly facts: RuleFacts;
  readonly modes: ModesOfEvent;
  readonly rank: number;
  /** Messages wait until then for the judgement of the event. */
  readonly judgementDueAt: Date | null;
}

/**
 * Evaluates the rules for this trigger and stores one verdict for each: raised, suppressed by an earlier alert or by a silence, or not
 * matched. Raises the alerts in the caller's transaction. A rule that already raised an alert for this event is skipped. Returns
 * undefined for an event that no longer exists.
 */
export async function evaluateEvent(sql: Sql, evaluation: Evaluation): Promise<Evaluated | undefined> {
  const { eventId, trigger, now } = evaluation;
  // Sent together: the statements after the lock run only once the lock is held, and then see everything that was committed before.
  const [event, stored, earlier, rules, heldBack, modes] = await Promise.all([
    lockLevelOf(sql, eventId, now),
    ruleFacts(sql, eventId),
    earlierVerdicts(sql, eventId),
    enabledRules(sql),
    trigger === "held_back" ? suppressedIncidents(sql, now, eventId) : [],
    modesOfEvent(sql, eventId, now),
  ]);
  if (!event || !stored) return undefined;
  // An incident that has ended or was deleted stays suppressed.
  if (trigger === "held_back" && heldBack.length === 0) return undefined;
  // The rule's schedule decides when an open incident is reported. A visit that goes on is stored up to now.
  const facts = { ...stored, ...((trigger === "held_back" || trigger === "visit") && { storedAt: now }), mode: modes.of(stored) };
  const first: Subject = { ...evaluation, facts, modes, rank: riskRank(event.level), judgementDueAt: event.judgementDueAt };
  const atOnce = rules.filter((rule) => rule.risk_threshold === null);
  const waiting = rules.filter((rule) => rule.risk_threshold !== null);
  // The rule lost its threshold meanwhile: when rules without one were evaluated, it still had one.
  const isChanged = (rule: Rule) => !earlier.has(rule.id) && rule.created_at <= event.storedAt && rule.updated_at > event.storedAt;
  const due = {
    visit: () => atOnce.filter(isImmediate),
    stored: () => atOnce,
    scored: () => [...waiting, ...atOnce.filter((rule) => mayEscalate(first, rule, earlier.get(rule.id)) || isChanged(rule))],
    failed: () => atOnce.filter(isChanged),
    restored: () => rules.filter(({ id }) => earlier.get(id)?.onDeleted),
    held_back: () => atOnce.filter(({ id }) => heldBack.some(({ ruleId }) => ruleId === id)),
  }[trigger]();
  // What suppressed a match during the visit holds for all of it; only a score may change that.
  const isDecided = ({ id }: Rule): boolean => {
    const outcome = earlier.get(id)?.outcome;
    return outcome === "raised" || (outcome === "suppressed" && (trigger === "visit" || trigger === "stored"));
  };
  const open = due.filter((rule) => !isDecided(rule));

  const obstacle = stored.deleted ? verdictOnDeleted[stored.deleted] : stored.restoredAt && verdictBeforeRestore(stored.restoredAt);
  const subject = await withFixedMode(sql, first, obstacle ? [] : open);
  const { matches, verdicts } = judged(open, subject.facts, obstacle);
  // Silences come before cooldowns: that is the lock order, and a muted alert starts no cooldown.
  const ruleIds = matches.map(({ rule }) => rule.id);
  const silences = matches.length > 0 ? await lockActiveSilences(sql, { cameraId: facts.cameraId, ruleIds }, now) : [];
  const hidden: Hidden[] = [];
  const alerts: RaisedAlert[] = [];
  for (const match of inOrder(matches)) {
    const silence = silenceFor(silences, { cameraId: facts.cameraId, ruleId: match.rule.id });
    if (silence) hidden.push({ match, silence });
    else {
      const { verdict, alert } = await raise(sql, subject, match);
      if (verdict) verdicts.push(verdict);
      if (alert) alerts.push({ alert, rule: match.rule });
    }
  }
  // After the last cooldown, since joining a mail that waits locks its notification
  for (const raised of alerts) await announce(sql, subject, raised);
  await storeMutedAlerts(sql, eventId, hidden.map(silencedAlertOf), now);
  verdicts.push(...hidden.map(silencedVerdictOf));
  await storeVerdicts(sql, eventId, verdicts, now);
  return { eventId, batchId: event.batchId, cameraId: facts.cameraId, verdicts };
}

/** Evaluates rules. Returns the matches, and the verdicts of the others. */
function judged(
  rules: readonly Rule[],
  facts: RuleFacts,
  obstacle: RuleVerdict | null,
): { readonly matches: readonly Match[]; readonly verdicts: StoredVerdict[] } {
  const matches: Match[] = [];
  const verdicts: StoredVerdict[] = [];
  for (const rule of rules) {
    const verdict = obstacle ?? evaluate(rule, facts);
    if (verdict.matches) matches.push({ rule, verdict, key: keyOf(rule, facts, verdict) });
    else verdicts.push({ ...verdictOf(rule, verdict), outcome: "not_matched" });
  }
  return { matches, verdicts };
}

/**
 * If an alert may wait for the entry delay, keeps the mode from being switched until it is stored: a switch then cancels it. Returns the
 * subject with the current mode.
 */
async function withFixedMode(sql: Sql, subject: Subject, rules: readonly Rule[]): Promise<Subject> {
  const { facts, eventId, now } = subject;
  if (!rules.some((rule) => entryDelayOf(subject, rule) > 0)) return subject;
  await keepState(sql);
  const modes = await modesOfEvent(sql, eventId, now);
  return { ...subject, modes, facts: { ...facts, mode: modes.of(facts) } };
}

/** Returns for how many seconds an alert of a rule waits: only switching to a mode that the rule does not name could cancel it. */
function entryDelayOf({ facts, modes }: Pick<Subject, "facts" | "modes">, rule: Rule): number {
  return facts.kind === "event" && rule.modes?.includes(modes.now.name) ? modes.entryDelaySeconds : 0;
}

/**
 * An event that was suppressed before its score was known may be more severe than the alert. If it is not, it stays suppressed, even if
 * the cooldown has ended.
 */
function mayEscalate({ rank }: Subject, { escalate }: Rule, before: EarlierVerdict | undefined): boolean {
  if (!escalate || before?.outcome !== "suppressed") return false;
  return before.heldBackBy === null || rank > riskRank(before.alertedLevel);
}

/** A match that would have raised an alert or met a cooldown, and the silence that mutes it. */
interface Hidden {
  readonly match: Match;
  readonly silence: ActiveSilence;
}

function silencedAlertOf({ match: { rule }, silence }: Hidden): MutedAlert {
  return { silenceId: silence.id, ruleId: rule.id, ruleName: rule.name, channels: rule.channels ?? [] };
}

function silencedVerdictOf({ match: { rule, verdict }, silence }: Hidden): StoredVerdict {
  return {
    ...verdictOf(rule, verdict),
    outcome: "suppressed",
    suppressed_until: silence.ends_at,
    silence_id: silence.id,
    silence_reason: silence.reason,
    silence_by: silence.created_by,
  };
}

const unmatched = (reason: string): RuleVerdict => ({
  matches: false,
  matchedConditions: [],
  failedConditions: [reason],
  objectType: null,
});

/** A deleted camera raises no more alerts, including those that are waiting. */
const verdictOnDeleted = {
  event: unmatched(eventDeleted),
  camera: unmatched("the camera was deleted before the rule looked at it"),
};

/** Alerts about what was over before a restore are held back: its recipients heard of it then, or it is no news. */
function verdictBeforeRestore(restoredAt: Date): RuleVerdict {
  return unmatched(`it was over before the database was restored at ${restoredAt.toISOString()}, and alerts about that time are held back`);
}

function keyOf(rule: Rule, facts: RuleFacts, { objectType }: RuleVerdict): string {
  return dedupKey(rule.dedup_key_template, {
    camera_id: facts.cameraId,
    rule_id: rule.id,
    object_type: objectType,
    severity: rule.severity,
  });
}

/** An alert that was raised just now. */
interface RaisedAlert {
  readonly alert: Alert;
  readonly rule: Rule;
}

/** Raises an alert, or records what suppresses it. No verdict if the rule was deleted or disabled meanwhile. */
async function raise(
  sql: Sql,
  subject: Subject,
  { rule, verdict, key }: Match,
): Promise<{ readonly verdict?: StoredVerdict; readonly alert?: Alert }> {
  const channels = rule.channels ?? [];
  const waits = channels.length > 0 || entryDelayOf(subject, rule) > 0;
  const result = await raiseUnlessSuppressed(
    sql,
    {
      id: randomUUID(),
      eventId: subject.eventId,
      cameraId: subject.facts.cameraId,
      rank: subject.rank,
      rule,
      dedupKey: key,
      status: waits ? "pending" : "delivered",
      metadata: {
        rule_name: rule.name,
        matched_conditions: [...verdict.matchedConditions],
        channels: [],
        reason: null,
        late_seconds: secondsLate(subject.facts, subject.now),
      },
    },
    subject.now,
  );
  if (result.kind === "rule_gone") return {};
  if (result.kind === "raised") {
    return { verdict: { ...verdictOf(rule, verdict), outcome: "raised", alert_id: result.alert.id }, alert: result.alert };
  }
  const cooldown = await cooldownOf(sql, key);
  if (!cooldown) throw new Error(`nothing holds back alerts under the key ${key}`);
  await noteForDigest(sql, rule, cooldown);
  return {
    verdict: { ...verdictOf(rule, verdict), outcome: "suppressed", suppressed_by: cooldown.alertId, suppressed_until: cooldown.endsAt },
  };
}

/** A suppressed match goes into a digest if the rule asks for one and has a channel. */
async function noteForDigest(sql: Sql, rule: Rule, { alertId, endsAt }: Cooldown): Promise<void> {
  if (!rule.digest || !rule.channels || rule.channels.length === 0) return;
  await awaitDigest(sql, { alertId, dueAt: endsAt, channels: rule.channels });
}

/** Announces a new alert to clients, to webhooks, and to recipients through the rule's channels. */
async function announce(sql: Sql, subject: Subject, { alert: created, rule }: RaisedAlert): Promise<void> {
  const { delivery, judgementDueAt, now } = subject;
  const entryDelay = entryDelayOf(subject, rule);
  if (entryDelay > 0) {
    const until = new Date(now.getTime() + entryDelay * 1000);
    const reason = `held back until ${until.toISOString()} by the entry delay of ${subject.modes.now.name}`;
    const held = await holdAlert(sql, created.id, { until, channels: rule.channels ?? [], reason });
    await appendToJournal(sql, [{ type: "alert_created", data: held ?? created }], now);
    return;
  }
  let alert = created;
  if (rule.channels && rule.channels.length > 0) {
    const judgement = judgementDueAt && { eventId: created.event_id, dueAt: judgementDueAt };
    const order = { alertId: created.id, kind: "alert", channels: rule.channels, expiresAt: expiryOf(delivery, now), judgement } as const;
    const { results: channels, withheld } = await notifyOfAlert(sql, order, delivery.availability, now);
    const reason = reasonPending(channels, withheld);
    alert = (await updateProgress(sql, created.id, { status: "pending", channels, reason }, now)) ?? created;
  }
  await appendToJournal(sql, [{ type: "alert_created", data: { ...alert, status: "pending", delivered_at: null } }], now);
  if (alert.status === "delivered") await appendToJournal(sql, [{ type: "alert_delivered", data: alert }], now);
  const webhookIds = await webhooksNamedBy(sql, rule.channels ?? []);
  await emitAboutEvents(sql, [{ type: "alert_fired", subject: alert.id, about: alert.event_id, data: alert, webhookIds }], now);
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
    silence_by: null,
  };
}
