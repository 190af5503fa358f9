import { conditionText } from "../../alerting/rules/condition-words.ts";
import type { Rule } from "../../alerting/rules/rule.ts";
import { alertsText, type Silence, scopeText } from "../../alerting/silences/silence.ts";
import type { Event } from "../../monitoring/events/event.ts";
import type { VerdictFacts } from "./alerts-repository.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import { instant, type Step, sentence } from "./step.ts";

/** The step of a rule that evaluated the event. */
export function verdictStep(verdict: VerdictFacts): Step {
  const { suppressor_raised_at, suppressor_event_id, next_evaluation, evaluated_at, ...details } = verdict;
  return {
    at: evaluated_at,
    step: "rule",
    status: verdict.outcome === "raised" ? "done" : next_evaluation === null ? "stopped" : "waiting",
    text: `Rule "${verdict.rule_name}" ${verdictText(verdict)}`,
    details,
  };
}

/** The action of the rule, as the rest of a sentence that starts with its name. */
export function verdictText(verdict: VerdictFacts): string {
  const matched = verdict.matched_conditions.length === 0 ? "" : ` (${verdict.matched_conditions.map(conditionText).join(", ")})`;
  const again = {
    when_scored: " It is evaluated again when the event has a risk score.",
    when_cooldown_over: " It is evaluated again then, if the incident is still open.",
    when_mode_fits: " It is evaluated again when the home is in such a mode, if the incident is still open.",
    when_schedule_holds: " It is evaluated again when its schedule starts, if the incident is still open.",
  };
  const more = verdict.next_evaluation === null ? "" : again[verdict.next_evaluation];
  switch (verdict.outcome) {
    case "raised":
      return `matched${matched} and raised ${verdict.alert_id === null ? "an alert that was deleted" : `alert ${verdict.alert_id}`}.`;
    case "suppressed": {
      if (verdict.silence_id !== null) {
        const set = verdict.suppressed_until ? ` (until ${instant(verdict.suppressed_until)})` : "";
        const by = verdict.silence_by === null ? "" : ` by ${verdict.silence_by}`;
        return `matched${matched}, but the silence ${verdict.silence_id} (${JSON.stringify(verdict.silence_reason ?? "")})${by}${set} muted it.${more}`;
      }
      const when = verdict.suppressor_raised_at
        ? `, raised ${instant(verdict.suppressor_raised_at)} for event ${verdict.suppressor_event_id},`
        : "";
      const until = verdict.suppressed_until ? ` until ${instant(verdict.suppressed_until)}` : "";
      return `matched${matched}, but the cooldown of alert ${verdict.suppressed_by ?? "(unknown)"}${when} suppressed it${until}.${more}`;
    }
    case "not_matched":
      return `did not match: ${sentenceOf(verdict.failed_conditions)}${more}`;
  }
}

function sentenceOf(failed: readonly string[]): string {
  return failed.length === 0 ? "no condition was stored." : `${failed.map(conditionText).join("; ")}.`;
}

/** The step for a rule that did not evaluate the event. */
export function silentRuleStep(rule: Rule, event: Event, jobs: readonly WaitingJob[]): Step {
  const { reason, text } = whySilent(rule, event, jobs);
  return {
    at: null,
    step: "rule",
    status: isToCome(reason) ? "waiting" : "note",
    text: `Rule "${rule.name}" was not evaluated: ${text}`,
    details: { rule_id: rule.id, rule_name: rule.name, outcome: "none", reason, enabled: rule.enabled },
  };
}

export type SilentReason =
  | "newer_than_event"
  | "other_kind"
  | "disabled"
  | "waits_for_score"
  | "analysis_failed"
  | "is_queued"
  | "visit_goes_on"
  | "gave_up"
  | "changed_since"
  | "not_evaluated";

/** Whether the rule will still be evaluated. */
export const isToCome = (reason: SilentReason): boolean => ["waits_for_score", "is_queued", "visit_goes_on"].includes(reason);

/** Returns why a rule did not evaluate an event, as far as it can be known now. */
export function whySilent(
  rule: Pick<Rule, "kind" | "enabled" | "risk_threshold" | "created_at" | "updated_at">,
  event: Pick<Event, "kind" | "created_at" | "ongoing" | "risk_score" | "analysis_status">,
  jobs: readonly Pick<WaitingJob, "status" | "error">[],
): { readonly reason: SilentReason; readonly text: string } {
  const needs = `it needs a risk score of at least ${rule.risk_threshold}`;
  const waits = rule.risk_threshold !== null && event.risk_score === null;
  const dead = jobs.find(({ status }) => status === "dead");
  // a new rule still evaluates events that wait for evaluation
  if (rule.kind === event.kind && rule.enabled) {
    if (waits && event.analysis_status !== "failed") {
      return { reason: "waits_for_score", text: `${needs}, and the event has none yet.` };
    }
    if (event.ongoing) return { reason: "visit_goes_on", text: "it is evaluated when the visit is over." };
    if (!waits && jobs.length > 0 && !dead) return { reason: "is_queued", text: "its evaluation is queued." };
  }
  if (rule.created_at > event.created_at) return { reason: "newer_than_event", text: "it is newer than the event." };
  if (rule.kind !== event.kind) {
    return { reason: "other_kind", text: `it is for events of kind ${rule.kind}, and this one is of kind ${event.kind}.` };
  }
  if (!rule.enabled) return { reason: "disabled", text: "it is disabled." };
  if (waits) return { reason: "analysis_failed", text: `${needs}, and the analysis failed.` };
  if (dead) return { reason: "gave_up", text: `its evaluation is in the dead letters: ${sentence(dead.error ?? "no reason was stored")}` };
  if (rule.updated_at > event.created_at) {
    return { reason: "changed_since", text: "it was changed after the event, and may have been disabled at that time." };
  }
  return { reason: "not_evaluated", text: "it never evaluated the event." };
}

/** The step of a silence: its scope, time, reason, and the alerts that it muted. */
export function silenceStep(silence: Silence): Step {
  const { id, reason, status, created_at, ends_at, ended_at, held_back } = silence;
  const name = `The silence ${id} (${JSON.stringify(reason)}) of ${scopeText(silence)}`;
  const text =
    status === "active"
      ? `${name} mutes alerts from ${instant(created_at)} until ${instant(ends_at)} and has muted ${alertsText(held_back)}.`
      : `${name} muted alerts from ${instant(created_at)} to ${instant(ended_at ?? ends_at)}, in all ${alertsText(held_back)}.`;
  return { at: null, step: "silence", status: "note", text, details: { ...silence } };
}
