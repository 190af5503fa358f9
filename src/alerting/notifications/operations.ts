import { randomUUID } from "node:crypto";
import { pluralize } from "../../base/text/format.ts";
import { channels } from "../../contract/constants.ts";
import type { notificationRoutes } from "../../contract/routes/notifications.ts";
import { DatabaseUnavailable } from "../../platform/database/pg-errors.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { availabilityWithPhones, type ChannelName, channelAvailability, noPhones } from "../channels/availability.ts";
import { hasPhones, listChannels } from "../channels/channels-repository.ts";
import { sendTest } from "../channels/test-message.ts";
import type { AlertMessage } from "../delivery/message.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { smtpTimeouts } from "../email/smtp.ts";
import { sendWaiting } from "./queue.ts";
import { transports } from "./transports.ts";

/** Shorter than usual: a person waits for the answer. */
const testTimeouts = { ...smtpTimeouts, total: 30_000, answer: 20_000 };

/** The operations on notifications. */
export const notificationOperations: Pick<Operations, keyof typeof notificationRoutes> = {
  getNotificationConfig: async (_request, { config, db }) => {
    const available = await db.query((sql) => availabilityWithPhones(sql, config));
    const emailConfigured = config.smtpHost !== undefined && config.smtpFromAddress !== undefined;
    return {
      notification_enabled: config.notificationEnabled,
      email_configured: emailConfigured,
      webhook_configured: config.defaultWebhookUrl !== undefined,
      push_configured: await db.query(hasPhones),
      available_channels: channels.filter((channel) =>
        // Recipients are no condition: a test can name its own
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
    // Given recipients replace the configured ones
    const available = channelAvailability({ ...config, defaultEmailRecipients: recipients })[channel];
    if (!available.usable) {
      return { channel, success: false, error: available.reason, message: `Test message not sent: ${available.reason}` };
    }
    if (channel === "push") return { channel, ...(await testPhones(context)) };
    const stop = new AbortController();
    const message = testMessage(clock.now());
    const send = await transports[channel]({ ...context, smtpTimeouts: testTimeouts }, message, recipients, stop.signal);
    const outcome = await send(stop.signal);
    const answer = answerOf(outcome, channel, recipients);
    if (!answer.success) return { channel, ...answer };
    const waited = await makeDue(context, channel);
    const due = `; sending ${pluralize(waited, "waiting notification")} now`;
    return { channel, ...answer, message: `${answer.message}${waited === 0 ? "" : due}` };
  },
};

/** Sends a test message through every enabled channel to phones. */
async function testPhones(context: OperationContext) {
  const { db, clock } = context;
  const phones = (await db.query(listChannels)).filter(({ enabled }) => enabled);
  if (phones.length === 0) return { success: false, error: noPhones, message: `Test message not sent: ${noPhones}` };
  const faults: string[] = [];
  for (const phone of phones) {
    const outcome = await sendTest(phone, context);
    if (outcome.kind === "sent") await sendWaiting(db, { channel: phone.name, channelId: phone.id }, clock.now());
    else faults.push(`${phone.name}: ${outcome.answer}`);
  }
  const error = faults.join("; ");
  if (faults.length > 0) return { success: false, error, message: `Test message not sent: ${error}` };
  return { success: true, error: null, message: `Test message accepted for ${phones.map(({ name }) => name).join(", ")}` };
}

/** Makes the waiting notifications of a channel due now. Returns how many there are, and 0 while the database is away: the test itself was sent. */
async function makeDue({ db, clock }: OperationContext, channel: ChannelName): Promise<number> {
  try {
    return await sendWaiting(db, { channel, channelId: null }, clock.now());
  } catch (error) {
    if (error instanceof DatabaseUnavailable) return 0;
    throw error;
  }
}

/** A mail that reached only some recipients is a success with an error that names the others. */
function answerOf(outcome: Outcome, channel: ChannelName, recipients: readonly string[]) {
  if (outcome.kind !== "sent") return { success: false, error: outcome.answer, message: `Test message not sent: ${outcome.answer}` };
  const missed = [outcome.refusedFor, outcome.unreached && `not yet accepted for ${outcome.unreached.join(", ")}`]
    .filter(Boolean)
    .join("; ");
  const by = channel === "email" ? `for ${recipients.join(", ")}` : "by DEFAULT_WEBHOOK_URL";
  return {
    success: true,
    error: missed === "" ? null : missed,
    message: `Test message accepted${missed === "" ? ` ${by}` : `, but ${missed}`}`,
  };
}

/** A message that is about no event. */
function testMessage(now: Date): AlertMessage {
  return {
    notificationId: randomUUID(),
    isTest: true,
    joined: [],
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
      lateSeconds: null,
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
      summary: "This is a test message. Alerts will reach you here.",
      reasoning: "",
      objectTypes: [],
      detectionId: null,
    },
  };
}
