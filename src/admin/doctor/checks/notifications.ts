import { loginBySmtp, type SmtpTimeouts, smtpServerOf } from "../../../alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../alerting/email/smtp-outcome.ts";
import { channelAvailability, emailFault } from "../../../alerting/notifications/channels.ts";
import { dayMs, hourMs } from "../../../base/clock/clock.ts";
import { durationText, pluralize } from "../../../base/text/format.ts";
import type { Config } from "../../../platform/config/config.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { plainHost } from "../../../platform/outbound/address.ts";
import { type Check, finding, NotPossible, type Outcome, ok, skipped } from "../check.ts";
import { countPendingAlerts, lostNotifications } from "../doctor-repository.ts";
import { nameFault } from "../names.ts";
import { listed } from "../wording.ts";

const pending: Check = {
  id: "pending-alerts",
  group: "rules",
  title: "Pending alerts",
  severity: "warning",
  finds: "Alerts of the last week have been pending for more than an hour: no one was notified",
  fix: "homesec alerts list --status pending; fix the channel, and acknowledge or dismiss the alerts",
  async run(examination) {
    const now = examination.clock.now().getTime();
    const db = await examination.rows();
    const count = await db.query((sql) => countPendingAlerts(sql, new Date(now - 7 * dayMs), new Date(now - hourMs)));
    if (count === 0) return ok("none");
    return finding(
      `${pluralize(count, "alert")} of the last week ${count === 1 ? "has" : "have"} been pending for more than an hour: no one was notified`,
      "homesec alerts list --status pending; homesec explain alert ID says why, and homesec alerts dismiss ID closes it",
    );
  },
};

const settings: Check = {
  id: "notification-settings",
  replaces: ["email-recipients", "alert-expiry", "public-url"],
  group: "notifications",
  title: "Settings of notifications",
  severity: "error",
  finds:
    "SMTP_HOST is set, but mails have no sender or recipient. A warning when notifications are off, alerts expire within an hour, or links in mails lead to localhost",
  fix: "Set SMTP_FROM_ADDRESS, DEFAULT_EMAIL_RECIPIENTS and PUBLIC_URL; ALERT_EXPIRY_HOURS=24",
  run: (examination) => {
    const config = examination.config();
    return [recipients(config), expiry(config), publicUrl(config)];
  },
};

function recipients(config: Config): Outcome {
  if (config.smtpHost === undefined && config.smtpFromAddress === undefined) return skipped("SMTP_HOST is not set");
  if (!config.notificationEnabled)
    return finding("SMTP_HOST is set, but notifications are switched off", "Set NOTIFICATION_ENABLED=true, or remove SMTP_HOST", "warning");
  const fault = emailFault(config, config.defaultEmailRecipients);
  if (fault === undefined) return ok(pluralize(config.defaultEmailRecipients.length, "recipient"));
  return finding(`The email channel is off: ${fault}`, `Set ${fault.replace(/^it needs /, "")}`);
}

function expiry({ alertExpiryHours }: Config): Outcome {
  const ms = alertExpiryHours * hourMs;
  if (ms >= hourMs) return ok(`alerts expire after ${durationText(ms)}`);
  return finding(
    `homesec stops retrying an alert after ${durationText(ms)}, so a restart of the mail server can lose it`,
    "Set ALERT_EXPIRY_HOURS=24, or remove it",
    "warning",
  );
}

function publicUrl(config: Config): Outcome {
  if (!channelAvailability(config).email.usable || config.publicUrl === undefined) return ok();
  const host = plainHost(new URL(config.publicUrl).hostname);
  if (!isLoopback(host)) return ok(`links lead to ${host}`);
  return finding(
    `The links in mails lead to ${host}, which works only on this machine`,
    "Set PUBLIC_URL to the address of homesec in your network, such as https://home.example.net",
    "warning",
  );
}

const lost: Check = {
  id: "lost-notifications",
  group: "notifications",
  title: "Failed notifications",
  severity: "error",
  finds: "Within the last day, notifications of alerts failed or expired, or still wait after three attempts",
  fix: "Fix what the other side reports",
  async run(examination) {
    const since = new Date(examination.clock.now().getTime() - dayMs);
    const rows = await (await examination.rows()).query((sql) => lostNotifications(sql, since));
    if (rows.length === 0) return ok("none within the last day");
    return finding(
      listed(
        rows.map(({ channel, isWaiting, count, answer }) => {
          const state = isWaiting ? `${count === 1 ? "waits" : "wait"} for the next attempt` : "failed";
          return `${pluralize(count, "notification")} by ${channel} ${state}${answer ? `: ${answer}` : ""}`;
        }),
      ),
      listed([...new Set(rows.map(({ channel }) => `homesec notifications test ${channel}`))]),
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
  fix: "Correct SMTP_HOST, SMTP_PORT, SMTP_USER and SMTP_PASSWORD; then homesec notifications test email",
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

export const notificationChecks: readonly Check[] = [pending, settings, lost, smtp];
