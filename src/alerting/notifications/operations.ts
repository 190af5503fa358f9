import { randomUUID } from "node:crypto";
import { pluralize } from "../../base/text/pluralize.ts";
import { channels } from "../../contract/constants.ts";
import type { notificationRoutes } from "../../contract/routes/notifications.ts";
import { DatabaseUnavailable } from "../../platform/database/pg-errors.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import type { AlertMessage } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { smtpTimeouts } from "../email/smtp.ts";
import { type Channel, channelAvailability } from "./channels.ts";
import { sendWaiting } from "./queue.ts";
import { transmit } from "./transmit.ts";

/** Somebody waits for the answer. */
const testTimeouts = { ...smtpTimeouts, total: 30_000, answer: 20_000 };

/** The use cases of notifications. */
export const notificationOperations: Pick<Operations, keyof typeof notificationRoutes> = {
  getNotificationConfig: async (_request, { config }) => {
    const available = channelAvailability(config);
    const emailConfigured = config.smtpHost !== undefined && config.smtpFromAddress !== undefined;
    return {
      notification_enabled: config.notificationEnabled,
      email_configured: emailConfigured,
      webhook_configured: config.defaultWebhookUrl !== undefined,
      push_configured: false,
      available_channels: channels.filter((channel) =>
        // recipients are beside the channel: a test can name its own
        channel === "email" ? config.notificationEnabled && emailConfigured : available[channel].usable,
      ),
      smtp_host: config.smtpHost ?? null,
      smtp_port: config.smtpPort,
      smtp_from_address: config.smtpFromAddress ?? null,
      default_webhook_url: config.defaultWebhookUrl === undefined ? null : `${new URL(config.defaultWebhookUrl).origin}/***`,
      default_email_recipients: [...config.defaultEmailRecipients],
    };
  },

  testNotification: async ({ body: { channel, email_recipients: given } }, context) => {
    const { config, clock } = context;
    const recipients = given?.length ? given : config.defaultEmailRecipients;
    // recipients that are given make up for those that are not configured
    const available = channelAvailability({ ...config, defaultEmailRecipients: recipients })[channel];
    if (!available.usable) {
      return { channel, success: false, error: available.reason, message: `Nothing was sent: ${available.reason}` };
    }
    const stop = new AbortController();
    const message = testMessage(clock.now());
    const outcome = await transmit({ ...context, smtpTimeouts: testTimeouts }, message, { channel, recipients }, stop.signal);
    const answer = answerOf(outcome, channel, recipients);
    if (!answer.success) return { channel, ...answer };
    const waited = await hasten(context, channel);
    const due = `${pluralize(waited, "notification")} that waited for the channel ${waited === 1 ? "is" : "are"} due now`;
    return { channel, ...answer, message: waited === 0 ? answer.message : `${answer.message}; ${due}` };
  },
};

/** Has what waits for a channel that works sent now. Returns how many that is, 0 while the database is away: the test went out all the same. */
async function hasten({ db, clock }: OperationContext, channel: Channel): Promise<number> {
  try {
    return await sendWaiting(db, channel, clock.now());
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 0;
    throw error;
  }
}

/** A mail that only some got is a success with an error that names the others. */
function answerOf(outcome: Outcome, channel: Channel, recipients: readonly string[]) {
  if (outcome.kind !== "sent")
    return { success: false, error: outcome.answer, message: `The test message was not taken: ${outcome.answer}` };
  const missed = [outcome.refusedFor, outcome.unreached && `not yet taken for ${outcome.unreached.join(", ")}`].filter(Boolean).join("; ");
  const who = channel === "email" ? `for ${recipients.join(", ")}` : "at DEFAULT_WEBHOOK_URL";
  return {
    success: true,
    error: missed === "" ? null : missed,
    message: missed === "" ? `The test message was taken ${who}` : `The test message was taken, but ${missed}`,
  };
}

/** Something to send that is about nothing. */
function testMessage(now: Date): AlertMessage {
  return {
    notificationId: randomUUID(),
    isTest: true,
    heldBack: undefined,
    createdAt: now,
    late: undefined,
    alert: {
      alertId: randomUUID(),
      status: "pending",
      severity: "low",
      dedupKey: "test",
      ruleName: "Test",
      matchedConditions: ["test"],
      raisedAt: now,
      cameraId: "test",
      cameraName: "Test",
      eventId: 0,
      trace: null,
      eventKind: "event",
      incidentEndedAt: null,
      startedAt: now,
      endedAt: now,
      analysisStatus: "completed",
      riskScore: null,
      riskLevel: null,
      summary: "This is a test: alerts can reach you here.",
      reasoning: "",
      objectTypes: [],
      detectionId: null,
    },
  };
}
