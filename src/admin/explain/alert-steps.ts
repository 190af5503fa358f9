import { pluralize } from "../../base/text/format.ts";
import type { AlertFacts, NotificationAttemptFacts, NotificationFacts } from "./alerts-repository.ts";
import { between, instant, type Step, sentence } from "./step.ts";

/** Steps of an alert: the alert, its notifications, and each attempt to send them. */
export function alertSteps(
  alert: AlertFacts,
  notifications: readonly NotificationFacts[],
  attempts: readonly NotificationAttemptFacts[],
  now: Date,
): Step[] {
  return [
    alertStep(alert),
    ...notifications
      .filter(({ alertId }) => alertId === alert.alertId)
      .flatMap((notification) => [
        ...attempts
          .filter(({ notificationId }) => notificationId === notification.notificationId)
          .map((attempt) => attemptStep(notification, attempt)),
        notificationStep(notification, now),
      ]),
  ];
}

function alertStep(alert: AlertFacts): Step {
  const state = {
    pending: "It is pending: no one has been notified yet",
    delivered: `It was delivered${since(alert.createdAt, alert.deliveredAt)}`,
    acknowledged: `It was acknowledged${since(alert.createdAt, alert.acknowledgedAt)}`,
    dismissed: `It was dismissed${since(alert.createdAt, alert.dismissedAt)}`,
  }[alert.status];
  const held = alert.heldBack === 0 ? "" : ` Its cooldown suppressed ${pluralize(alert.heldBack, "later match", "later matches")}.`;
  return {
    at: alert.createdAt,
    step: "alert",
    status: alert.status === "pending" ? "waiting" : "done",
    text: `Alert ${alert.alertId} (${alert.severity}) was raised by rule "${alert.ruleName}". ${state}.${held}`,
    details: {
      alert_id: alert.alertId,
      event_id: alert.eventId,
      rule_id: alert.ruleId,
      rule_name: alert.ruleName,
      severity: alert.severity,
      status: alert.status,
      dedup_key: alert.dedupKey,
      delivered_at: alert.deliveredAt,
      acknowledged_at: alert.acknowledgedAt,
      dismissed_at: alert.dismissedAt,
      held_back: alert.heldBack,
      alert_metadata: alert.metadata,
    },
  };
}

function since(from: Date, to: Date | null): string {
  return to === null ? "" : ` ${between(from, to)} after it was raised`;
}

function nameOf({ kind, channel }: NotificationFacts): string {
  const names = { alert: "The notification", digest: "The digest", end: "The end message" };
  return `${names[kind]} by ${channel}`;
}

function notificationStep(notification: NotificationFacts, now: Date): Step {
  const { status, reason, attemptCount, nextAttemptAt, createdAt, finishedAt } = notification;
  const why = reason === null ? "." : `: ${sentence(reason)}`;
  const tries = `after ${pluralize(attemptCount, "attempt")}`;
  const next =
    nextAttemptAt === null ? "" : nextAttemptAt > now ? `, next attempt in ${between(now, nextAttemptAt)}` : ", next attempt in a moment";
  const state = {
    waiting: `waits ${attemptCount === 0 ? "to be sent" : `${tries}`}${next}; it expires ${instant(notification.expiresAt)}${why}`,
    sent: `was sent${since(createdAt, finishedAt).replace("it was raised", "it was queued")}${notification.late ? `, late, ${tries}` : ""}.`,
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
    at: finishedAt ?? createdAt,
    step: "notification",
    status: states[status],
    text: `${nameOf(notification)} ${state}`,
    details: {
      notification_id: notification.notificationId,
      alert_id: notification.alertId,
      kind: notification.kind,
      channel: notification.channel,
      status,
      reason,
      attempt_count: attemptCount,
      next_attempt_at: nextAttemptAt,
      expires_at: notification.expiresAt,
      late: notification.late,
      created_at: createdAt,
    },
  };
}

function attemptStep(notification: NotificationFacts, attempt: NotificationAttemptFacts): Step {
  const answer = attempt.answer === null ? "" : `: ${sentence(attempt.answer)}`;
  const result = { sent: "was accepted", again: "failed and will be retried", failed: "failed for good" }[attempt.outcome];
  return {
    at: attempt.finishedAt,
    step: "notification_attempt",
    status: attempt.outcome === "sent" ? "done" : "failed",
    text: `${nameOf(notification)}, attempt ${attempt.attempt}, ${result} after ${between(attempt.startedAt, attempt.finishedAt)}${answer === "" ? "." : answer}`,
    details: {
      notification_id: attempt.notificationId,
      channel: notification.channel,
      attempt: attempt.attempt,
      outcome: attempt.outcome,
      started_at: attempt.startedAt,
      finished_at: attempt.finishedAt,
      answer: attempt.answer,
    },
  };
}
