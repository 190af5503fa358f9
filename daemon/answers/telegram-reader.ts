import { isPaused, positionOf } from "../../src/alerting/answers/sources-repository.ts";
import { takeAnswer } from "../../src/alerting/answers/take.ts";
import type { OpenChannel } from "../../src/alerting/channels/channel.ts";
import { type TelegramUpdate, telegramBot } from "../../src/alerting/channels/telegram-updates.ts";
import { dayMs } from "../../src/base/clock/clock.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import { createFaultReport, type ReaderContext } from "./reader.ts";

/** Pause after a failed request. Telegram ends the older one of two requests, so two programs disturb each other less this way. */
const retryMs = 5_000;
const [showMs, pausedMs] = [10_000, 1_000];
/** After a week without updates, Telegram begins with another number, so an older position means nothing. */
const positionForMs = 6 * dayMs;

/**
 * Creates the loop that reads which buttons people pressed in the chats of one bot: a request that Telegram holds until there is one.
 * Each press moves the stored position in the transaction of its effect, and the next request confirms it.
 */
export function createTelegramReader(channels: readonly [OpenChannel, ...OpenChannel[]], context: ReaderContext): Loop {
  const { db, clock, log, outbound } = context;
  const bot = telegramBot(channels[0]);
  const { source } = bot;
  const report = createFaultReport(source, context);
  const own = new Set(channels.map(({ settings }) => String(settings["chat_id"]).toLowerCase()));
  let notBefore = 0;

  const take = async ({ id, press }: TelegramUpdate, since: Date): Promise<void> => {
    const isOwn = press?.chats.some((chat) => own.has(chat)) ?? false;
    const arrived = { source, data: press?.data, by: `${press?.who} on Telegram`, isOwn, next: String(id + 1), since };
    const taken = await takeAnswer({ ...arrived, isTaken: (position) => position !== null && Number(position) > id }, context);
    // A press that was taken before a crash gets an empty answer, so that the phone stops waiting
    if (press) await outbound.post({ ...bot.show(press, taken?.text ?? ""), timeoutMs: showMs });
  };

  return createLoop({
    name: "telegram_reader",
    critical: false,
    log,
    round: async (signal) => {
      const wait = notBefore - clock.monotonic();
      if (wait > 0) return wait;
      if (await db.query((sql) => isPaused(sql, source, clock.now()))) return pausedMs;
      const since = new Date(clock.now().getTime() - positionForMs);
      const position = await db.query((sql) => positionOf(sql, source, since));
      const answer = await outbound.post({ ...bot.updates(position), signal });
      signal.throwIfAborted();
      const read = answer.kind === "answered" ? bot.read(answer) : { kind: "fault" as const, text: answer.error, waitMs: undefined };
      // The request that it was paused for has ended this one
      if (read.kind === "fault" && (await db.query((sql) => isPaused(sql, source, clock.now())))) return pausedMs;
      await report(read.kind === "fault" ? read.text : null);
      if (read.kind === "fault") {
        const pauseMs = Math.max(retryMs, read.waitMs ?? 0);
        notBefore = clock.monotonic() + pauseMs;
        return pauseMs;
      }
      for (const update of read.updates) await take(update, since);
      return 0;
    },
  });
}
