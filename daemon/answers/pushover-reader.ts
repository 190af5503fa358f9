import { openReceipts } from "../../src/alerting/answers/answers-repository.ts";
import { takeVouched } from "../../src/alerting/answers/take.ts";
import type { OpenChannel } from "../../src/alerting/channels/channel.ts";
import { pushoverReceipts } from "../../src/alerting/channels/pushover-receipts.ts";
import { hourMs } from "../../src/base/clock/clock.ts";
import { createLoop, type Loop } from "../workers/loop.ts";
import { createFaultReport, type ReaderContext } from "./reader.ts";

/** Pushover allows a request every 5 s. */
const [askEveryMs, requestMs, afterFaultMs] = [5_000, 10_000, 30_000];
/** No message repeats for longer. */
const repeatsForMs = 3 * hourMs;

/**
 * Creates the loop that asks Pushover whether someone acknowledged the critical messages of a channel, one of them at a time. Nothing has
 * to be stored for a restart: messages of open alerts are asked about again, and an alert is acknowledged once.
 */
export function createPushoverReader(channel: OpenChannel, context: ReaderContext): Loop {
  const { db, clock, log, outbound } = context;
  const { source, url, read } = pushoverReceipts(channel);
  const report = createFaultReport(source, context);
  /** When each receipt was asked for, to ask for the others first; infinite: its message is over. */
  const askedAt = new Map<string, number>();

  const ask = async (signal: AbortSignal): Promise<number> => {
    const open = await db.query((sql) => openReceipts(sql, channel.id, new Date(clock.now().getTime() - repeatsForMs)));
    for (const receipt of askedAt.keys()) if (!open.some((each) => each.receipt === receipt)) askedAt.delete(receipt);
    const rank = ({ receipt }: (typeof open)[number]): number => askedAt.get(receipt) ?? 0;
    const next = open.filter((each) => rank(each) < Number.POSITIVE_INFINITY).toSorted((a, b) => rank(a) - rank(b))[0];
    if (!next) return askEveryMs;
    askedAt.set(next.receipt, clock.monotonic());
    const answer = await outbound.post({ url: url(next.receipt), headers: {}, body: null, timeoutMs: requestMs, signal });
    signal.throwIfAborted();
    const state = answer.kind === "answered" ? read(answer) : { kind: "fault" as const, text: answer.error };
    await report(state.kind === "fault" ? state.text : null);
    if (state.kind === "fault") return afterFaultMs;
    if (state.kind === "over") askedAt.set(next.receipt, Number.POSITIVE_INFINITY);
    if (state.kind === "acknowledged") {
      const by = `${channel.name} on Pushover${state.device === "" ? "" : ` (${state.device})`}`;
      await takeVouched({ action: "acknowledge", notificationId: next.notificationId, by }, source, context);
    }
    return askEveryMs;
  };

  return createLoop({ name: "pushover_reader", critical: false, log, round: ask });
}
