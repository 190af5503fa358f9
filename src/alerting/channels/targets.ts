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
  /** Undefined for the neutral names. */
  readonly channelId: string | null;
  readonly reason: string | null;
}

const isNeutral = (word: string): word is ChannelName => neutral.some((name) => name === word);
const sameName = (one: string, other: string): boolean => one.toLowerCase() === other.toLowerCase();

/**
 * Returns the targets that the channels of a rule stand for, each once: `push` stands for every enabled channel to phones, and a name for
 * one channel.
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
    for (const target of targetsOfWord(word, known, availability, off)) targets.set(target.channelId ?? target.channel, target);
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
    const phones = known.filter(({ enabled }) => enabled);
    if (phones.length === 0) return [{ channel: word, channelId: null, reason: off ?? noPhones }];
    return phones.map(({ id, name }) => ({ channel: name, channelId: id, reason: off }));
  }
  if (isNeutral(word)) {
    const state = availability[word];
    return [{ channel: word, channelId: null, reason: state.usable ? null : state.reason }];
  }
  const channel = known.find(({ name }) => sameName(name, word));
  if (!channel) return [{ channel: word, channelId: null, reason: `no channel has the name ${word}` }];
  return [{ channel: channel.name, channelId: channel.id, reason: off ?? (channel.enabled ? null : "the channel is disabled") }];
}

/**
 * Returns the channels of a rule with the names as they are stored. Throws `Problem("invalid")` for a name that no channel has.
 */
export async function requireChannels(sql: Sql, words: readonly string[] | null): Promise<string[] | null> {
  if (words === null || words.every(isNeutral)) return words === null ? null : [...words];
  const known = (await namedChannels(sql)).map(({ name }) => name);
  const faults = words.flatMap((word, at) => {
    if (isNeutral(word) || known.some((name) => sameName(name, word))) return [];
    const meant = nearest(word, [...known, ...neutral]);
    const msg = `There is no channel ${word}; ${meant === undefined ? `the channels are ${[...neutral, ...known].join(", ")}` : `did you mean ${meant}?`}`;
    return [{ loc: ["body", "channels", at], msg, type: "enum" as const }];
  });
  const [first] = faults;
  if (first) throw new Problem("invalid", `channels: ${first.msg}`, { items: faults });
  return [...new Set(words.map((word) => known.find((name) => sameName(name, word)) ?? word))];
}
