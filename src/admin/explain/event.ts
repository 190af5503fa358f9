import { answersTo } from "../../alerting/answers/answers-repository.ts";
import type { Rule } from "../../alerting/rules/rule.ts";
import { allRules } from "../../alerting/rules/rules-repository.ts";
import { pluralize } from "../../base/text/format.ts";
import { uuidOf } from "../../contract/values.ts";
import { parkedSinceOf } from "../../monitoring/events/analysis-repository.ts";
import type { Event } from "../../monitoring/events/event.ts";
import { findEvents } from "../../monitoring/events/events-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import { listChanges } from "../../platform/keys/changes-repository.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { alertSteps } from "./alert-steps.ts";
import {
  type AlertFacts,
  alertsOfEvent,
  type NotificationFacts,
  notificationAttemptsOf,
  notificationsOf,
  type VerdictFacts,
  verdictsOf,
} from "./alerts-repository.ts";
import { type DeliveryFacts, deliveriesAbout, deliveryAttempts } from "./deliveries-repository.ts";
import { deliverySteps } from "./delivery-steps.ts";
import { analysisSteps, eventStep, type Known } from "./event-steps.ts";
import { analysisAttempts } from "./events-repository.ts";
import { evaluationJobsOf, jobsOf, type WaitingJob } from "./jobs-repository.ts";
import { modeSteps } from "./mode-steps.ts";
import { peopleSteps } from "./people-steps.ts";
import { batchStep, pictureSteps } from "./picture-steps.ts";
import { picturesOf } from "./pictures.ts";
import { findBatches, picturesOfEvent } from "./pictures-repository.ts";
import { recipientsOf } from "./recipient-steps.ts";
import { silentRuleStep, verdictStep } from "./rule-steps.ts";
import type { Step } from "./step.ts";
import { passedOver, passedOverStep } from "./webhook-steps.ts";

/** Limits for long chains. A step counts the pictures that are left out. */
const max = { pictures: 10, attempts: 50, rules: 100, notificationAttempts: 200, deliveries: 200, changes: 50 } as const;

/** An event with everything that happened to it. */
export interface EventChain {
  readonly event: Event;
  readonly verdicts: readonly VerdictFacts[];
  readonly silentRules: readonly Rule[];
  readonly evaluationJobs: readonly WaitingJob[];
  readonly alerts: readonly AlertFacts[];
  readonly notifications: readonly NotificationFacts[];
  /** The messages to webhooks about the event and its alerts. */
  readonly deliveries: readonly DeliveryFacts[];
  /** Steps of its pictures. */
  readonly before: readonly Step[];
  /** Steps from the batch on. */
  readonly after: readonly Step[];
}

/** Returns the facts that are not in the database. With `--direct` there is no breaker. */
export function knownTo({ clock, runtime }: Pick<OperationContext, "clock" | "runtime">): Known {
  return { now: clock.now(), breaker: runtime?.breakers().find(({ name }) => name === "language_model") };
}

/** Reads the whole chain of an event; undefined when there is no such event. */
export async function chainOfEvent(sql: Sql, eventId: number, known: Known): Promise<EventChain | undefined> {
  const [[event], shown, verdicts, rules, evaluationJobs, alerts, attempts, [analysis], changes, parkedSince] = await Promise.all([
    findEvents(sql, [eventId]),
    picturesOfEvent(sql, eventId, max.pictures),
    verdictsOf(sql, eventId),
    allRules(sql),
    evaluationJobsOf(sql, eventId),
    alertsOfEvent(sql, eventId),
    analysisAttempts(sql, eventId, max.attempts),
    jobsOf(sql, "analyze", [String(eventId)]),
    listChanges(sql, { subject: `events/${eventId}`, after: undefined, offset: 0, limit: max.changes }),
    parkedSinceOf(sql, eventId),
  ]);
  if (!event) return undefined;
  const { now } = known;
  const modes = await modeSteps(sql, event.started_at, lastVerdictAt(verdicts) ?? event.ended_at);
  const silentRules = rules.filter(({ id }) => verdicts.every(({ rule_id }) => rule_id !== id)).slice(0, max.rules);
  const batchId = uuidOf(event.batch_id ?? "");
  const alertIds = alerts.map(({ id }) => id);
  const [pictures, batches, notifications, notificationAttempts, deliveries, answers, recipients, unsent] = await Promise.all([
    picturesOf(sql, shown.ids),
    batchId === undefined ? [] : findBatches(sql, [batchId]),
    notificationsOf(sql, alertIds),
    notificationAttemptsOf(sql, alertIds, max.notificationAttempts),
    deliveriesAbout(sql, [String(eventId), ...alertIds], max.deliveries),
    answersTo(sql, alertIds),
    recipientsOf(sql, alertIds),
    passedOver(sql, alertIds),
  ]);
  const requests = await deliveryAttempts(
    sql,
    deliveries.map(({ id }) => id),
  );
  return {
    ...{ event, verdicts, silentRules, evaluationJobs, alerts, notifications, deliveries },
    before: [...pictures.flatMap((picture) => pictureSteps(picture, now)), ...morePictures(shown.total - pictures.length, eventId)],
    after: [
      ...batches.map((batch) => batchStep(batch, now)),
      eventStep(event, batches.length > 0, parkedSince),
      ...analysisSteps(event, attempts, analysis, known),
      ...modes,
      ...verdicts.map(verdictStep),
      ...silentRules.map((rule) => silentRuleStep(rule, event, evaluationJobs)),
      ...noRules(verdicts.length + silentRules.length),
      ...alerts.flatMap((alert) =>
        alertSteps(alert, { notifications, attempts: notificationAttempts, deliveries, answers, recipients }, now),
      ),
      ...deliveries.flatMap((delivery) => deliverySteps(delivery, requests, now)),
      ...unsent.map(passedOverStep),
      ...peopleSteps(
        changes.map(({ record }) => record),
        event,
      ),
    ],
  };
}

/** The mode could still change what a rule says until it was evaluated. */
function lastVerdictAt(verdicts: readonly VerdictFacts[]): Date | undefined {
  return verdicts.map(({ evaluated_at }) => evaluated_at).toSorted((one, other) => other.getTime() - one.getTime())[0];
}

function morePictures(left: number, eventId: number): Step[] {
  if (left <= 0) return [];
  const text = `${pluralize(left, "more picture")} belong${left === 1 ? "s" : ""} to the event; \`homesec events show ${eventId}\` lists the detections.`;
  return [{ at: null, step: "more_pictures", status: "note", text, details: { pictures_left_out: left } }];
}

function noRules(known: number): Step[] {
  if (known > 0) return [];
  const text = "There is no alert rule, so no event raises an alert.";
  return [{ at: null, step: "rule", status: "note", text, details: { outcome: "none", reason: "no_rules" } }];
}
