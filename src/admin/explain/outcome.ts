import { pluralize } from "../../base/text/format.ts";
import type { DeliveryFacts } from "./deliveries-repository.ts";
import type { EventChain } from "./event.ts";
import { isToCome, verdictText, whySilent } from "./rule-steps.ts";

/** Says in one or two sentences whether the event raised an alert, whether it was delivered, and why not. */
export function outcomeOfEvent(chain: EventChain): string {
  const { alerts, event } = chain;
  if (alerts.length > 0) return alerts.map((alert) => outcomeOfAlert(chain, alert.id)).join(" ");
  const silentRules = chain.silentRules.map((rule) => ({ rule, ...whySilent(rule, event, chain.evaluationJobs) }));
  const toCome = silentRules.find(({ reason }) => isToCome(reason));
  const verdict = chain.verdicts.find(({ next_evaluation }) => next_evaluation !== null) ?? chain.verdicts[0];
  const others = chain.verdicts.length + chain.silentRules.length - 1;
  const more = others > 0 ? ` ${pluralize(others, "other rule")} raised no alert either.` : "";
  if (verdict && !toCome) {
    const yet = verdict.next_evaluation === null ? "" : " yet";
    return `Event ${event.id} raised no alert${yet}. Rule "${verdict.rule_name}" ${verdictText(verdict)}${more}`;
  }
  // a rule that may still alert comes first
  const silent = toCome ?? silentRules[0];
  if (!silent) return `Event ${event.id} raised no alert: there is no alert rule.`;
  const yet = toCome ? " yet" : "";
  return `Event ${event.id} raised no alert${yet}. Rule "${silent.rule.name}" was not evaluated: ${silent.text}${more}`;
}

/** Says in one or two sentences how an alert of this event was sent, or why it was not. */
export function outcomeOfAlert({ alerts, notifications, deliveries }: EventChain, alertId: string): string {
  const alert = alerts.find((each) => each.id === alertId);
  if (!alert) return "The alert was deleted.";
  const raised = `Alert ${alertId} (${alert.severity}) was raised by rule "${alert.rule_name}"`;
  const messages = notifications.filter((each) => each.alert_id === alertId && each.kind === "alert");
  const webhooks = firedDeliveries(deliveries, alertId).map(({ webhook_name, status, error_message }) => ({
    to: `to webhook "${webhook_name}"`,
    name: `webhook "${webhook_name}"`,
    status: webhookStatuses[status],
    reason: error_message,
  }));
  const all = [...messages.map(({ channel, status, reason }) => ({ to: `by ${channel}`, name: channel, status, reason })), ...webhooks];
  const sent = all.filter(({ status }) => status === "sent").map(({ to }) => to);
  const failed = all.filter(({ status }) => status !== "sent" && status !== "waiting");
  const waiting = all.filter(({ status }) => status === "waiting").map(({ to }) => to);
  const parts = [
    sent.length > 0 ? `sent ${sent.join(" and ")}` : "",
    waiting.length > 0 ? `waiting to be sent ${waiting.join(" and ")}` : "",
    ...failed.map(({ name, status, reason }) => `${name} ${status}${reason === null ? "" : ` (${reason})`}`),
  ].filter((part) => part !== "");
  const delivery = all.length === 0 ? "shown to live clients only, because its rule has no channel" : parts.join("; ");
  return `${raised} and is ${alert.status}: ${delivery}.`;
}

const webhookStatuses = { pending: "waiting", retrying: "waiting", success: "sent", failed: "failed" } as const;

/** The deliveries that report an alert, one for each webhook: a repeated one replaces the failed one. */
function firedDeliveries(deliveries: readonly DeliveryFacts[], alertId: string): readonly DeliveryFacts[] {
  const fired = deliveries.filter(({ event_type, event_id }) => event_type === "alert_fired" && event_id === alertId);
  return [...new Map(fired.map((delivery) => [delivery.webhook_id, delivery])).values()];
}
