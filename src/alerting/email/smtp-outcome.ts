import type { Outcome } from "../delivery/outcome.ts";
import type { Refusal, SmtpResult } from "./smtp.ts";

/** Replies that ask for another login or for TLS: a person can mend that, and what waits goes out then. */
const loginReplies: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** By its enhanced code (RFC 3463) it is not about the recipient: the server will not do that for us, as we are. */
const isPolicy = ({ answer }: Refusal): boolean => /^5\d\d[ -]5\.7\.\d/.test(answer);

/**
 * What an answer of the mail server means for a mail. A lasting refusal (5xx) of the mail or of its recipients ends it; anything else is tried again. Where
 * some recipients got it, it is sent: those that may get it later are `unreached`, those that never will are named.
 */
export function outcomeOfMail(result: SmtpResult): Outcome {
  const later = result.refusals.filter(({ permanent }) => !permanent).map(({ recipient }) => recipient);
  const never = result.refusals.filter(({ permanent }) => permanent);
  if (result.kind === "taken") {
    return {
      kind: "sent",
      answer: [result.answer, ...result.refusals.map(named)].join("; "),
      ...(never.length > 0 && { refusedFor: never.map(named).join("; ") }),
      ...(later.length > 0 && { unreached: later }),
    };
  }
  const answer = result.refusals.length > 0 ? result.refusals.map(named).join("; ") : result.answer;
  if (result.refusals.length > 0) {
    // many servers say only at the recipients that they want a login, or hear nobody from here
    if (result.refusals.every(isPolicy)) return { kind: "again", answer, misconfigured: true };
    return later.length > 0 ? { kind: "again", answer, ...(never.length > 0 && { unreached: later }) } : { kind: "failed", answer };
  }
  if (result.isLogin) return { kind: "again", answer: `the mail server refuses the login: ${answer}`, misconfigured: true };
  if (result.refusesTls)
    return { kind: "again", answer: `the mail server offers no TLS, and no password is sent without it: ${answer}`, misconfigured: true };
  const status = result.status ?? 0;
  // nothing was said about the mail: the address of this line stands on a list, perhaps, and will not stand there for ever
  if (result.refusesUs)
    return { kind: "again", answer: `the mail server refuses this machine: ${answer}`, ...(status >= 500 && { misconfigured: true }) };
  if (loginReplies.has(status)) return { kind: "again", answer, misconfigured: true };
  if (status < 500 || status === 503) return { kind: "again", answer };
  if (result.refusesSender)
    return { kind: "again", answer: `the mail server refuses the sender (SMTP_FROM_ADDRESS): ${answer}`, misconfigured: true };
  return { kind: "failed", answer };
}

const named = ({ recipient, answer }: Refusal): string => `not taken for ${recipient}: ${answer}`;
