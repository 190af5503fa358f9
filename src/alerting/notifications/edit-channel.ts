import { hourMs } from "../../base/clock/clock.ts";
import { localTimeZone } from "../../base/clock/time-zone.ts";
import { Problem } from "../../contract/problem.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { openChannel } from "../channels/channel.ts";
import { findChannel } from "../channels/channels-repository.ts";
import { changeOnPhone } from "../channels/send.ts";
import { notificationDelayMs } from "../delivery/backoff.ts";
import type { Channel, JobEnd, Rendered, Result } from "../delivery/channel.ts";
import type { Counted } from "../delivery/outcome.ts";
import { type Edit, findEdit, storeEdit } from "./edits-repository.ts";
import { findAlertFacts } from "./facts-repository.ts";
import { joinedAlerts } from "./joining-repository.ts";
import { momentText, phoneMessage } from "./phone-text.ts";
import type { Send, TransportContext } from "./transports.ts";

/** A change that no service took for this long is no use any more: the buttons work no longer either. */
const retriedForMs = 24 * hourMs;

type EditContext = TransportContext & { readonly sealer: Sealer };

/**
 * Makes the channel that changes messages on phones after a person ended their alert: they lose their buttons and say who did it, and a
 * message that repeats is stopped. A change that cannot be made is no dead letter, since the message itself arrived.
 */
export function createEditChannel(context: EditContext): Channel<Edit, Send> {
  return {
    load: findEdit,
    render: (edit, { startedAt, signal }) => render(edit, startedAt, context, signal),
    send: (send, signal) => send(signal),
    store: async (sql, edit, result, job) => {
      const { answer, end, counted } = next(result, job.deferrals + 1);
      await storeEdit(sql, edit.notificationId, { answer, finishedAt: end.kind === "finish" ? result.at : null });
      return { job: end, counted };
    },
    afterCommit: ({ notificationId, alertId, channel }, result, { counted }) => {
      if (counted === undefined) return undefined;
      const answer = result.kind === "attempted" ? result.outcome.answer : result.reason;
      const texts = { success: "message updated after the answer", retry: "message not updated; retrying", failure: "message not updated" };
      const fields = { stage: "deliver", alert: alertId, notification: notificationId, channel, answer };
      const reason = counted === "success" ? null : answer;
      return { counted, target: channel, level: counted === "success" ? "info" : "warn", text: texts[counted], fields, reason };
    },
    recovered: (channel) => ({ fields: { channel }, text: "updates of messages work again" }),
  };
}

async function render(edit: Edit, now: Date, context: EditContext, signal: AbortSignal): Promise<Rendered<Send> | undefined> {
  const { db, config, outbound, clock, sealer } = context;
  const { notificationId, alertId, channelId, reference, createdAt } = edit;
  const { row, alert, joined } = await db.query(async (sql) => ({
    row: await findChannel(sql, channelId),
    alert: await findAlertFacts(sql, alertId),
    joined: await joinedAlerts(sql, notificationId, "sent"),
  }));
  if (!row?.enabled || !alert) return { kind: "ended", as: "cancelled", reason: "the channel was removed or disabled" };
  if (now.getTime() - createdAt.getTime() > retriedForMs) return { kind: "ended", as: "expired", reason: "it was not updated in time" };
  signal.throwIfAborted();
  const timeZone = localTimeZone();
  const updateOf = edit.kind === "update" ? notificationId : undefined;
  const message = { notificationId, createdAt, late: undefined, alert, joined, heldBack: undefined, updateOf };
  const written = phoneMessage(message, { timeZone, links: context.links ?? config });
  const shown = { ...written, urgency: "low", picture: undefined, ended: endText(edit, now, timeZone) } as const;
  const sending = { outbound, timeoutMs: config.webhookTimeoutSeconds * 1000, now: () => clock.now() };
  try {
    const channel = openChannel(row, sealer);
    return { kind: "request", request: (aborting) => changeOnPhone(channel, { message: shown, reference }, sending, aborting) };
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    return { kind: "outcome", outcome: { kind: "again", answer: error.message, misconfigured: true } };
  }
}

/** Says who ended the alert, and when: `Acknowledged by Anna on Telegram at 23:30`. */
function endText({ status, closedBy, closedAt }: Edit, now: Date, timeZone: string): string {
  const by = closedBy === null ? "" : ` by ${closedBy}`;
  return `${status === "acknowledged" ? "Acknowledged" : "Dismissed"}${by} at ${momentText(closedAt, now, timeZone)}`;
}

/** Returns what follows from a result. `tries` counts the attempts, this one included. */
function next(
  result: Result<Send>,
  tries: number,
): { readonly answer: string | null; readonly end: JobEnd; readonly counted: Counted | undefined } {
  if (result.kind === "attempted" && result.outcome.kind === "again") {
    const { outcome } = result;
    const availableAt = new Date(result.at.getTime() + notificationDelayMs(tries, outcome, Math.random()));
    const end = { kind: "release", availableAt, error: outcome.answer, attempt: "deferred" } as const;
    return { answer: outcome.answer, end, counted: "retry" };
  }
  if (result.kind === "attempted") {
    return { answer: result.outcome.answer, end: { kind: "finish" }, counted: result.outcome.kind === "sent" ? "success" : "failure" };
  }
  const isFailure = result.kind === "ended" && result.as !== "cancelled";
  return { answer: result.reason, end: { kind: "finish" }, counted: isFailure ? "failure" : undefined };
}
