import { z } from "zod";
import type { StoredAnswer } from "../../alerting/answers/answers-repository.ts";
import { durationText, pluralize } from "../../base/text/format.ts";
import type { AlertFacts, NotificationAttemptFacts, NotificationFacts } from "./alerts-repository.ts";
import type { DeliveryFacts } from "./deliveries-repository.ts";
import { type RecipientFacts, recipientStep } from "./recipient-steps.ts";
import { between, instant, type Step, sentence } from "./step.ts";

/** Alerts of older versions do not have it. */
const Metadata = z.object({ late_seconds: z.int().nullish(), closed_by: z.string().optional(), reason: z.string().nullish() }).catch({});

/** Steps of an alert: the alert, its notifications, and each attempt to send them. */
export function alertSteps(
  alert: AlertFacts,
  {
    notifications,
    attempts,
    deliveries,
    answers = [],
    recipients = [],
  }: {
    readonly notifications: readonly NotificationFacts[];
    readonly attempts: readonly NotificationAttemptFacts[];
    readonly deliveries: readonly DeliveryFacts[];
    readonly answers?: readonly StoredAnswer[];
    readonly recipients?: readonly RecipientFacts[];
  },
  now: Date,
): Step[] {
  const hasReachedWebhook = deliveries.some(({ event_id, status }) => event_id === alert.id && status === "success");
  return [
    alertStep(alert, hasReachedWebhook),
    ...recipients.filter(({ alert_id }) => alert_id === alert.id).map((facts) => recipientStep(facts, alert)),
    ...notifications
      .filter(({ alert_id }) => alert_id === alert.id)
      .flatMap((notification) => [
        ...attempts
          .filter(({ notification_id }) => notification_id === notification.notification_id)
          .map((attempt) => attemptStep(notification, attempt)),
        notificationStep(notification, now),
      ]),
    ...answers.filter(({ alert_id }) => alert_id === alert.id).map(answerStep),
  ];
}

const pressed = { acknowledge: "acknowledged the alert", silence: "silenced its camera for an hour", dismiss: "found it not interesting" };

/** A button that someone pressed on a phone. */
function answerStep({ answered_at: at, answered_by: by, ...details }: StoredAnswer): Step {
  return { at, step: "change", status: "done", text: `${by} ${pressed[details.action]}.`, details: { by, ...details } };
}

function alertStep(alert: AlertFacts, hasReachedWebhook: boolean): Step {
  const { id, camera_id, created_at, during_visit_at, ...details } = alert;
  const { late_seconds: seconds, closed_by, reason } = Metadata.parse(alert.alert_metadata);
  const by = closed_by === undefined ? "" : ` by ${closed_by}`;
  const state = {
    pending: hasReachedWebhook
      ? "It is pending: only webhooks have it, and no channel of its rule"
      : "It is pending: no one has been notified yet",
    delivered: `It was delivered${since(alert.created_at, alert.delivered_at)}`,
    acknowledged: `It was acknowledged${by}${since(alert.created_at, alert.acknowledged_at)}`,
    dismissed: `It was dismissed${by}${since(alert.created_at, alert.dismissed_at)}`,
  }[alert.status];
  const early = during_visit_at === null ? "" : `, ${between(during_visit_at, created_at)} after the picture, before the visit ended`;
  const late = seconds ? `, ${durationText(seconds * 1000)} after the event ended` : "";
  const why = reason && (alert.status === "pending" || alert.status === "dismissed") ? ` ${sentence(reason)}` : "";
  const held = alert.held_back === 0 ? "" : ` Its cooldown suppressed ${pluralize(alert.held_back, "later match", "later matches")}.`;
  return {
    at: alert.created_at,
    step: "alert",
    status: alert.status === "pending" ? "waiting" : "done",
    text: `Alert ${id} (${alert.severity}) was raised by rule "${alert.rule_name}"${early}${late}. ${state}.${why}${held}`,
    details: { alert_id: id, ...details },
  };
}

function since(from: Date, to: Date | null): string {
  return to === null ? "" : ` ${between(from, to)} after it was raised`;
}

function nameOf({ kind, channel }: NotificationFacts): string {
  const names = { alert: "The notification", digest: "The digest", end: "The end message", update: "The update", repeat: "The repeat" };
  return `${names[kind]} by ${channel}`;
}

function notificationStep(notification: NotificationFacts, now: Date): Step {
  const { finished_at, ...details } = notification;
  const { status, reason, attempt_count, next_attempt_at, created_at } = details;
  const why = reason === null ? "." : `: ${sentence(reason)}`;
  const tries = `after ${pluralize(attempt_count, "attempt")}`;
  const next =
    next_attempt_at === null
      ? ""
      : next_attempt_at > now
        ? `, next attempt in ${between(now, next_attempt_at)}`
        : ", next attempt in a moment";
  const state = {
    waiting: `waits ${attempt_count === 0 ? "to be sent" : `${tries}`}${next}; it expires ${instant(notification.expires_at)}${why}`,
    sent: `was sent${since(created_at, finished_at).replace("it was raised", "it was queued")}${notification.late ? `, late, ${tries}` : ""}.`,
    failed: `failed for good ${tries}${why}`,
    expired: `expired ${tries}${why}`,
    cancelled: `was cancelled${why}`,
    unusable: `could not be sent${why}`,
  }[status];
  const states = {
    waiting: "waiting",
    sent: "done",
    failed: "failed",
    expired: "failed",
    cancelled: "stopped",
    unusable: "failed",
  } as const;
  return {
    at: finished_at ?? created_at,
    step: "notification",
    status: states[status],
    text: `${nameOf(notification)} ${state}${joinedText(notification)}${editText(notification)}`,
    details,
  };
}

/** One message reports all alerts of an event, so the attempts stand at the alert that it was made for. */
function joinedText({ joined_rule, status }: NotificationFacts): string {
  if (joined_rule === null || status === "cancelled") return "";
  return ` It is part of the message about rule "${joined_rule}".`;
}

/** A message on a phone is changed after the answer. */
function editText({ edit_answer, edited_at }: NotificationFacts): string {
  if (edit_answer === null) return "";
  return ` After the answer it was ${edited_at === null ? "not yet " : ""}updated: ${sentence(edit_answer)}`;
}

function attemptStep(notification: NotificationFacts, attempt: NotificationAttemptFacts): Step {
  const answer = attempt.answer === null ? "" : `: ${sentence(attempt.answer)}`;
  const result = { sent: "was accepted", again: "failed and will be retried", failed: "failed for good" }[attempt.outcome];
  return {
    at: attempt.finished_at,
    step: "notification_attempt",
    status: attempt.outcome === "sent" ? "done" : "failed",
    text: `${nameOf(notification)}, attempt ${attempt.attempt}, ${result} after ${between(attempt.started_at, attempt.finished_at)}${answer === "" ? "." : answer}`,
    details: { ...attempt, channel: notification.channel },
  };
}
