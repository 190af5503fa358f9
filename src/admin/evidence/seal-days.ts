import { type Clock, dayMs, hourMs } from "../../base/clock/clock.ts";
import type { Log } from "../../base/log/log.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { evidenceKey, evidenceKeyId } from "../../platform/secrets/open-sealer.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { dayOf, firstHash, hashOfDay, nextDay, noRows, type SealedDay, sealedTables, startOfDay } from "./chain.ts";
import { foldCorrections, insertDay, lockDays, newestDay, sumDays } from "./chain-repository.ts";
import { signingKey } from "./signing-key.ts";

/** How long after its end a day is sealed: by then everything that happened in it is stored. More than the hour that the triggers allow. */
export const sealDelayMs = 6 * hourMs;

export interface SealContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly sealer: Sealer;
}

/** Returns the newest day that can be sealed at a time. */
export function lastSealable(now: Date): string {
  return dayOf(new Date(now.getTime() - sealDelayMs - dayMs));
}

/**
 * Seals all days that are due, each in its own transaction, so that an interrupted run goes on with the next day. Several processes may do
 * it at the same time. The chain begins with the first day that is due when it first runs. Returns the sealed days.
 */
export async function sealDueDays(context: SealContext, signal?: AbortSignal): Promise<readonly string[]> {
  const { db, clock, log } = context;
  // The rest of homesec has it from its start; one that has not must not change rows of sealed days unnoticed from here on
  db.setEvidenceKey(evidenceKey(context.sealer));
  const last = lastSealable(clock.now());
  const newest = await db.query(newestDay);
  const days: string[] = [];
  if (newest !== undefined && newest.day >= last) return days;
  for (;;) {
    signal?.throwIfAborted();
    const sealed = await db.transaction((sql) => sealNext(sql, last, context));
    if (sealed === undefined) return days;
    log.info({ day: sealed.day, hash: sealed.hash }, "the records of a day were sealed");
    days.push(sealed.day);
  }
}

async function sealNext(sql: Sql, last: string, { sealer, clock }: SealContext): Promise<SealedDay | undefined> {
  await lockDays(sql);
  // Another process may have sealed it meanwhile
  const newest = await newestDay(sql);
  const day = newest === undefined ? last : nextDay(newest.day);
  if (day > last) return undefined;
  const { present } = await sumDays(sql, { from: startOfDay(day), before: startOfDay(nextDay(day)) });
  const records = Object.fromEntries(sealedTables.map((table) => [table, present.get(day)?.[table] ?? noRows]));
  const content = { day, records, previous_hash: newest?.hash ?? firstHash };
  const hash = hashOfDay(content);
  const key = await signingKey(sql, sealer, clock.now());
  const sealed: SealedDay = {
    ...content,
    hash,
    public_key: key.publicKey,
    signature: key.sign(Buffer.from(hash, "hex")).toString("hex"),
  };
  await insertDay(sql, { ...sealed, keyFile: evidenceKeyId(sealer) }, clock.now());
  await foldCorrections(sql);
  return sealed;
}
