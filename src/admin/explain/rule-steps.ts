import type { RuleFacts, VerdictFacts } from "./alerts-repository.ts";
import type { EventFacts } from "./events-repository.ts";
import type { WaitingJob } from "./jobs-repository.ts";
import { instant, type Step, sentence } from "./step.ts";

/** What a rule said of the event. */
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

/** What the rule did, as the rest of a sentence that begins with its name. */
export function verdictText(verdict: VerdictFacts): string {
  const matched = verdict.matched.length === 0 ? "" : ` (${verdict.matched.join(", ")})`;
  const again = {
    when_judged: " It looks again when the event is judged.",
    when_cooldown_over: " It looks again then, if the incident lasts.",
    when_schedule_holds: " It looks again when its schedule holds, if the incident lasts.",
  };
  const more = verdict.looksAgain === null ? "" : again[verdict.looksAgain];
  switch (verdict.outcome) {
    case "raised":
      return `matched${matched} and raised ${verdict.alertId === null ? "an alert that is gone since" : `alert ${verdict.alertId}`}.`;
    case "suppressed": {
      if (verdict.silenceId !== null) {
        const set = verdict.suppressedUntil ? `, set until ${instant(verdict.suppressedUntil)},` : "";
        return `matched${matched}, but the silence ${verdict.silenceId} (${JSON.stringify(verdict.silenceReason ?? "")})${set} held it back.${more}`;
      }
      const when = verdict.suppressorRaisedAt
        ? `, raised ${instant(verdict.suppressorRaisedAt)} for event ${verdict.suppressorEventId},`
        : "";
      const until = verdict.suppressedUntil ? ` until ${instant(verdict.suppressedUntil)}` : "";
      return `matched${matched}, but the cooldown of alert ${verdict.suppressedBy ?? "(unknown)"}${when} held it back${until}.${more}`;
    }
    case "not_matched":
      return `did not match: ${sentenceOf(verdict.failed)}${more}`;
  }
}

function sentenceOf(failed: readonly string[]): string {
  return failed.length === 0 ? "no condition is stored." : `${failed.join("; ")}.`;
}

/** Why a rule that exists gave no verdict. */
export function silentRuleStep(rule: RuleFacts, event: EventFacts, jobs: readonly WaitingJob[]): Step {
  const { reason, text } = whySilent(rule, event, jobs);
  return {
    at: null,
    step: "rule",
    status: isToCome(reason) ? "waiting" : "note",
    text: `Rule "${rule.name}" gave no verdict: ${text}`,
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

/** Whether the rule gives its verdict still. */
export const isToCome = (reason: SilentReason): boolean => reason === "waits_for_score" || reason === "is_queued";

/** Why a rule that exists gave no verdict on an event, from what can be checked now. */
export function whySilent(
  rule: Pick<RuleFacts, "kind" | "enabled" | "riskThreshold" | "createdAt" | "updatedAt">,
  event: Pick<EventFacts, "kind" | "createdAt" | "riskScore" | "analysisStatus">,
  jobs: readonly Pick<WaitingJob, "status" | "error">[],
): { readonly reason: SilentReason; readonly text: string } {
  const needs = `it needs a risk score of at least ${rule.riskThreshold}`;
  const waits = rule.riskThreshold !== null && event.riskScore === null;
  const dead = jobs.find(({ status }) => status === "dead");
  // a rule that was made only now judges with the others what is still to be judged
  if (rule.kind === event.kind && rule.enabled) {
    if (waits && event.analysisStatus !== "failed") {
      return { reason: "waits_for_score", text: `${needs}, and the event is not judged yet.` };
    }
    if (!waits && jobs.length > 0 && !dead) return { reason: "is_queued", text: "it is about to be evaluated." };
  }
  if (rule.createdAt > event.createdAt) return { reason: "newer_than_event", text: "it is newer than the event." };
  if (rule.kind !== event.kind) {
    return { reason: "other_kind", text: `it is for events of kind ${rule.kind}, and this one is of kind ${event.kind}.` };
  }
  if (!rule.enabled) return { reason: "disabled", text: "it is disabled." };
  if (waits) return { reason: "analysis_failed", text: `${needs}, and the analysis failed.` };
  if (dead) return { reason: "gave_up", text: `its evaluation is in the dead letters: ${sentence(dead.error ?? "no reason is stored")}` };
  if (rule.updatedAt > event.createdAt) {
    return { reason: "changed_since", text: "it was changed after the event; it may have been disabled at that time." };
  }
  return { reason: "not_evaluated", text: "the event was never evaluated by it." };
}
