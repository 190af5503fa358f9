import { loginBySmtp, type SmtpTimeouts, smtpServerOf } from "../../../alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../alerting/email/smtp-outcome.ts";
import { dayMs } from "../../../base/clock/clock.ts";
import { pluralize } from "../../../base/text/format.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { lostNotifications } from "../doctor-repository.ts";
import { nameFault } from "../names.ts";
import { listed } from "../wording.ts";

const lost: Check = {
  id: "lost-notifications",
  replaces: ["pending-alerts"],
  group: "notifications",
  title: "Failed notifications",
  severity: "error",
  finds: "Within the last day, notifications of alerts failed or expired, or still wait after three attempts",
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

export const notificationChecks: readonly Check[] = [lost, smtp];
