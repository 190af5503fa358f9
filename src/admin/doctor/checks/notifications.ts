import { existsSync } from "node:fs";
import { failingSources } from "../../../alerting/answers/sources-repository.ts";
import { channelAvailability } from "../../../alerting/channels/availability.ts";
import { openChannel } from "../../../alerting/channels/channel.ts";
import { listChannels } from "../../../alerting/channels/channels-repository.ts";
import { checkChannel } from "../../../alerting/channels/check-channel.ts";
import { chosenRecipients, isNeutral, targetsOf } from "../../../alerting/channels/targets.ts";
import { loginBySmtp, type SmtpTimeouts, smtpServerOf } from "../../../alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../alerting/email/smtp-outcome.ts";
import { delayedNotifications } from "../../../alerting/notifications/delayed-repository.ts";
import { quietUntil } from "../../../alerting/recipients/decision.ts";
import type { Recipient } from "../../../alerting/recipients/recipient.ts";
import { listRecipients } from "../../../alerting/recipients/recipients-repository.ts";
import { nextSummaryAt, sendWithinMs } from "../../../alerting/summaries/schedule.ts";
import { subscribersOf } from "../../../alerting/webhooks/webhooks-repository.ts";
import { createSemaphore } from "../../../base/async/semaphore.ts";
import { dayMs } from "../../../base/clock/clock.ts";
import { pluralize, shellWord } from "../../../base/text/format.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { createOutbound } from "../../../platform/outbound/outbound.ts";
import { openSealer } from "../../../platform/secrets/sealer.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { lostNotifications } from "../doctor-repository.ts";
import { nameFault, resolveWithGetent } from "../names.ts";
import { listed } from "../wording.ts";

const lost: Check = {
  id: "lost-notifications",
  replaces: ["pending-alerts"],
  group: "notifications",
  title: "Failed notifications",
  severity: "error",
  finds: "Within the last day, notifications of alerts failed or expired, or some wait because they were refused",
  async run(examination) {
    const now = examination.clock.now();
    const db = await examination.rows();
    const failed = await db.query((sql) => lostNotifications(sql, new Date(now.getTime() - dayMs)));
    const delayed = await db.query((sql) => delayedNotifications(sql, now));
    if (failed.length + delayed.length === 0) return ok("none within the last day");
    const textOf = ({ channel, count, answer }: (typeof failed | typeof delayed)[number], state: string): string =>
      `${pluralize(count, "notification")} by ${channel} ${state}${answer ? `: ${answer}` : ""}`;
    return finding(
      listed([
        ...failed.map((each) => textOf(each, "failed")),
        ...delayed.map((each) => textOf(each, `${each.count === 1 ? "waits" : "wait"} for the next attempt`)),
      ]),
      listed([...new Set([...failed, ...delayed].map(({ channel }) => `homesec notifications test ${channel}`))]),
    );
  },
};

const smtpTimeouts: SmtpTimeouts = { connect: 4_000, greeting: 4_000, idle: 4_000, total: 5_000, answer: 5_000 };

const smtp: Check = {
  id: "smtp",
  group: "notifications",
  title: "Mail server",
  severity: "error",
  finds: "The mail server cannot be reached, offers no TLS, has an untrusted certificate, or rejects the login",
  async run(examination, signal) {
    const server = smtpServerOf(examination.config());
    if (server === undefined) throw new NotPossible("SMTP_HOST is not set");
    const where = `${server.host}:${server.port}`;
    const fault = await nameFault(examination.machine, server.host);
    if (fault !== undefined)
      return finding(
        `The mail server cannot be resolved: ${fault}`,
        `Correct SMTP_HOST, or fix DNS on this machine: getent hosts ${server.host}`,
      );
    const greeting = await loginBySmtp(server, signal, smtpTimeouts);
    if (greeting.kind === "welcome") {
      if (!greeting.secure && !isLoopback(server.host))
        return finding(
          `The mail server ${where} does not use TLS: alerts can be read in transit`,
          "Use its port with TLS: SMTP_PORT=465 or 587",
          "warning",
        );
      return ok(`${where}${server.user === undefined ? "" : ", logged in"}${greeting.secure ? ", TLS" : ""}`);
    }
    const fix = greeting.isLogin
      ? "Correct SMTP_USER and SMTP_PASSWORD; many providers require an app password. Then: homesec notifications test email"
      : greeting.refusesTls
        ? "Use a port with TLS (SMTP_PORT=465 or 587), or a mail server that offers it"
        : "Correct SMTP_HOST and SMTP_PORT (465 for TLS, 587 for STARTTLS), or start the mail server";
    return finding(`The mail server ${where}: ${outcomeOfMail(greeting).answer}`, fix);
  },
};

const answers: Check = {
  id: "phone-answers",
  group: "notifications",
  title: "Buttons on phones",
  severity: "warning",
  finds: "homesec cannot read what people answer on their phones, so the buttons of messages have no effect",
  async run(examination) {
    const db = await examination.rows();
    const failing = await db.query((sql) => failingSources(sql, examination.clock.now()));
    if (failing.length === 0) return ok("no fault");
    return finding(
      listed(failing.map(({ source, fault }) => `Answers by ${source} cannot be read: ${fault}`)),
      "Fix the cause; homesec goes on reading within a minute, and loses no answer of the last hours",
    );
  },
};

const summary: Check = {
  id: "daily-summary",
  group: "notifications",
  title: "Daily summary",
  severity: "warning",
  finds: "DAILY_SUMMARY_AT is set, and the summary reaches no one, or not everyone that DAILY_SUMMARY_CHANNELS names",
  async run(examination) {
    const config = examination.config();
    if (config.dailySummaryAt === undefined) throw new NotPossible("DAILY_SUMMARY_AT is not set");
    const db = await examination.rows();
    const dueAt = nextSummaryAt(config.dailySummaryAt, examination.machine.timeZone, examination.clock.now());
    const { targets, asleep, subscribers } = await db.query(async (sql) => ({
      targets: await targetsOf(sql, config.dailySummaryChannels, channelAvailability(config)),
      asleep: asleepAt(dueAt, chosenRecipients(config.dailySummaryChannels, await listRecipients(sql)).recipients),
      subscribers: await subscribersOf(sql, "daily_summary"),
    }));
    const isAsleep = ({ recipientId }: (typeof targets)[number]): boolean => asleep.some(({ id }) => id === recipientId);
    const reached = targets.filter((target) => target.reason === null && !isAsleep(target)).map(({ channel }) => channel);
    const all = [...new Set([...reached, ...subscribers])];
    // Without phones, the `push` of the default is no fault
    const unusable = targets.filter(({ channel, reason }) => reason !== null && (all.length === 0 || !isNeutral(channel)));
    const missed = [
      ...unusable.map(({ channel, reason }) => `${channel}: ${reason}`),
      ...asleep.map(({ name }) => `${name}: the hours begin more than 12 hours later`),
    ].join("; ");
    if (missed === "") return ok(all.join(", "));
    if (all.length > 0)
      return finding(
        `The summary of ${config.dailySummaryAt} does not reach everyone: ${missed}`,
        "Correct DAILY_SUMMARY_CHANNELS; homesec channels list, webhooks list and recipients list show the names and hours",
      );
    return finding(
      `The summary of ${config.dailySummaryAt} reaches no one: ${missed}`,
      "Set up mail (homesec setup) or a phone (homesec channels add ntfy), or remove DAILY_SUMMARY_AT; homesec summary shows it here",
    );
  },
};

/** The recipients whose hours begin so late that a summary of this time is not sent to them. */
function asleepAt(dueAt: Date, recipients: readonly Recipient[]): readonly Recipient[] {
  return recipients.filter((recipient) => (quietUntil(recipient, undefined, dueAt)?.getTime() ?? 0) > dueAt.getTime() + sendWithinMs);
}

const phoneTimeoutMs = 4_000;
const mostPhones = 20;

const phones: Check = {
  id: "phone-channels",
  group: "notifications",
  title: "Channels to phones",
  severity: "error",
  finds: "The service of an enabled channel to phones cannot be reached, or refuses its token, key or login. No message is sent",
  async run(examination, signal) {
    const config = examination.config();
    const db = await examination.rows();
    const enabled = (await db.query(listChannels)).filter((channel) => channel.enabled).slice(0, mostPhones);
    if (enabled.length === 0) throw new NotPossible("no channel to phones is enabled");
    if (!existsSync(config.secretKeyPath)) throw new NotPossible("the key file of the stored secrets is not on this machine");
    const sealer = openSealer(config.secretKeyPath);
    const outbound = createOutbound({ allow: config.outboundAllow, resolve: resolveWithGetent(examination.machine) });
    try {
      const sending = { outbound, timeoutMs: phoneTimeoutMs };
      const atOnce = createSemaphore({ max: 5 });
      const checked = await Promise.all(
        enabled.map(async (row) => {
          const fault = await atOnce.run(() => checkChannel(openChannel(row, sealer), sending, signal));
          return { name: row.name, fault };
        }),
      );
      const bad = checked.flatMap(({ name, fault }) => (fault ? [{ name, ...fault }] : []));
      if (bad.length === 0) return ok(listed(enabled.map(({ name }) => name)));
      return finding(
        listed(bad.map(({ name, error }) => `Channel "${name}": ${error}`)),
        listed(bad.map(({ name, fix }) => `${fix}, then homesec channels test ${shellWord(name)}`)),
      );
    } finally {
      await outbound.close();
    }
  },
};

export const notificationChecks: readonly Check[] = [lost, smtp, phones, summary, answers];
