import type { z } from "zod";
import { matchesWildcards } from "../../base/text/wildcards.ts";
import type { MailRule as MailRuleSchema } from "../../contract/routes/receivers.ts";

/** Gives the mails of a recorder to a camera. */
export type MailRule = z.output<typeof MailRuleSchema>;

/** What rules see of a mail. */
export interface MailFacts {
  readonly subject: string;
  /** Addresses and name of the sender: of the connection and of the mail itself. */
  readonly senders: readonly string[];
  readonly text: string;
}

/** Characters of a text that are searched; recorders write some lines. */
const mostTextLength = 4_000;
/** Characters of a subject or sender that are compared. */
const mostLength = 500;

/**
 * Returns the first rule that a mail matches; undefined if there is none. A pattern describes the whole subject, one whole sender, or one
 * whole line of the text, each with single spaces only.
 */
export function ruleFor(rules: readonly MailRule[], facts: MailFacts): MailRule | undefined {
  const lines = facts.text.slice(0, mostTextLength).split(/[\r\n]+/);
  const parts = { subject: [facts.subject], sender: facts.senders, text: lines };
  return rules.find(({ field, pattern }) => {
    const single = singleSpaced(pattern);
    return parts[field].some((part) => matchesWildcards(single, singleSpaced(part)));
  });
}

function singleSpaced(text: string): string {
  return text.slice(0, mostLength).replaceAll(/\s+/g, " ").trim();
}

/** Names a mail by its subject and sender, so that a person can write the rule that is missing. */
export function describeMail({ subject, senders }: MailFacts): string {
  const sender = senders.find((each) => each !== "") ?? "";
  return `the subject ${JSON.stringify(singleSpaced(subject).slice(0, 150))} from ${JSON.stringify(singleSpaced(sender).slice(0, 100))}`;
}
