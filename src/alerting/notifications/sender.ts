import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import type { Outbound } from "../../platform/outbound/outbound.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../../work/jobs/jobs-repository.ts";
import type { Sender } from "../../work/jobs/sender.ts";
import { storeOutcome } from "../../work/jobs/store-outcome.ts";
import type { AlertFacts, Message } from "../delivery/message.ts";
import { mendDelayMs, type Outcome } from "../delivery/outcome.ts";
import type { SmtpTimeouts } from "../email/smtp.ts";
import { type Channel, channelAvailability } from "./channels.ts";
import { beginningOf, insertEnds } from "./ends-repository.ts";
import { findAlertFacts, findHeldBack, findSilenced, findSilenceFacts } from "./facts-repository.ts";
import { createFaultLog } from "./fault-log.ts";
import { addAttempt, findNotification, lockJob, lockProgress, type Notification, storeStep } from "./sending-repository.ts";
import { isLate, isOpen, lateness, type Progress, refusedEarlier, type Step, stepAfter, stepAtExpiry } from "./step.ts";
import { transmit } from "./transmit.ts";

/** A digest lists so many events and counts the rest. */
const listedEvents = 20;

export interface NotificationSenderContext {
  readonly db: Database;
  readonly config: Config;
  readonly outbound: Pick<Outbound, "post">;
  readonly clock: Clock;
  readonly log: Log;
  /** Brings an alert up to what its channels did, in the transaction that stores an outcome. */
  readonly settle: (sql: Sql, alertId: string, now: Date) => Promise<unknown>;
  /** Rows were written: the journal has entries to number. */
  readonly onStored: () => void;
  /** An attempt came to its end, so many seconds after it was to be told. */
  readonly onAttempt: (channel: Channel, outcome: "success" | "retry" | "failure", seconds: number) => void;
  /** 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
  readonly smtpTimeouts?: SmtpTimeouts;
}

/** Makes the sender of notifications: one attempt at a time, tried again until it is sent, refused for good, cancelled or expired. */
export function createNotificationSender(context: NotificationSenderContext): Sender {
  const { db, config, clock } = context;
  const random = context.random ?? Math.random;
  const faults = createFaultLog(context.log);
  /** The mail server refuses us as we are configured: it is asked by one mail in ten minutes, so that no account gets locked. */
  let refusing: Refusal | undefined;

  /** Stores the step of a notification and its job. What a person has cancelled meanwhile stays so, unless it was sent. */
  const store = async (
    job: ClaimedJob,
    notification: Notification,
    stepOf: (progress: Progress) => Step,
    attempt?: Attempt & { readonly alert: AlertFacts | undefined },
  ): Promise<void> => {
    const now = clock.now();
    await db.transaction(async (sql) => {
      await lockJob(sql, job.jobId);
      const before = await lockProgress(sql, notification.id);
      if (!before) return await finishJob(sql, job);
      const isCancelled = before.status === "cancelled";
      const wanted = stepOf(isCancelled ? { ...before, status: "waiting" } : before);
      const step: Step =
        isCancelled && wanted.status !== "sent"
          ? { status: "cancelled", reason: before.reason, unreached: null, nextAttemptAt: null, job: "finish" }
          : wanted;
      if (attempt) {
        const { startedAt, outcome, answer } = attempt;
        await addAttempt(sql, notification.id, { startedAt, outcome, answer, attempt: before.attempts + 1, finishedAt: now });
      }
      await storeStep(sql, notification.id, {
        ...step,
        attempts: before.attempts + (attempt ? 1 : 0),
        late: isLate(before, step.status, now),
        finishedAt: step.job === "release" ? null : now,
      });
      await endJob(sql, job, step, now);
      // the incident may have ended before this was sent, or while it was
      if (attempt && step.status === "sent" && isBeginning(notification, attempt.alert))
        await insertEnds(sql, { notificationId: notification.id }, now);
      if (notification.kind === "alert") await context.settle(sql, notification.alertId, now);
    });
    context.onStored();
  };

  const endJob = async (sql: Sql, job: ClaimedJob, step: Step, now: Date): Promise<void> => {
    if (step.job === "finish") return await finishJob(sql, job);
    if (step.job === "bury") return await buryJob(sql, job, step.reason ?? "it could not be sent");
    const availableAt = step.nextAttemptAt ?? now;
    await releaseJob(sql, job, { availableAt, error: step.reason, attempt: "deferred" });
  };

  const messageOf = async (notification: Notification, now: Date): Promise<Message | undefined> =>
    await db.query(async (sql) => {
      const { id: notificationId, createdAt, kind } = notification;
      if (notification.kind === "silence") {
        const silence = await findSilenceFacts(sql, notification.silenceId);
        const heldBack = await findSilenced(sql, notification.silenceId, listedEvents);
        return silence && { notificationId, createdAt, late: lateness(notification, kind, now), silence, heldBack };
      }
      const alert = await findAlertFacts(sql, notification.alertId);
      const heldBack = kind === "digest" ? await findHeldBack(sql, notification, listedEvents) : undefined;
      const endOf = kind === "end" ? await beginningOf(sql, notification.alertId, notification.channel) : undefined;
      return alert && { notificationId, createdAt, late: lateness(notification, notification.kind, now), alert, heldBack, endOf };
    });

  const attemptOf = async (notification: Notification, message: Message, signal: AbortSignal): Promise<Outcome> => {
    const available = channelAvailability(config)[notification.channel];
    if (!available.usable) return { kind: "again", answer: available.reason, misconfigured: true };
    const recipients = notification.unreached ?? config.defaultEmailRecipients;
    const { channel } = notification;
    const outcome = await transmit(context, message, { channel, recipients }, signal);
    if (channel === "email") {
      const isRefused = outcome.kind === "again" && outcome.misconfigured;
      refusing = isRefused ? { answer: outcome.answer, at: clock.now(), until: clock.monotonic() + mendDelayMs } : undefined;
    }
    return outcome;
  };

  /** Has a mail wait for as long as its server is not to be asked. */
  const whileRefused = (before: Progress, answer: string, waitMs: number): Step => ({
    ...{ status: before.status, unreached: before.unreached, job: "release" },
    reason: [answer, ...refusedEarlier(before)].join("; "),
    nextAttemptAt: new Date(Math.min(clock.now().getTime() + waitMs, Math.max(before.expiresAt.getTime(), clock.now().getTime()))),
  });

  /** What went wrong is told by the log of faults, once for each cause. */
  const tell = (notification: Notification, { alert }: Message, outcome: Outcome, startedAt: Date): void => {
    const now = clock.now().getTime();
    const counted = { sent: "success", again: "retry", failed: "failure" } as const;
    context.onAttempt(notification.channel, counted[outcome.kind], (now - notification.createdAt.getTime()) / 1000);
    const about = { stage: "deliver", trace: alert?.trace ?? undefined, event: alert?.eventId, alert: notification.alertId ?? undefined };
    const { id, channel, kind } = notification;
    const fields = { ...about, notification: id, channel, kind, answer: outcome.answer, took_ms: now - startedAt.getTime() };
    if (outcome.kind === "sent") context.log.info(fields, "a notification was sent");
    else context.log.debug(fields, "a notification was not sent");
  };

  const run = async (id: string, job: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    const notification = await db.query((sql) => findNotification(sql, id));
    const message = notification && isOpen(notification) ? await messageOf(notification, startedAt) : undefined;
    if (!notification || !message) return await db.query((sql) => finishJob(sql, job));
    if (isEndedByPerson(notification, message.alert)) return await store(job, notification, cancelled);
    if (notification.kind === "digest" && message.heldBack?.count === 0) return await store(job, notification, emptied);
    if (startedAt >= notification.expiresAt) {
      faults.ended(notification, "it was not sent in time");
      tell(notification, message, { kind: "failed", answer: "expired" }, startedAt);
      return await store(job, notification, stepAtExpiry);
    }
    const refused = notification.channel === "email" && !isBroughtForward(notification, refusing) ? refusing : undefined;
    const waitMs = (refused?.until ?? 0) - clock.monotonic();
    if (refused && waitMs > 0) return await store(job, notification, (before) => whileRefused(before, refused.answer, waitMs));
    const outcome = await attemptOf(notification, message, signal);
    // what was sent is stored even when the daemon stops: else it would be sent again
    if (outcome.kind !== "sent") signal.throwIfAborted();
    faults.heard(notification, outcome);
    const now = clock.now();
    tell(notification, message, outcome, startedAt);
    const attempt = { startedAt, outcome: outcome.kind, answer: outcome.answer, alert: message.alert };
    const after = { tries: job.deferrals + 1, now, random: random() };
    await storeOutcome(() => store(job, notification, (before) => stepAfter(before, outcome, after), attempt), { clock, signal });
  };

  const giveUp = async (id: string, job: ClaimedJob, error: string): Promise<void> => {
    const notification = await db.query((sql) => findNotification(sql, id));
    if (!notification || !isOpen(notification)) return await db.query((sql) => finishJob(sql, job));
    faults.ended(notification, error);
    await store(job, notification, (before) =>
      stepAfter(before, { kind: "failed", answer: error }, { tries: 1, now: clock.now(), random: 0 }),
    );
  };

  return { run, giveUp };
}

type Attempt = { readonly startedAt: Date; readonly outcome: Outcome["kind"]; readonly answer: string };

/** How the mail server refuses us: with what answer, since when, and until when, by the monotonic clock, it is left alone. */
interface Refusal {
  readonly answer: string;
  readonly at: Date;
  readonly until: number;
}

/** Whether a mail that this refusal held back is due before its time: somebody has mended what it was about. */
function isBroughtForward({ reason, nextAttemptAt }: Notification, refusal: Refusal | undefined): boolean {
  if (!refusal || reason === null || nextAttemptAt === null) return false;
  return reason.startsWith(refusal.answer) && nextAttemptAt > refusal.at;
}

/** Whether what was sent says that an incident lasts, so that its end has to follow. The payload of a webhook never says that it is over. */
function isBeginning({ kind, channel }: Notification, alert: AlertFacts | undefined): boolean {
  return kind === "alert" && alert?.eventKind === "camera_health" && (channel === "webhook" || alert.incidentEndedAt === null);
}

/** Whether nobody is to hear of it any more: who acknowledges an incident still wants to know when it is over. */
function isEndedByPerson({ kind }: Notification, alert: AlertFacts | undefined): boolean {
  const status = alert?.status;
  return status === "dismissed" ? kind !== "digest" : status === "acknowledged" && kind === "alert";
}

/** What was held back is deleted by now: there is nothing to say of it. */
function emptied(before: Progress): Step {
  return { ...cancelled(before), reason: "all events that it was to tell of were deleted" };
}

/** A person has ended the alert: who has not heard of it yet need not. */
function cancelled(before: Progress): Step {
  const status = before.status === "waiting" ? "cancelled" : before.status;
  return { status, reason: before.reason, unreached: null, nextAttemptAt: null, job: "finish" };
}
