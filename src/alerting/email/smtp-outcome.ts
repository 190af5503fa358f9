import type { Outcome } from "../delivery/outcome.ts";
import type { Refusal, SmtpResult } from "./smtp.ts";
import { meaningOf, type ReplyMeaning } from "./smtp-replies.ts";

type Again = Extract<Outcome, { readonly kind: "again" }>;

/** Replies that ask for another login or for TLS. Once you fix the configuration, the waiting mails go out. */
const loginReplies: ReadonlySet<number> = new Set([530, 534, 535, 538]);

/**
 * Says what the mail server's answer means for a mail. Providers answer 5xx to much that is over tomorrow, so only an address that does not
 * exist is final:
 *
 * - If no recipient exists, the mail ends as `failed`.
 * - A login or TLS problem, or a refusal of homesec itself, is a misconfiguration: `again`, more slowly.
 * - A sending limit or an account on hold lasts: `again`, more slowly, and one mail tries for all.
 * - A full mailbox and every other 5xx lasts too, but only for this mail.
 * - Everything else (4xx, 503, no answer) is tried again.
 *
 * A mail that some recipients got is `sent`: those that may get it later are `unreached`, those that never will are named.
 */
export function outcomeOfMail(result: SmtpResult): Outcome {
  const refused = result.refusals.map((refusal) => ({ ...refusal, meaning: meaningOf(refusal.answer, "recipient") }));
  const later = refused.filter(({ meaning }) => meaning !== "no_recipient");
  const never = refused.filter(({ meaning }) => meaning === "no_recipient");
  const unreached = later.map(({ recipient }) => recipient);
  const pace = paceOf(later.map(({ meaning }) => meaning));
  if (result.kind === "accepted") {
    return {
      kind: "sent",
      answer: [result.answer, ...refused.map(named)].join("; "),
      ...(never.length > 0 && { refusedFor: never.map(named).join("; ") }),
      ...(later.length > 0 && { unreached, ...pace }),
    };
  }
  if (refused.length > 0) {
    // Many servers ask for a login, or refuse this machine, only when they hear the recipients
    const answer = refused.map(named).join("; ");
    if (later.length === 0) return { kind: "failed", answer };
    return { kind: "again", answer, ...pace, ...(never.length > 0 && { unreached }) };
  }
  return outcomeOfRefusal(result);
}

/** The outcome of a mail that was refused as a whole. */
function outcomeOfRefusal(result: Extract<SmtpResult, { readonly kind: "not_accepted" }>): Outcome {
  const { answer, status = 0 } = result;
  if (result.isLogin) return misconfigured(`the mail server refuses the login: ${answer}`);
  if (result.refusesTls) return misconfigured(`the mail server offers no TLS, and homesec sends no password without it: ${answer}`);
  // This is not about the mail: the machine's address may be on a blocklist for a while
  if (result.refusesUs)
    return { kind: "again", answer: `the mail server refuses this machine: ${answer}`, ...(status >= 500 && { misconfigured: true }) };
  if (loginReplies.has(status)) return misconfigured(answer);
  if (status === 0 || status === 503) return { kind: "again", answer };
  const meaning = meaningOf(answer, result.refusesSender ? "sender" : "message");
  // A provider whose own mailbox is full sends nothing for it
  const isAccount = meaning === "account" || (result.refusesSender && meaning === "mailbox");
  if (isAccount) return { kind: "again", answer: `the mail server limits or holds this account: ${answer}`, lasting: "account" };
  if (result.refusesSender && meaning !== "transient" && meaning !== "size")
    return misconfigured(`the mail server refuses the sender (SMTP_FROM_ADDRESS): ${answer}`);
  if (meaning === "no_recipient") return { kind: "failed", answer };
  return { kind: "again", answer, ...paceOf([meaning]) };
}

const misconfigured = (answer: string): Outcome => ({ kind: "again", answer, misconfigured: true });

/** How soon to try again, if every one of these refusals lasts. */
function paceOf(meanings: readonly ReplyMeaning[]): Pick<Again, "misconfigured" | "lasting"> {
  if (meanings.length === 0 || meanings.includes("transient")) return {};
  if (meanings.every((meaning) => meaning === "configuration")) return { misconfigured: true };
  return { lasting: meanings.every((meaning) => meaning === "account" || meaning === "configuration") ? "account" : "message" };
}

const named = ({ recipient, answer }: Refusal): string => `refused for ${recipient}: ${answer}`;
