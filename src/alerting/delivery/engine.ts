import type { Clock } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../../work/jobs/jobs-repository.ts";
import { storeOutcome } from "../../work/jobs/store-outcome.ts";
import type { Channel, JobEnd, Result, Stored } from "./channel.ts";
import { createFaultLog } from "./fault-log.ts";

/** Delivers the jobs of one channel. */
export interface DeliveryEngine {
  /** Makes one attempt, and ends the job in the transaction that stores the outcome. `id` is the row's, from the job's subject `KIND:ID`. */
  run(id: string, job: ClaimedJob, signal: AbortSignal): Promise<void>;
  /** Marks a message as failed after attempts that came to no outcome: the message itself may crash the process. */
  stopRetrying(id: string, job: ClaimedJob, error: string): Promise<void>;
}

/**
 * Makes the engine that delivers mails, chat messages and webhooks alike. A claimed job goes through these steps:
 *
 *   load ──▶ render ──▶ send ──▶ store ──▶ the job is finished, released for a retry, or buried in the dead letters
 *     │         ├──────────────────▲  nothing to send now: it waits, was cancelled, expired or cannot be sent
 *     └─────────┴──▶ finish the job: the message is gone
 *
 * `store` and the end of the job share one transaction. If the process dies before it, the job is claimed again and the message is sent
 * again under the same id; the receiver can tell by it.
 */
export function createDeliveryEngine<Item, Request>(
  channel: Channel<Item, Request>,
  { db, clock, log }: { readonly db: Database; readonly clock: Clock; readonly log: Log },
): DeliveryEngine {
  const faults = createFaultLog(log, channel.recovered);

  const finish = async (job: ClaimedJob): Promise<void> => await db.query((sql) => finishJob(sql, job));

  const store = async (item: Item, job: ClaimedJob, result: Result<Request>): Promise<Stored | undefined> =>
    await db.transaction(async (sql) => {
      const stored = await channel.store(sql, item, result, job);
      if (stored) await endJob(sql, job, stored.job);
      return stored;
    });

  const report = (item: Item, result: Result<Request>, stored: Stored | undefined): void => {
    const entry = stored && channel.afterCommit(item, result, stored);
    if (entry) faults.write(entry);
  };

  const run = async (id: string, job: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const startedAt = clock.now();
    const item = await db.query((sql) => channel.load(sql, id));
    const rendered = item && (await channel.render(item, { job, startedAt, signal }));
    if (!item || !rendered) return await finish(job);
    if (rendered.kind === "waits" || rendered.kind === "ended") {
      const result = { ...rendered, at: clock.now() };
      return report(item, result, await store(item, job, result));
    }
    const request = rendered.kind === "request" ? rendered.request : undefined;
    const outcome = rendered.kind === "request" ? await channel.send(rendered.request, signal) : rendered.outcome;
    // An answer is stored even when the daemon stops, or the message would be sent again
    if (outcome.kind !== "sent" && outcome.response === undefined) signal.throwIfAborted();
    const result = { kind: "attempted", startedAt, outcome, request, at: clock.now() } as const;
    report(item, result, await storeOutcome(() => store(item, job, result), { clock, signal }));
  };

  const stopRetrying = async (id: string, job: ClaimedJob, error: string): Promise<void> => {
    const item = await db.query((sql) => channel.load(sql, id));
    if (!item) return await finish(job);
    const result = { kind: "ended", as: "failed", reason: error, at: clock.now() } as const;
    report(item, result, await store(item, job, result));
  };

  return { run, stopRetrying };
}

async function endJob(sql: Sql, job: ClaimedJob, end: JobEnd): Promise<void> {
  switch (end.kind) {
    case "finish":
      return await finishJob(sql, job);
    case "release":
      return await releaseJob(sql, job, end);
    case "bury":
      return await buryJob(sql, job, end.error);
  }
}
