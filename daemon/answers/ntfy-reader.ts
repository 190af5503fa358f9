import { positionOf, storeFault } from "../../src/alerting/answers/sources-repository.ts";
import { type TakingContext, takeAnswer } from "../../src/alerting/answers/take.ts";
import type { OpenChannel } from "../../src/alerting/channels/channel.ts";
import { ntfyAnswers, readNtfyLine } from "../../src/alerting/channels/kinds.ts";
import type { Outbound } from "../../src/platform/outbound/outbound.ts";
import { createLoop, type Loop } from "../workers/loop.ts";

export interface ReaderContext extends TakingContext {
  readonly outbound: Pick<Outbound, "post" | "lines">;
}

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
  const report = async (fault: string | null): Promise<void> => await db.query((sql) => storeFault(sql, source, fault, clock.now()));

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
      const position = await db.query((sql) => positionOf(sql, source, sinceOf()));
      const answer = await outbound.lines({ ...request(position), timeoutMs: silentMs, signal, onLine: take });
      signal.throwIfAborted();
      if (answer.kind !== "answered") await report(answer.error);
      else if (answer.status !== 200) await report(`ntfy answered ${answer.status}; ${fixes[answer.status] ?? "check the server"}`);
      return retryMs;
    },
  });
}

const fixes: Readonly<Record<number, string>> = {
  401: "set the token or the password of the channel again",
  403: "let the user of the channel read the topic for the answers",
  404: "check the address of the server",
  429: "the server limits requests; it is asked again",
};
