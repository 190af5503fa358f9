import { allRecipients, channels as neutral } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import { nearest } from "../../platform/config/nearest.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type ChannelAvailability, type ChannelName, noPhones } from "./availability.ts";
import { type NamedChannel, type NamedRecipient, namedChannels, namedRecipients } from "./channels-repository.ts";

/** One target of a notification. A target with a reason cannot be used. */
export interface ChannelTarget {
  /** `email`, `webhook`, `push` without a channel to phones, the name of a channel, or the mail address of a recipient. */
  readonly channel: string;
  /** Null for the neutral names, addresses and webhooks. */
  readonly channelId: string | null;
  /** The outbound webhook that the rule names; its message is a delivery, and no notification. */
  readonly webhookId?: string;
  readonly reason: string | null;
  /** The recipient of the channel. Absent: a rule names the channel itself. */
  readonly recipientId?: string;
}

/** Two targets with the same key are the same place. */
export const keyOf = ({ channel, channelId, webhookId }: ChannelTarget): string => channelId ?? webhookId ?? channel;

/** Whether messages through a channel are mails: to DEFAULT_EMAIL_RECIPIENTS, or to an address. */
export function isMail({ channel, channelId }: Pick<ChannelTarget, "channel" | "channelId">): boolean {
  return channelId === null && (channel === "email" || channel.includes("@"));
}

/** Whether a word means mail, DEFAULT_WEBHOOK_URL or all channels to phones. */
export const isNeutral = (word: string): word is ChannelName => neutral.some((name) => name === word);
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Returns the targets that the channels of a rule stand for, each once: `push` stands for every enabled channel to phones, `all` for every
 * recipient, and a name for the channels, webhooks and recipients that have it.
 */
export async function targetsOf(sql: Sql, words: readonly string[], availability: ChannelAvailability): Promise<readonly ChannelTarget[]> {
  const isPlain = words.every((word) => word === "email" || word === "webhook");
  if (isPlain) return chosenTargets(words, [], availability);
  return chosenTargets(words, await namedChannels(sql), availability, await namedRecipients(sql, words));
}

/** The same for channels and recipients that were read before. */
export function chosenTargets(
  words: readonly string[],
  known: readonly NamedChannel[],
  availability: ChannelAvailability,
  recipients: readonly NamedRecipient[] = [],
): readonly ChannelTarget[] {
  const off = availability.push.usable ? null : availability.push.reason;
  const targets = new Map<string, ChannelTarget>();
  const add = (target: ChannelTarget): void => {
    const key = keyOf(target);
    if (!targets.has(key)) targets.set(key, target);
  };
  const chosen = chosenRecipients(words, recipients);
  // A channel that a rule names itself does not wait for anyone's hours
  for (const word of chosen.others) for (const target of targetsOfWord(word, known, availability, off)) add(target);
  for (const recipient of chosen.recipients) for (const target of targetsOfRecipient(recipient, known, availability)) add(target);
  return [...targets.values()];
}

/** Splits the words of a rule into the recipients and the rest. `all` stays among the rest if there is no recipient. */
export function chosenRecipients<R extends NamedRecipient>(
  words: readonly string[],
  recipients: readonly R[],
): { readonly recipients: readonly R[]; readonly others: readonly string[] } {
  const isNamed = (word: string, { name }: R): boolean => word === allRecipients || sameName(name, word);
  return {
    recipients: recipients.filter((recipient) => words.some((word) => isNamed(word, recipient))),
    others: words.filter((word) => !recipients.some((recipient) => isNamed(word, recipient))),
  };
}

/** Returns the targets of a recipient. */
export function targetsOfRecipient(
  { id, name, channels, enabled }: NamedRecipient,
  known: readonly NamedChannel[],
  availability: ChannelAvailability,
): readonly ChannelTarget[] {
  const off = availability.push.usable ? null : availability.push.reason;
  const mail = availability.address ?? availability.email;
  const phones = known.filter(({ isWebhook }) => !isWebhook);
  const disabled = enabled ? null : `the recipient ${name} is disabled`;
  return channels
    .flatMap((word): readonly ChannelTarget[] => {
      const isPhone = phones.some((channel) => sameName(channel.name, word));
      if (isPhone || !word.includes("@")) return targetsOfWord(word, phones, availability, off);
      return [{ channel: word, channelId: null, reason: mail.usable ? null : mail.reason }];
    })
    .map((target) => ({ ...target, reason: disabled ?? target.reason, recipientId: id }));
}

function targetsOfWord(
  word: string,
  known: readonly NamedChannel[],
  availability: ChannelAvailability,
  off: string | null,
): readonly ChannelTarget[] {
  if (word === "push") {
    const phones = known.filter(({ enabled, isWebhook }) => enabled && !isWebhook);
    if (phones.length === 0) return [{ channel: word, channelId: null, reason: off ?? noPhones }];
    return phones.map(({ id, name }) => ({ channel: name, channelId: id, reason: off }));
  }
  if (isNeutral(word)) {
    const state = availability[word];
    return [{ channel: word, channelId: null, reason: state.usable ? null : state.reason }];
  }
  const named = known.filter((each) => isNamedBy(each, word));
  if (word === allRecipients) return [{ channel: word, channelId: null, reason: noRecipients }];
  if (named.length === 0) return [{ channel: word, channelId: null, reason: `no channel has the name ${word}` }];
  return named.map(({ id, name, enabled, isWebhook }) =>
    isWebhook
      ? { channel: name, channelId: null, webhookId: id, reason: enabled ? null : "the webhook is disabled" }
      : { channel: name, channelId: id, reason: off ?? (enabled ? null : "the channel is disabled") },
  );
}

/** Whether a word of a rule names a channel or a webhook. Webhooks may share a name, so their ids are words too. */
function isNamedBy({ id, name, isWebhook }: NamedChannel, word: string): boolean {
  return sameName(name, word) || (isWebhook && sameName(id, word));
}

/** Returns the ids of the enabled webhooks that the channels of a rule name. */
export async function webhooksNamedBy(sql: Sql, words: readonly string[]): Promise<readonly string[]> {
  const names = words.filter((word) => !isNeutral(word));
  if (names.length === 0) return [];
  const known = await namedChannels(sql);
  return known.filter((each) => each.isWebhook && each.enabled && names.some((word) => isNamedBy(each, word))).map(({ id }) => id);
}

/** The id of a webhook becomes its name, unless the name means something else too. */
function storedWord(word: string, known: readonly NamedChannel[]): string {
  if (isNeutral(word)) return word;
  const named = known.find((each) => isNamedBy(each, word));
  if (!named) return word;
  const isPlain = !isNeutral(named.name.toLowerCase()) && !named.name.includes(",");
  const isUnique = known.filter((each) => isNamedBy(each, named.name)).length === 1;
  return sameName(named.name, word) || (isPlain && isUnique) ? named.name : named.id;
}

/**
 * Returns the channels of a rule with the names as they are stored. Throws `Problem("invalid")` for a name that no channel or recipient has.
 */
export async function requireChannels(sql: Sql, words: readonly string[] | null): Promise<string[] | null> {
  if (words === null || words.every(isNeutral)) return words === null ? null : [...words];
  const known = await namedChannels(sql);
  const recipients = (await namedRecipients(sql, [allRecipients])).map(({ name }) => name);
  const recipientOf = (word: string): string | undefined => recipients.find((name) => sameName(name, word));
  const general = [...neutral, ...(recipients.length > 0 ? [allRecipients] : [])];
  const names = [...new Set([...known.map(({ name }) => name), ...recipients])];
  const faults = words.flatMap((word, at) => {
    if (general.includes(word) || recipientOf(word) !== undefined || known.some((each) => isNamedBy(each, word))) return [];
    const meant = word === allRecipients ? undefined : nearest(word, [...names, ...neutral]);
    const hint = meant === undefined ? `the channels are ${[...general, ...names].join(", ")}` : `did you mean ${meant}?`;
    const msg = word === allRecipients ? capital(noRecipients) : `There is no channel ${word}; ${hint}`;
    return [{ loc: ["body", "channels", at], msg, type: "enum" as const }];
  });
  const [first] = faults;
  if (first) throw new Problem("invalid", `channels: ${first.msg}`, { items: faults });
  return [...new Set(words.map((word) => recipientOf(word) ?? storedWord(word, known)))];
}

const noRecipients = "there is no recipient; add one with homesec recipients add";
const capital = (sentence: string): string => `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}`;
