import type { Outcome } from "../delivery/outcome.ts";
import type { Refusal, SmtpResult } from "./smtp.ts";

/** Replies that ask for another login or for TLS. Once you fix the configuration, the waiting mails go out. */
const loginReplies: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/** Whether the enhanced status code (RFC 3463) blames the sender's rights, such as relaying without a login, and not the recipient. */
const isPolicy = ({ answer }: Refusal): boolean => /^5\d\d[ -]5\.7\.\d/.test(answer);

/**
 * Says what the mail server's answer means for a mail:
 *
 * - A permanent refusal (5xx) of the mail or of all its recipients, such as 550, ends it as `failed`.
 * - A login or TLS problem, or a refusal of homesec itself, is a misconfiguration: `again`, more slowly.
 * - Everything else (4xx, 503, no answer) is tried again.
 *
 * A mail that some recipients got is `sent`: those that may get it later are `unreached`, those that never will are named.
 */
export function outcomeOfMail(result: SmtpResult): Outcome {
  const later = result.refusals.filter(({ permanent }) => !permanent).map(({ recipient }) => recipient);
  const never = result.refusals.filter(({ permanent }) => permanent);
  if (result.kind === "accepted") {
    return {
      kind: "sent",
      answer: [result.answer, ...result.refusals.map(named)].join("; "),
      ...(never.length > 0 && { refusedFor: never.map(named).join("; ") }),
      ...(later.length > 0 && { unreached: later }),
    };
  }
  const answer = result.refusals.length > 0 ? result.refusals.map(named).join("; ") : result.answer;
  if (result.refusals.length > 0) {
    // Many servers ask for a login, or refuse this machine, only when they hear the recipients
    if (result.refusals.every(isPolicy)) return { kind: "again", answer, misconfigured: true };
    return later.length > 0 ? { kind: "again", answer, ...(never.length > 0 && { unreached: later }) } : { kind: "failed", answer };
  }
  if (result.isLogin) return { kind: "again", answer: `the mail server refuses the login: ${answer}`, misconfigured: true };
  if (result.refusesTls)
    return {
      kind: "again",
      answer: `the mail server offers no TLS, and homesec sends no password without it: ${answer}`,
      misconfigured: true,
    };
  const status = result.status ?? 0;
  // This is not about the mail: the machine's address may be on a blocklist for a while
  if (result.refusesUs)
    return { kind: "again", answer: `the mail server refuses this machine: ${answer}`, ...(status >= 500 && { misconfigured: true }) };
  if (loginReplies.has(status)) return { kind: "again", answer, misconfigured: true };
  if (status < 500 || status === 503) return { kind: "again", answer };
  if (result.refusesSender)
    return { kind: "again", answer: `the mail server refuses the sender (SMTP_FROM_ADDRESS): ${answer}`, misconfigured: true };
  return { kind: "failed", answer };
}

const named = ({ recipient, answer }: Refusal): string => `refused for ${recipient}: ${answer}`;
