import { channels as neutral } from "../../contract/constants.ts";
import { Problem } from "../../contract/problem.ts";
import { nearest } from "../../platform/config/nearest.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type ChannelAvailability, type ChannelName, noPhones } from "./availability.ts";
import { type NamedChannel, namedChannels } from "./channels-repository.ts";

/** One target of a notification. A target with a reason cannot be used. */
export interface ChannelTarget {
  /** `email`, `webhook`, `push` without a channel to phones, or the name of a channel. */
  readonly channel: string;
  /** Null for the neutral names and webhooks. */
  readonly channelId: string | null;
  /** The outbound webhook that the rule names; its message is a delivery, and no notification. */
  readonly webhookId?: string;
  readonly reason: string | null;
}

const isNeutral = (word: string): word is ChannelName => neutral.some((name) => name === word);
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Returns the targets that the channels of a rule stand for, each once: `push` stands for every enabled channel to phones, and a name for
 * the channels and webhooks that have it.
 */
export async function targetsOf(sql: Sql, words: readonly string[], availability: ChannelAvailability): Promise<readonly ChannelTarget[]> {
  const isPlain = words.every((word) => word === "email" || word === "webhook");
  return chosenTargets(words, isPlain ? [] : await namedChannels(sql), availability);
}

/** The same for channels that were read before. */
export function chosenTargets(
  words: readonly string[],
  known: readonly NamedChannel[],
  availability: ChannelAvailability,
): readonly ChannelTarget[] {
  const off = availability.push.usable ? null : availability.push.reason;
  const targets = new Map<string, ChannelTarget>();
  for (const word of words) {
    for (const target of targetsOfWord(word, known, availability, off))
      targets.set(target.channelId ?? target.webhookId ?? target.channel, target);
  }
  return [...targets.values()];
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
 * Returns the channels of a rule with the names as they are stored. Throws `Problem("invalid")` for a name that no channel has.
 */
export async function requireChannels(sql: Sql, words: readonly string[] | null): Promise<string[] | null> {
  if (words === null || words.every(isNeutral)) return words === null ? null : [...words];
  const known = await namedChannels(sql);
  const names = [...new Set(known.map(({ name }) => name))];
  const faults = words.flatMap((word, at) => {
    if (isNeutral(word) || known.some((each) => isNamedBy(each, word))) return [];
    const meant = nearest(word, [...names, ...neutral]);
    const msg = `There is no channel ${word}; ${meant === undefined ? `the channels are ${[...neutral, ...names].join(", ")}` : `did you mean ${meant}?`}`;
    return [{ loc: ["body", "channels", at], msg, type: "enum" as const }];
  });
  const [first] = faults;
  if (first) throw new Problem("invalid", `channels: ${first.msg}`, { items: faults });
  return [...new Set(words.map((word) => storedWord(word, known)))];
}
