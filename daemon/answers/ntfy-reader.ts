import { positionOf } from "../../src/alerting/answers/sources-repository.ts";
import { takeAnswer } from "../../src/alerting/answers/take.ts";
import type { OpenChannel } from "../../src/alerting/channels/channel.ts";
import { ntfyAnswers, readNtfyLine } from "../../src/alerting/channels/kinds.ts";
import { longestDelayMs } from "../../src/alerting/delivery/backoff.ts";
import { retryAfterMs } from "../../src/platform/outbound/headers.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import { createFaultReport, type ReaderContext } from "./reader.ts";

/** ntfy sends a sign of life every 45 s. */
const silentMs = 120_000;
const retryMs = 5_000;
/** ntfy keeps answers for 12 hours, so a later position means nothing to it. */
const positionForMs = 12 * 60 * 60 * 1000;

/** Returns the name of the stored position in the answers to a channel. */
export function ntfySource({ settings }: OpenChannel): string {
  const { server, topic } = ntfyAnswers(settings);
  return `ntfy ${new URL(server).host}/${topic}`;
}

/**
 * Creates the loop that reads the topic for the answers to a channel: one request that stays open, so that nothing has
 * to reach homesec from the internet. It goes on after the stored answer, which moves in the transaction of each effect.
 */
export function createNtfyReader(channel: OpenChannel, context: ReaderContext): Loop {
  const { db, clock, log, outbound } = context;
  const source = ntfySource(channel);
  const { request } = ntfyAnswers(channel.settings);
  const report = createFaultReport(source, context);

  /** A pause that ntfy asked for may be longer than one of the loop. */
  let notBefore = 0;
  const sinceOf = (): Date => new Date(clock.now().getTime() - positionForMs);
  const take = async (line: string): Promise<void> => {
    const read = readNtfyLine(line);
    if (!read) return;
    if (read.kind === "open") return await report(null);
    const { id, text } = read;
    const by = `${channel.name} on ntfy`;
    await takeAnswer({ source, data: text, by, isOwn: true, next: id, since: sinceOf(), isTaken: (position) => position === id }, context);
  };

  return createLoop({
    name: "ntfy_reader",
    critical: false,
    log,
    round: async (signal) => {
      const wait = notBefore - clock.monotonic();
      if (wait > 0) return wait;
      const position = await db.query((sql) => positionOf(sql, source, sinceOf()));
      const answer = await outbound.lines({ ...request(position), timeoutMs: silentMs, signal, onLine: take });
      signal.throwIfAborted();
      if (answer.kind !== "answered") {
        await report(answer.error);
        return retryMs;
      }
      if (answer.status !== 200) await report(`ntfy answered ${answer.status}; ${fixes[answer.status] ?? "check the server"}`);
      const pauseMs = Math.max(retryMs, Math.min(retryAfterMs(answer.retryAfter, clock.now()), longestDelayMs));
      notBefore = clock.monotonic() + pauseMs;
      return pauseMs;
    },
  });
}

const fixes: Readonly<Record<number, string>> = {
  401: "set the token or the password of the channel again",
  403: "let the user of the channel read the topic for the answers",
  404: "check the address of the server",
  429: "the server limits requests; it is asked again",
};
