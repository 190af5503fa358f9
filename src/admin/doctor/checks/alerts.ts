import { emailFault } from "../../../alerting/notifications/channels.ts";
import { durationText } from "../../../base/clock/duration-text.ts";
import { dayMs, hourMs } from "../../../base/clock/durations.ts";
import { pluralize } from "../../../base/text/pluralize.ts";
import { type Check, finding, ok, skipped } from "../check.ts";
import { countPendingAlerts, lostNotifications } from "../doctor-repository.ts";
import { listed } from "../wording.ts";

const patienceMs = hourMs;

const pending: Check = {
  id: "pending-alerts",
  group: "rules",
  title: "Alerts that wait",
  severity: "warning",
  finds: "Alerts of the last week have waited for more than an hour to reach anybody",
  remedy: "homesec alerts list --status pending; acknowledge or dismiss them, and mend the channel",
  async run(examination) {
    const now = examination.clock.now().getTime();
    const db = await examination.rows();
    const count = await db.query((sql) => countPendingAlerts(sql, new Date(now - 7 * dayMs), new Date(now - patienceMs)));
    if (count === 0) return ok("none");
    return finding(
      `${pluralize(count, "alert")} of the last week ${count === 1 ? "has" : "have"} reached nobody for more than an hour`,
      "homesec alerts list --status pending, and homesec explain alert ID says why; homesec alerts dismiss ID ends it",
    );
  },
};

const lost: Check = {
  id: "lost-notifications",
  group: "notifications",
  title: "Notifications that reached nobody",
  severity: "error",
  finds: "Within the last day mails or webhook messages of alerts failed or expired, or still wait after three attempts",
  remedy: "Mend what the other side says",
  async run(examination) {
    const since = new Date(examination.clock.now().getTime() - dayMs);
    const rows = await (await examination.rows()).query((sql) => lostNotifications(sql, since));
    if (rows.length === 0) return ok("none within the last day");
    return finding(
      listed(
        rows.map(({ channel, isWaiting, count, answer }) => {
          const fate = isWaiting ? ["waits and is tried again", "wait and are tried again"] : ["was given up", "were given up"];
          return `${pluralize(count, "notification")} by ${channel} ${fate[count === 1 ? 0 : 1]}${answer ? `: ${answer}` : ""}`;
        }),
      ),
      listed([...new Set(rows.map(({ channel }) => `homesec notifications test ${channel}`))]),
    );
  },
};

const recipients: Check = {
  id: "email-recipients",
  group: "notifications",
  title: "Recipients of mails",
  severity: "error",
  finds: "SMTP_HOST is set, but mails cannot be sent: no sender, or nobody to send them to",
  remedy: "Set SMTP_FROM_ADDRESS and DEFAULT_EMAIL_RECIPIENTS",
  run: (examination) => {
    const config = examination.config();
    if (config.smtpHost === undefined && config.smtpFromAddress === undefined) return skipped("SMTP_HOST is not set");
    if (!config.notificationEnabled)
      return finding(
        "SMTP_HOST is set, but notifications are switched off",
        "Set NOTIFICATION_ENABLED=true, or remove SMTP_HOST",
        "warning",
      );
    const fault = emailFault(config, config.defaultEmailRecipients);
    if (fault === undefined) return ok(pluralize(config.defaultEmailRecipients.length, "recipient"));
    return finding(`The email channel is off: ${fault}`, `Set ${fault.replace(/^it needs /, "")}`);
  },
};

const expiry: Check = {
  id: "alert-expiry",
  group: "notifications",
  title: "Patience with a dead channel",
  severity: "warning",
  finds: "Alerts are given up within an hour: a mail server that is restarted, or a night without network, loses them",
  remedy: "ALERT_EXPIRY_HOURS=24",
  run: (examination) => {
    const ms = examination.config().alertExpiryHours * hourMs;
    if (ms >= patienceMs) return ok(durationText(ms));
    return finding(`An alert that cannot be delivered is given up after ${durationText(ms)}`, "Set ALERT_EXPIRY_HOURS=24, or remove it");
  },
};

export const alertChecks: readonly Check[] = [pending];
export const notificationChecks: readonly Check[] = [recipients, lost, expiry];
