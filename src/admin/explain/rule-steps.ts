import { alertsText, type Silence, scopeText } from "../../alerting/silences/silence.ts";
import type { RuleFacts, VerdictFacts } from "./alerts-repository.ts";
import type { EventFacts } from "./events-repository.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import { instant, type Step, sentence } from "./step.ts";

/** The step of a rule that evaluated the event. */
export function verdictStep(verdict: VerdictFacts): Step {
  return {
    at: verdict.evaluatedAt,
    step: "rule",
    status: verdict.outcome === "raised" ? "done" : verdict.looksAgain === null ? "stopped" : "waiting",
    text: `Rule "${verdict.ruleName}" ${verdictText(verdict)}`,
    details: {
      rule_id: verdict.ruleId,
      rule_name: verdict.ruleName,
      rule_version: verdict.ruleVersion,
      outcome: verdict.outcome,
      matched_conditions: verdict.matched,
      failed_conditions: verdict.failed,
      alert_id: verdict.alertId,
      suppressed_by: verdict.suppressedBy,
      suppressed_until: verdict.suppressedUntil,
      silence_id: verdict.silenceId,
      silence_reason: verdict.silenceReason,
    },
  };
}

/** The action of the rule, as the rest of a sentence that starts with its name. */
export function verdictText(verdict: VerdictFacts): string {
  const matched = verdict.matched.length === 0 ? "" : ` (${verdict.matched.join(", ")})`;
  const again = {
    when_judged: " It is evaluated again when the event has a risk score.",
    when_cooldown_over: " It is evaluated again then, if the incident is still open.",
    when_schedule_holds: " It is evaluated again when its schedule starts, if the incident is still open.",
  };
  const more = verdict.looksAgain === null ? "" : again[verdict.looksAgain];
  switch (verdict.outcome) {
    case "raised":
      return `matched${matched} and raised ${verdict.alertId === null ? "an alert that was deleted" : `alert ${verdict.alertId}`}.`;
    case "suppressed": {
      if (verdict.silenceId !== null) {
        const set = verdict.suppressedUntil ? ` (until ${instant(verdict.suppressedUntil)})` : "";
        return `matched${matched}, but the silence ${verdict.silenceId} (${JSON.stringify(verdict.silenceReason ?? "")})${set} muted it.${more}`;
      }
      const when = verdict.suppressorRaisedAt
        ? `, raised ${instant(verdict.suppressorRaisedAt)} for event ${verdict.suppressorEventId},`
        : "";
      const until = verdict.suppressedUntil ? ` until ${instant(verdict.suppressedUntil)}` : "";
      return `matched${matched}, but the cooldown of alert ${verdict.suppressedBy ?? "(unknown)"}${when} suppressed it${until}.${more}`;
    }
    case "not_matched":
      return `did not match: ${sentenceOf(verdict.failed)}${more}`;
  }
}

function sentenceOf(failed: readonly string[]): string {
  return failed.length === 0 ? "no condition was stored." : `${failed.join("; ")}.`;
}

/** The step for a rule that did not evaluate the event. */
export function silentRuleStep(rule: RuleFacts, event: EventFacts, jobs: readonly WaitingJob[]): Step {
  const { reason, text } = whySilent(rule, event, jobs);
  return {
    at: null,
    step: "rule",
    status: isToCome(reason) ? "waiting" : "note",
    text: `Rule "${rule.name}" was not evaluated: ${text}`,
    details: { rule_id: rule.ruleId, rule_name: rule.name, outcome: "none", reason, enabled: rule.enabled },
  };
}

export type SilentReason =
  | "newer_than_event"
  | "other_kind"
  | "disabled"
  | "waits_for_score"
  | "analysis_failed"
  | "is_queued"
  | "gave_up"
  | "changed_since"
  | "not_evaluated";

/** Whether the rule will still be evaluated. */
export const isToCome = (reason: SilentReason): boolean => reason === "waits_for_score" || reason === "is_queued";

/** Returns why a rule did not evaluate an event, as far as it can be known now. */
export function whySilent(
  rule: Pick<RuleFacts, "kind" | "enabled" | "riskThreshold" | "createdAt" | "updatedAt">,
  event: Pick<EventFacts, "kind" | "createdAt" | "riskScore" | "analysisStatus">,
  jobs: readonly Pick<WaitingJob, "status" | "error">[],
): { readonly reason: SilentReason; readonly text: string } {
  const needs = `it needs a risk score of at least ${rule.riskThreshold}`;
  const waits = rule.riskThreshold !== null && event.riskScore === null;
  const dead = jobs.find(({ status }) => status === "dead");
  // a new rule still evaluates events that wait for evaluation
  if (rule.kind === event.kind && rule.enabled) {
    if (waits && event.analysisStatus !== "failed") {
      return { reason: "waits_for_score", text: `${needs}, and the event has none yet.` };
    }
    if (!waits && jobs.length > 0 && !dead) return { reason: "is_queued", text: "its evaluation is queued." };
  }
  if (rule.createdAt > event.createdAt) return { reason: "newer_than_event", text: "it is newer than the event." };
  if (rule.kind !== event.kind) {
    return { reason: "other_kind", text: `it is for events of kind ${rule.kind}, and this one is of kind ${event.kind}.` };
  }
  if (!rule.enabled) return { reason: "disabled", text: "it is disabled." };
  if (waits) return { reason: "analysis_failed", text: `${needs}, and the analysis failed.` };
  if (dead) return { reason: "gave_up", text: `its evaluation is in the dead letters: ${sentence(dead.error ?? "no reason was stored")}` };
  if (rule.updatedAt > event.createdAt) {
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
