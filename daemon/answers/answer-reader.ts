import { keepSources } from "../../src/alerting/answers/sources-repository.ts";
import { type OpenChannel, openChannel, type StoredChannel } from "../../src/alerting/channels/channel.ts";
import { listChannels } from "../../src/alerting/channels/channels-repository.ts";
import { pushoverReceipts } from "../../src/alerting/channels/pushover-receipts.ts";
import { telegramBot } from "../../src/alerting/channels/telegram-updates.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import { createNtfyReader, ntfySource } from "./ntfy-reader.ts";
import { createPushoverReader } from "./pushover-reader.ts";
import type { ReaderContext } from "./reader.ts";
import { createTelegramReader } from "./telegram-reader.ts";

/** Interval of looking for changed channels. */
const lookEveryMs = 1_000;

/** A service to read, and how. Readers with different keys have different settings. */
export interface Wanted {
  readonly key: string;
  readonly source: string;
  readonly start: () => Loop;
}

/**
 * Creates the worker that reads which buttons people pressed, from each service that enabled channels use. It follows the channels in the
 * database. Only one daemon may run it: a service gives an answer to one reader.
 */
export function createAnswerReader(context: ReaderContext): Loop {
  const { db, log } = context;
  const running = new Map<string, Loop>();
  /** Channels whose secrets cannot be opened, with the time of their settings: each is logged once. */
  const sealed = new Map<string, number>();

  const open = (row: StoredChannel): OpenChannel[] => {
    try {
      return [openChannel(row, context.sealer)];
    } catch (error) {
      if (sealed.get(row.id) !== row.updated_at.getTime()) {
        sealed.set(row.id, row.updated_at.getTime());
        log.error({ channel: row.name, why: String(error) }, "homesec cannot read the buttons of a channel");
      }
      return [];
    }
  };

  const settle = async (): Promise<void> => {
    const channels = (await db.query(listChannels)).filter(({ enabled }) => enabled).flatMap(open);
    const wanted = new Map(wantedOf(channels, context).map((each) => [each.key, each]));
    const ended = [...running].filter(([key]) => !wanted.has(key));
    for (const [key] of ended) running.delete(key);
    await Promise.all(ended.map(([, loop]) => loop.stop()));
    if (ended.length > 0)
      await db.query((sql) =>
        keepSources(
          sql,
          [...wanted.values()].map(({ source }) => source),
        ),
      );
    for (const { key, start } of wanted.values()) {
      if (running.has(key)) continue;
      const loop = start();
      running.set(key, loop);
      await loop.start();
    }
  };

  const loop = createLoop({
    name: "answer_reader",
    critical: false,
    log,
    round: async () => {
      await settle();
      return lookEveryMs;
    },
  });
  return {
    ...loop,
    stop: async () => {
      await loop.stop();
      const last = [...running.values()];
      running.clear();
      await Promise.all(last.map((each) => each.stop()));
    },
  };
}

function wantedOf(channels: readonly OpenChannel[], context: ReaderContext): readonly Wanted[] {
  const ntfy = channels.filter(({ kind }) => kind === "ntfy");
  const bots = new Map<string, [OpenChannel, ...OpenChannel[]]>();
  for (const channel of channels.filter(({ kind }) => kind === "telegram")) {
    const { source } = telegramBot(channel);
    const others = bots.get(source);
    if (others) others.push(channel);
    else bots.set(source, [channel]);
  }
  return [
    ...ntfy.map((channel) => ({
      key: JSON.stringify(channel),
      source: ntfySource(channel),
      start: () => createNtfyReader(channel, context),
    })),
    ...channels
      .filter(({ kind }) => kind === "pushover")
      .map((channel) => ({
        key: JSON.stringify(channel),
        source: pushoverReceipts(channel).source,
        start: () => createPushoverReader(channel, context),
      })),
    // A bot has one reader for all of its chats: it gives each update once
    ...[...bots].map(([source, chats]) => ({ key: JSON.stringify(chats), source, start: () => createTelegramReader(chats, context) })),
  ];
}
