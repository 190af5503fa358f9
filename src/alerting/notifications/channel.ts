import { type ChannelKindName, channels } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import { findOverviews } from "../../monitoring/events/overview-repository.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import type { ClaimedJob } from "../../work/jobs/jobs-repository.ts";
import { type ChannelName, channelAvailability } from "../channels/availability.ts";
import { openChannel } from "../channels/channel.ts";
import { findChannel, storeLastAttempt } from "../channels/channels-repository.ts";
import { isMail } from "../channels/targets.ts";
import type { Channel, Rendered, Result, Run, Stored } from "../delivery/channel.ts";
import type { LogEntry } from "../delivery/fault-log.ts";
import type { AlertFacts, Message } from "../delivery/message.ts";
import type { Counted, Outcome } from "../delivery/outcome.ts";
import { lateText } from "../rules/lateness.ts";
import { findSummary } from "../summaries/summaries-repository.ts";
import { alertsOfCatchUp, findCatchUp } from "./catch-ups-repository.ts";
import { insertEdits } from "./edits-repository.ts";
import { beginningOf, insertEnds } from "./ends-repository.ts";
import { findAlertFacts, findHeldBack, findSilenced, findSilenceFacts, reminderOf } from "./facts-repository.ts";
import { follow } from "./follow.ts";
import { joinedAlerts, separateNotifications } from "./joining-repository.ts";
import { createMailPause, type MailPause } from "./mail-pause.ts";
import { isLate, lateness, latenessOfSummary, nextState } from "./next-state.ts";
import { isOpen, type Notification } from "./notification.ts";
import { phoneTransport } from "./phone.ts";
import { quiet } from "./quiet.ts";
import { addAttempt, findNotification, lockJob, lockProgress, storeProgress } from "./sending-repository.ts";
import { type Send, type TransportContext, transports } from "./transports.ts";
import { insertUpdates } from "./updates-repository.ts";

/** A digest lists this many events and counts the rest. */
const listedEvents = 20;

export interface NotificationChannelContext extends TransportContext {
  /** Opens the secrets of channels to phones. */
  readonly sealer: Sealer;
  /** Updates an alert to what its channels did, in the transaction that stores an outcome. */
  readonly settle: (sql: Sql, alertId: string, now: Date) => Promise<unknown>;
  /** Counts an attempt that ended this many seconds after the notification was queued. */
  readonly onAttempt: (channel: CountedChannel, outcome: Counted, seconds: number) => void;
  /** Returns 0 to 1, for the jitter of retries. */
  readonly random?: () => number;
}

/** The name of a channel in metrics: names that users give would make ever new ones. */
export type CountedChannel = ChannelName | ChannelKindName;

interface Request {
  readonly isByMail: boolean;
  readonly message: Message;
  /** It goes only to recipients that earlier attempts did not reach. */
  readonly isRest: boolean;
  readonly send: Send;
}

/** Makes the channel of notifications, which go out by mail, to DEFAULT_WEBHOOK_URL or to phones. `next-state.ts` explains their states. */
export function createNotificationChannel(context: NotificationChannelContext): Channel<Notification, Request> {
  const { clock, random = Math.random } = context;
  const mailPause = createMailPause(clock);
  const phones: PhoneKinds = new Map();
  return {
    load: async (sql, id) => {
      const notification = await findNotification(sql, id);
      return notification && isOpen(notification) ? notification : undefined;
    },
    render: (notification, run) => render(notification, run, { ...context, mailPause, phones }),
    send: async ({ isByMail, isRest, send }, signal) => {
      const outcome = await send(signal);
      // A refusal of one recipient must not hold back the mails to the others
      if (isByMail && !(isRest && outcome.kind === "again")) mailPause.follow(outcome);
      return outcome;
    },
    store: (sql, notification, result, job) => store(sql, { notification, result, job, random: random() }, context.settle),
    afterCommit: (notification, result, { counted }) => {
      if (counted === undefined) return undefined;
      context.onAttempt(countedChannel(notification, phones), counted, (result.at.getTime() - notification.createdAt.getTime()) / 1000);
      return entryOf(notification, result, counted);
    },
    recovered: (channel) => ({ fields: { channel }, text: "notifications work again" }),
  };
}

async function render(
  notification: Notification,
  { startedAt, signal }: Run,
  context: NotificationChannelContext & { readonly mailPause: MailPause; readonly phones: PhoneKinds },
): Promise<Rendered<Request> | undefined> {
  const { channel, channelId } = notification;
  const message = await messageOf(context.db, notification, startedAt);
  if (!message) return notification.kind === "catch_up" ? { kind: "ended", as: "cancelled", reason: "no alert of it is open" } : undefined;
  const held = await context.db.query((sql) => quiet(sql, notification, message, startedAt));
  if (isEndedByPerson(notification, message.alert)) return { kind: "ended", as: "cancelled", reason: null };
  if (notification.kind === "digest" && message.heldBack?.count === 0) {
    return { kind: "ended", as: "cancelled", reason: "all events of this digest were deleted" };
  }
  if (startedAt >= notification.expiresAt) return { kind: "ended", as: "expired", reason: "it was not sent in time" };
  if (held) return held;
  if (channelId !== null) return await renderForPhone({ ...notification, channelId }, message, context, signal);
  const isByMail = isMail(notification);
  if (!isByMail && channel !== "webhook") return { kind: "ended", as: "failed", reason: `homesec has no channel ${channel}` };
  const pause = isByMail ? context.mailPause.of(notification) : undefined;
  if (pause) return { kind: "waits", ...pause };
  const availability = channelAvailability(context.config);
  const isToAddress = isByMail && channel !== "email";
  const available = isToAddress ? (availability.address ?? availability.email) : availability[isByMail ? "email" : "webhook"];
  if (!available.usable) return { kind: "outcome", outcome: { kind: "again", answer: available.reason, misconfigured: true } };
  const recipients = notification.unreached ?? (isToAddress ? [channel] : context.config.defaultEmailRecipients);
  const send = await transports[isByMail ? "email" : "webhook"](context, message, recipients, signal);
  return { kind: "request", request: { isByMail, message, isRest: notification.unreached !== null, send } };
}

/** A message to a channel that was removed or disabled meanwhile is not sent: no one waits for it there. */
async function renderForPhone(
  { channel, channelId }: Notification & { readonly channelId: string },
  message: Message,
  context: NotificationChannelContext & { readonly phones: PhoneKinds },
  signal: AbortSignal,
): Promise<Rendered<Request>> {
  const row = await context.db.query((sql) => findChannel(sql, channelId));
  if (!row) return { kind: "ended", as: "cancelled", reason: `the channel ${channel} was removed` };
  context.phones.set(channelId, row.kind);
  if (!row.enabled) return { kind: "ended", as: "cancelled", reason: `the channel ${channel} was disabled` };
  const { push } = channelAvailability(context.config);
  if (!push.usable) return { kind: "outcome", outcome: { kind: "again", answer: push.reason, misconfigured: true } };
  try {
    const send = await phoneTransport(context, openChannel(row, context.sealer), message, signal);
    return { kind: "request", request: { isByMail: false, message, isRest: false, send } };
  } catch (error) {
    // Sealed with another key file: the right one may return
    if (!(error instanceof Problem)) throw error;
    return { kind: "outcome", outcome: { kind: "again", answer: error.message, misconfigured: true } };
  }
}

async function messageOf(db: Database, notification: Notification, now: Date): Promise<Message | undefined> {
  return await db.query(async (sql) => {
    const message = await factsOf(sql, notification, now);
    if (!message || notification.channel !== "webhook") return message;
    const ids = [...(message.alert ? [message.alert.eventId] : []), ...(message.heldBack?.events ?? []).map(({ eventId }) => eventId)];
    const overviews = await findOverviews(sql, ids, now);
    return { ...message, events: new Map([...overviews].map(([id, { event }]) => [id, event])) };
  });
}

async function factsOf(sql: Sql, notification: Notification, now: Date): Promise<Message | undefined> {
  const { id: notificationId, createdAt, kind } = notification;
  const common = { notificationId, createdAt, late: lateness(notification, kind, now) };
  if (notification.kind === "summary") {
    const summary = await findSummary(sql, notification.summaryDay);
    return summary && { ...common, late: common.late ?? latenessOfSummary(summary, createdAt), summary };
  }
  if (notification.kind === "silence") {
    const silence = await findSilenceFacts(sql, notification.silenceId);
    return silence && { ...common, silence, heldBack: await findSilenced(sql, notification.silenceId, listedEvents) };
  }
  if (notification.kind === "catch_up") {
    const found = await findCatchUp(sql, notification.catchUpId, listedEvents);
    return found && { ...common, catchUp: found.facts, heldBack: found.heldBack };
  }
  const alert = await findAlertFacts(sql, notification.alertId);
  const joined = await joinedAlerts(sql, notificationId);
  const heldBack = kind === "digest" ? await findHeldBack(sql, notification, listedEvents) : undefined;
  const first = kind === "end" || kind === "update" ? await beginningOf(sql, notification.alertId, notification.channel) : undefined;
  const [endOf, updateOf] = kind === "end" ? [first, undefined] : [undefined, first];
  // Only the alert itself: a digest and the message about an end describe what came later
  const delays = [kind === "alert" && alert?.lateSeconds ? lateText(alert.lateSeconds) : undefined, common.late];
  const late = delays.filter((delay) => delay !== undefined).join(" ") || undefined;
  return alert && { ...common, late, alert, joined, heldBack, endOf, updateOf, reminder: await reminderOf(sql, notification) };
}

/** Tells whether the message is obsolete. A person who acknowledges an incident still wants to know when it is over. */
function isEndedByPerson({ kind }: Notification, alert: AlertFacts | undefined): boolean {
  const status = alert?.status;
  return status === "dismissed"
    ? kind !== "digest"
    : status === "acknowledged" && (kind === "alert" || kind === "update" || kind === "repeat");
}

/** Locks the job, the notification with those joined to it, and the alerts, in this order. */
async function store(
  sql: Sql,
  run: { readonly notification: Notification; readonly result: Result<Request>; readonly job: ClaimedJob; readonly random: number },
  settle: NotificationChannelContext["settle"],
): Promise<Stored> {
  const { notification, result, job } = run;
  await lockJob(sql, job.jobId);
  const rows = await lockProgress(sql, notification.id);
  const before = rows.find(({ id }) => id === notification.id);
  const counted = countedAs(result);
  if (!before) return { job: { kind: "finish" }, counted };
  const retry = { tries: job.deferrals + 1, random: run.random };
  const next = nextState(before, result, retry);
  const message = result.kind === "attempted" ? result.request?.message : undefined;
  const followed = follow(rows, { leader: before, next, result, retry, reported: reportedBy(message) });
  if (result.kind === "attempted") {
    const { startedAt, outcome } = result;
    const stored = { attempt: before.attempts + 1, startedAt, finishedAt: result.at, outcome: outcome.kind, answer: outcome.answer };
    await addAttempt(sql, notification.id, stored);
  }
  const attempts = result.kind === "attempted" ? 1 : 0;
  for (const { row, state } of followed.changed) {
    await storeProgress(sql, row.id, {
      ...state,
      nextAttemptAt: isOpen(state) && next.job.kind === "release" ? next.job.availableAt : null,
      attempts: row.attempts + attempts,
      late: isLate(row, state.status, result.at),
      ...(result.kind === "attempted" && result.outcome.kind === "sent" && { reference: result.outcome.reference }),
      finishedAt: isOpen(state) ? null : result.at,
    });
  }
  await separateNotifications(sql, followed.separated, result.at);
  if (notification.channelId !== null && result.kind === "attempted") {
    await storeLastAttempt(sql, notification.channelId, result.outcome, result.at);
  }
  // The incident may have ended before its beginning was sent, or meanwhile
  const sent = followed.changed.filter(({ state }) => state.status === "sent").map(({ row }) => row.id);
  if (sent.length > 0 && isBeginning(notification, message?.alert)) await insertEnds(sql, { notificationIds: sent }, result.at);
  // The visit may have been judged while the message was under way
  if (sent.length > 0 && isDuringVisit(notification, message?.alert)) await insertUpdates(sql, { notificationIds: sent }, result.at);
  if (notification.kind === "catch_up") {
    for (const alertId of await alertsOfCatchUp(sql, notification.catchUpId)) await settle(sql, alertId, result.at);
  }
  // A person may have ended the alert while the message was under way
  if (sent.length > 0 && notification.channelId !== null) await insertEdits(sql, { notificationIds: sent }, result.at);
  if (notification.kind === "alert") {
    const alertIds = followed.changed.flatMap(({ row }) => row.alertId ?? []);
    for (const alertId of alertIds.toSorted()) await settle(sql, alertId, result.at);
  }
  return { job: next.job, counted };
}

/** The notifications that a message reported besides its own. Undefined: none was made. */
function reportedBy(message: Message | undefined): readonly string[] | undefined {
  return message && (message.joined ?? []).map(({ notificationId }) => notificationId);
}

/** Whether the message says that an incident lasts, so that its end has to follow. A webhook's payload never says that it is over. */
function isBeginning({ kind, channel }: Notification, alert: AlertFacts | undefined): boolean {
  return kind === "alert" && alert?.eventKind === "camera_health" && (channel === "webhook" || alert.incidentEndedAt === null);
}

/** Whether the message is about an immediate alert and was made before the event was judged, so that an update has to follow. */
function isDuringVisit({ kind }: Notification, alert: AlertFacts | undefined): boolean {
  return kind === "alert" && alert?.isImmediate === true && alert.riskScore === null && alert.analysisStatus === "pending";
}

/** The kinds of the channels to phones that were used, by id. */
type PhoneKinds = Map<string, ChannelKindName>;

function countedChannel({ channel, channelId }: Notification, phones: PhoneKinds): CountedChannel {
  if (channelId !== null) return phones.get(channelId) ?? "push";
  if (isMail({ channel, channelId })) return "email";
  return channels.find((name) => name === channel) ?? "push";
}

const countedOutcomes = { sent: "success", again: "retry", failed: "failure" } as const satisfies Record<Outcome["kind"], Counted>;

function countedAs(result: Result<Request>): Counted | undefined {
  if (result.kind === "attempted") return countedOutcomes[result.outcome.kind];
  return result.kind === "ended" && result.as !== "cancelled" ? "failure" : undefined;
}

function entryOf(notification: Notification, result: Result<Request>, counted: Counted): LogEntry {
  const { id, channel, kind, eventId, trace, alertId, silenceId, summaryDay, catchUpId, status } = notification;
  const outcome = result.kind === "attempted" ? result.outcome : undefined;
  const answer = result.kind === "attempted" ? result.outcome.answer : result.reason;
  const reason = outcome?.kind === "sent" ? (outcome.refusedFor ?? null) : answer;
  const joined = result.kind === "attempted" ? result.request?.message.joined?.map((other) => other.alertId) : undefined;
  const fields = {
    ...{ stage: "deliver", trace: trace ?? undefined, event: eventId ?? undefined, alert: alertId ?? undefined },
    ...{
      silence: silenceId ?? undefined,
      summary: summaryDay ?? undefined,
      catch_up: catchUpId ?? undefined,
      notification: id,
      channel,
      kind,
      answer,
    },
    ...(result.kind === "attempted" && { took_ms: result.at.getTime() - result.startedAt.getTime() }),
    ...(reason !== null && { reason }),
    ...(joined && joined.length > 0 && { joined_alerts: joined }),
  };
  return { counted, target: channel, fields, reason, isAlarm: counted === "failure", ...sentenceOf(counted, outcome, status === "sent") };
}

function sentenceOf(counted: Counted, outcome: Outcome | undefined, isPartlySent: boolean): Pick<LogEntry, "level" | "text"> {
  if (outcome?.kind === "sent" && outcome.refusedFor === undefined) return { level: "info", text: "notification sent" };
  if (outcome?.kind === "sent") return { level: "warn", text: "notification sent, but the mail server refused some recipients" };
  if (counted === "failure" && isPartlySent)
    return { level: "error", text: "mail reached some of its recipients; not retrying the others" };
  if (counted === "failure")
    return { level: "error", text: "notification failed for good; it is in the dead letters of the queue deliver" };
  if (outcome?.kind === "again" && outcome.misconfigured)
    return { level: "error", text: "notifications cannot be sent with this configuration; retrying until it is fixed" };
  if (outcome?.kind === "again" && outcome.lasting === "account")
    return { level: "error", text: "the mail server limits or holds this account; retrying slowly" };
  return { level: "warn", text: "notification failed; retrying" };
}
