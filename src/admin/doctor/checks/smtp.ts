import { loginBySmtp, type SmtpTimeouts, smtpServerOf } from "../../../alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../alerting/email/smtp-outcome.ts";
import { isLoopback } from "../../../platform/config/cross-checks.ts";
import { type Check, finding, NotPossible, ok } from "../check.ts";
import { nameFault } from "../names.ts";

const quick: SmtpTimeouts = { connect: 4_000, greeting: 4_000, idle: 4_000, total: 5_000, answer: 5_000 };

const smtp: Check = {
  id: "smtp",
  group: "notifications",
  title: "Mail server",
  severity: "error",
  finds: "The mail server cannot be reached, offers no TLS, shows a certificate that cannot be trusted, or refuses the login",
  remedy: "Correct SMTP_HOST, SMTP_PORT, SMTP_USER and SMTP_PASSWORD; then homesec notifications test email",
  async run(examination, signal) {
    const server = smtpServerOf(examination.config());
    if (server === undefined) throw new NotPossible("SMTP_HOST is not set");
    const where = `${server.host}:${server.port}`;
    const fault = await nameFault(examination.machine, server.host);
    if (fault !== undefined)
      return finding(`The mail server is not found: ${fault}`, "Correct SMTP_HOST, or see why names are not found: getent hosts NAME");
    const greeting = await loginBySmtp(server, signal, quick);
    if (greeting.kind === "welcome") {
      if (!greeting.secure && !isLoopback(server.host)) {
        return finding(
          `The mail server ${where} takes mails without TLS: whoever sits on the way can read the alerts`,
          "Use its port with TLS: SMTP_PORT=465 or 587",
          "warning",
        );
      }
      return ok(`${where}${server.user === undefined ? "" : ", logged in"}${greeting.secure ? ", TLS" : ""}`);
    }
    const outcome = outcomeOfMail(greeting);
    const remedy = greeting.isLogin
      ? "Correct SMTP_USER and SMTP_PASSWORD; many providers want a password made for this program. Then: homesec notifications test email"
      : greeting.refusesTls
        ? "Use a port with TLS (SMTP_PORT=465 or 587), or a mail server that offers it"
        : "Correct SMTP_HOST and SMTP_PORT (465 is TLS from the start, 587 with STARTTLS), or start the mail server";
    return finding(`The mail server ${where}: ${outcome.answer}`, remedy);
  },
};

export const smtpChecks: readonly Check[] = [smtp];
