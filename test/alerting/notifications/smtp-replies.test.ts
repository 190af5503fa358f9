import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SmtpResult } from "../../../src/alerting/email/smtp.ts";
import { outcomeOfMail } from "../../../src/alerting/email/smtp-outcome.ts";
import { meaningOf, type ReplyMeaning, type SmtpStage } from "../../../src/alerting/email/smtp-replies.ts";

/** Replies as providers and mail servers word them, by their meaning. */
const replies: Readonly<Record<ReplyMeaning, readonly (readonly [stage: SmtpStage, reply: string])[]>> = {
  no_recipient: [
    ["recipient", "550 5.1.1 <x@example.org>: Recipient address rejected: User unknown in local recipient table"],
    ["recipient", "550 5.1.1 <x@example.org>: Recipient address rejected: User unknown in virtual mailbox table"],
    ["recipient", "550 5.1.1 <x@example.org>: Recipient address rejected: User unknown in relay recipient table"],
    [
      "message",
      "550-5.1.1 The email account that you tried to reach does not exist. Please try 550-5.1.1 double-checking the recipient's email address for typos or 550 5.1.1 unnecessary spaces. - gsmtp",
    ],
    ["recipient", "553-5.1.2 We weren't able to find the recipient domain. Please check for any 553 5.1.2 spelling errors - gsmtp"],
    ["recipient", "501 5.1.3 Bad recipient address syntax"],
    ["recipient", "550 5.1.6 Recipient no longer on server"],
    ["recipient", "550 5.1.10 RESOLVER.ADR.RecipientNotFound; Recipient not found by SMTP address lookup"],
    ["recipient", "556 5.1.10 <x@example.org>: Recipient address rejected: Domain example.org does not accept mail (nullMX)"],
    ["recipient", "550 5.1.1 unknown or illegal alias: x@example.org"],
    ["recipient", "550 5.1.1 <x@example.org>: user does not exist"],
    ["recipient", "554 delivery error: dd This user doesn't have a example.org account (x@example.org) [0]"],
    ["recipient", "552 1 Requested mail action aborted, mailbox not found"],
    ["recipient", "550 MAILBOX NOT FOUND"],
    ["recipient", "550 User unknown."],
    ["recipient", "550 Unknown local part x in <x@example.org>"],
    ["recipient", "550 unrouteable address"],
    ["recipient", "550 5.2.0 No such mailbox"],
    ["recipient", "550 no such user"],
    ["recipient", "550 No Such User Here"],
    ["recipient", "550 5.4.1 x@example.org: user unknown"],
    ["message", "554 Sorry, no mailbox here by that name. (#5.1.1)"],
  ],
  mailbox: [
    ["recipient", "552 5.2.2 mailbox full"],
    ["message", "552-5.2.2 The email account that you tried to reach is over quota. Please direct 552 5.2.2 the recipient - gsmtp"],
    ["recipient", "552 5.2.2 <x@example.org>: user is over quota"],
    ["recipient", "452 4.2.2 The email account that you tried to reach is over quota"],
    ["recipient", "550 5.2.1 The email account that you tried to reach is disabled"],
    ["recipient", "550 5.1.1 <x@example.org>: inactive email address"],
    ["recipient", "554 delivery error: dd Sorry your message to x@example.org cannot be delivered. This account has been disabled [#102]"],
    ["recipient", "550 User has exhausted allowed storage space."],
    ["recipient", "550 User has too many messages on the server."],
    ["message", "552 Requested mail action aborted: exceeded storage allocation"],
    ["message", "554 mailbox quota exceeded (#5.2.2)"],
    ["recipient", "550 5.2.121 RESOLVER.RCPT.QuotaExceeded; Recipient's per hour message receive limit from this sender exceeded"],
    ["recipient", "550 5.2.1 The user you are trying to contact is receiving mail at a rate that prevents additional messages"],
    ["message", "554 5.2.0 STOREDRV.Deliver.Exception:MapiExceptionNotAuthorized"],
  ],
  account: [
    [
      "message",
      "550-5.4.5 Daily user sending limit exceeded. For more information on 550-5.4.5 sending limits go to 550 5.4.5  https://mail.example",
    ],
    ["sender", "550 5.4.5 Daily user sending quota exceeded. - gsmtp"],
    ["message", "550 5.4.5 Daily SMTP relay limit exceeded for user"],
    ["sender", "550 5.7.1 Daily SMTP relay limit exceeded for customer"],
    ["message", "550 5.7.1 Email quota exceeded"],
    ["recipient", "550 5.1.90 Your message can't be sent because you've reached your daily limit for message recipients"],
    ["recipient", "550 5.1.8 Access denied, bad outbound sender AS(41812001)"],
    ["message", "554 5.2.0 STOREDRV.Submission.Exception:OutboundSpamException; WASCL UserAction verdict is Suspend"],
    ["message", "554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException"],
    ["message", "550 5.2.2 Submission quota exceeded"],
    ["recipient", "550 5.7.705 Access denied, tenant has exceeded threshold"],
    ["recipient", "550 5.7.708 Service unavailable. Access denied, traffic not accepted from this IP"],
    ["recipient", "550 5.7.501 Access denied, spam abuse detected"],
    ["recipient", "550 5.7.232 Your message can't be sent because your trial tenant has exceeded its daily limit"],
    ["sender", "450 Requested mail action not taken: mailbox unavailable Mail send limit exceeded."],
    ["message", "550 5.7.1 Exceed Sending Limit (daily)"],
    ["message", "550 User me@example.org has exceeded its 24-hour sending limit. Messages to 25 recipients out of 25"],
    ["message", "554 5.7.1 <DATA>: Data command rejected: only 10 messages per day"],
    ["message", "450 4.7.1 <END-OF-MESSAGE>: End-of-data rejected: Number messages per hour exceeded. Error:RATE_MSG"],
    ["recipient", "550 Domain example.org has exceeded the max emails per hour (25/25 (100%)) allowed. Message discarded."],
    ["recipient", '550 Outgoing mail from "me@example.org" has been suspended.'],
    ["message", "550 5.4.6 Unusual sending activity detected. Please try after sometime"],
    ["message", "454 Throttling failure: Daily message quota exceeded."],
    ["message", "554 Sending paused for this account."],
    ["sender", "451 Authentication failed: Maximum credits exceeded"],
    ["message", "450 4.2.1 Peak SMTP relay limit exceeded for customer"],
  ],
  configuration: [
    ["recipient", "554 5.7.1 <x@example.org>: Relay access denied"],
    ["recipient", "550 5.7.1 Unable to relay"],
    ["recipient", "550 relay not permitted"],
    ["recipient", "554 5.7.1 Service unavailable; Client host [192.0.2.1] blocked using zen.example"],
    ["recipient", "554 Service unavailable; Client host [192.0.2.1] blocked using zen.example"],
    ["sender", "553 5.7.1 <a@example.org>: Sender address rejected: not owned by user b@example.org"],
    ["sender", "553 5.1.8 <a@example.org>... Domain of sender address a@example.org does not exist"],
    ["recipient", "550 5.1.0 <a@example.org>: Sender address rejected: User unknown in virtual mailbox table"],
    ["sender", "501 5.1.7 Bad sender address syntax"],
    ["message", "554 5.2.252 SendAsDenied; a@example.org not allowed to send as b@example.org"],
    ["sender", "550 5.7.60 SMTP; Client does not have permissions to send as this sender"],
    ["sender", "530 5.7.57 Client not authenticated to send mail"],
    ["sender", "550 5.7.0 From address is not one of your addresses."],
    ["message", "550-5.7.26 Unauthenticated email from example.org is not accepted due to domain's 550 5.7.26 DMARC policy. - gsmtp"],
    ["message", "550 The from address does not match a verified Sender Identity. Mail cannot be sent until this error is resolved."],
    ["message", "554 Message rejected: Email address is not verified."],
    ["sender", "554 Transaction failed Unauthorized sender address."],
    ["recipient", "550 5.7.1 not for you"],
    ["message", "550 5.7.1 Mail from IP 192.0.2.1 was rejected due to listing in Spamhaus PBL"],
    ["sender", "502 5.7.0 Your SMTP account is not yet activated."],
  ],
  size: [
    ["sender", "552 5.3.4 Message size exceeds fixed limit"],
    ["message", "552-5.2.3 Your message exceeded Google's message size limits. - gsmtp"],
    ["message", "552 sorry, that message size exceeds my databytes limit (#5.3.4)"],
    ["message", "552 Error: message too large"],
    ["message", "554 5.3.4 refused"],
  ],
  message: [
    ["message", "554 5.6.0 refused as spam"],
    ["message", "554 5.7.1 [CS01] Message rejected due to local policy."],
    ["message", "550-5.7.1 Our system has detected that this message is likely unsolicited mail. 550 5.7.1 blocked - gsmtp"],
    ["message", "554 Transaction failed Reject due to policy restrictions"],
    ["message", "554 5.7.9 Message not accepted for policy reasons."],
    ["message", "552 5.7.0 This message was blocked because its content presents a potential security issue"],
    ["recipient", "550 Requested action not taken: mailbox unavailable"],
    ["recipient", "550 5.5.0 Requested action not taken: mailbox unavailable"],
    ["recipient", "550 5.4.1 Recipient address rejected: Access denied. AS(201806281)"],
    ["recipient", "550 5.4.4 SMTPSEND.DNS.InvalidData; no route"],
    ["recipient", "550 #5.1.0 Address rejected."],
    ["recipient", "550 5.1.1 <x@example.org>: mailbox temporarily unavailable"],
    ["recipient", "550 blocked"],
    ["message", "571 refused"],
  ],
  transient: [
    ["recipient", "450 4.2.0 <x@example.org>: Recipient address rejected: Greylisted"],
    ["recipient", "451 4.7.1 Greylisting in action, please come back later"],
    ["recipient", "450 4.1.1 <x@example.org>: user unknown"],
    ["message", "452 4.3.1 Insufficient system resources"],
    ["recipient", "452 4.5.3 Your message has too many recipients."],
    ["sender", "421 4.3.2 Service shutting down"],
    ["recipient", "550 4.4.7 QUEUE.Expired; message expired"],
  ],
};

const meanings = Object.keys(replies) as ReplyMeaning[];
const known = meanings.flatMap((meaning) => replies[meaning].map(([stage, reply]) => ({ meaning, stage, reply })));

describe("meaning of an SMTP reply", () => {
  it.each(known)("$meaning: $reply", ({ meaning, stage, reply }) => {
    expect(meaningOf(reply, stage)).toBe(meaning);
  });

  it("only five codes say that an address does not exist, and only with a 5xx that is not about the sender", () => {
    const part = fc.integer({ min: 0, max: 999 });
    const stages = fc.constantFrom<SmtpStage[]>("sender", "recipient", "message");
    const final = ["1.1", "1.2", "1.3", "1.6", "1.10"];
    fc.assert(
      fc.property(part, part, fc.integer({ min: 400, max: 599 }), stages, (subject, detail, status, stage) => {
        const code = `${subject}.${detail}`;
        const meaning = meaningOf(`${status} ${Math.floor(status / 100)}.${code} refused`, stage);
        expect(meaning === "no_recipient").toBe(final.includes(code) && status >= 500 && stage !== "sender");
      }),
      {
        examples: final.flatMap((code) =>
          (["sender", "recipient"] as const).map((stage) => [...numbersOf(code), 550, stage] as const),
        ) as never,
      },
    );
  });

  it("no text makes it fail or take long", () => {
    const word = fc.constantFrom("mailbox ", "sending ", "user ", "limit ", "exceeded ", "daily ", "550-5.1.1 ", "x", ".", "(#5.1.1)");
    fc.assert(
      fc.property(fc.array(word, { maxLength: 120 }), (words) => {
        const started = performance.now();
        meaningOf(`550 ${words.join("")}`.slice(0, 500), "recipient");
        expect(performance.now() - started).toBeLessThan(50);
      }),
    );
  });
});

const numbersOf = (code: string): readonly number[] => code.split(".").map(Number);

describe("outcome of refused recipients", () => {
  const one = fc.constantFrom(...known.filter(({ stage }) => stage === "recipient"));
  const refused = fc.array(one, { minLength: 1, maxLength: 5 });
  const result = (kind: SmtpResult["kind"], all: readonly { readonly reply: string }[]): SmtpResult => {
    const refusals = all.map(({ reply }, index) => ({ recipient: `${index}@example.org`, answer: reply }));
    if (kind === "accepted") return { kind, answer: "250 OK", refusals };
    const flags = { isLogin: false, refusesUs: false, refusesSender: false, isTooLarge: false, refusesTls: false };
    return { kind, answer: all.at(-1)?.reply ?? "", status: 550, ...flags, refusals };
  };

  it("the mail fails only if no recipient exists, and every other recipient is tried again", () => {
    fc.assert(
      fc.property(refused, (all) => {
        const outcome = outcomeOfMail(result("not_accepted", all));
        const later = all.flatMap(({ meaning }, index) => (meaning === "no_recipient" ? [] : [`${index}@example.org`]));
        expect(outcome.kind).toBe(later.length === 0 ? "failed" : "again");
        if (outcome.kind === "again") expect(outcome.unreached ?? all.map((_, index) => `${index}@example.org`)).toEqual(later);
      }),
    );
  });

  it("a mail that others got names or retries each refused recipient, never both", () => {
    fc.assert(
      fc.property(refused, (all) => {
        const outcome = outcomeOfMail(result("accepted", all));
        if (outcome.kind !== "sent") throw new Error(outcome.kind);
        all.forEach(({ meaning }, index) => {
          const isNamed = outcome.refusedFor?.includes(`${index}@example.org`) ?? false;
          expect([isNamed, outcome.unreached?.includes(`${index}@example.org`) ?? false]).toEqual(
            meaning === "no_recipient" ? [true, false] : [false, true],
          );
        });
      }),
    );
  });

  it("one recipient with a temporary refusal keeps the retries quick", () => {
    fc.assert(
      fc.property(refused, (all) => {
        const outcome = outcomeOfMail(result("not_accepted", all));
        const isQuick = outcome.kind === "again" && !outcome.misconfigured && !outcome.lasting;
        expect(isQuick).toBe(all.some(({ meaning }) => meaning === "transient"));
      }),
    );
  });
});
