import { dayMs } from "../../base/clock/clock.ts";
import { pluralize } from "../../base/text/format.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { evidenceKeyId } from "../../platform/secrets/open-sealer.ts";
import type { Sealer } from "../../platform/secrets/sealer.ts";
import { faultBetween, faultOfDay, firstHash, joined, nextDay, noRows, type Sums, sealedTables, startOfDay } from "./chain.ts";
import { dayOfHash, daysFrom, newestDay, type PresentSums, type StoredDay, sumDays, useEvidenceKey } from "./chain-repository.ts";
import { listSigningKeys } from "./evidence-repository.ts";

/** What differs in a day. */
export interface ChainFinding {
  readonly day: string;
  /** `null`: the day itself, or its link to the day before. */
  readonly table: string | null;
  readonly kind: "changed" | "removed" | "added" | "replaced" | "seal" | "link" | "missing" | "noted";
  /** Number of rows that there should be, and that there are; null for `seal`, `link`, `missing` and `noted`. */
  readonly expected: number | null;
  readonly present: number | null;
  readonly message: string;
}

/** The result of checking days. */
export interface ChainCheck {
  readonly days: number;
  readonly first_day: string | null;
  /** The newest day; null before the first one is sealed. */
  readonly head: Pick<StoredDay, "day" | "hash" | "public_key" | "signature"> | null;
  readonly findings: readonly ChainFinding[];
  /** The day whose hash was noted; null without one. */
  readonly noted_day: string | null;
  /** Days whose rows need another key file. */
  readonly unreadable: readonly string[];
}

/** Most days of a check: a hundred years. */
const mostDays = 36_525;

interface CheckOptions {
  readonly newest?: number | undefined;
  /** A hash, or its start, that was noted outside of homesec; `today` stands for the day of the finding if nothing is sealed. */
  readonly noted?: { readonly hash: string; readonly today: string } | undefined;
}

/**
 * Checks the sealed days from the newest `newest` on, or all: their hashes, signatures and order, and their rows, adding what homesec
 * itself changed. A noted hash must be that of a day: who has the database and the key file can seal all days again, but then with other
 * hashes. Changes nothing.
 */
export async function checkChain(
  db: Pick<Database, "query">,
  sealer: Pick<Sealer, "sign">,
  { newest, noted }: CheckOptions = {},
): Promise<ChainCheck> {
  const keyFile = evidenceKeyId(sealer);
  return await db.query(async (sql) => {
    await useEvidenceKey(sql, sealer);
    const keys = (await listSigningKeys(sql)).map(({ publicKey }) => Buffer.from(publicKey).toString("base64url"));
    const head = await newestDay(sql);
    const notedDay = noted && (await dayOfHash(sql, noted.hash.toLowerCase()));
    const unknown = noted && notedDay === undefined ? [notedFinding(noted.hash, head?.day ?? noted.today)] : [];
    if (!head) return { days: 0, first_day: null, head: null, findings: unknown, noted_day: null, unreadable: [] };
    const first = firstOf(head.day, newest);
    const days = await daysFrom(sql, notedDay !== undefined && notedDay < first ? notedDay : first, mostDays);
    const sums = await sumsOf(sql, days, keyFile);
    const findings = days.flatMap((day, at) => [
      ...linkFindings(days[at - 1], day, newest === undefined),
      ...sealFindings(day, keys),
      ...(day.keyFile === keyFile ? rowFindings(day, sums) : []),
    ]);
    const { day, hash, public_key, signature } = head;
    const unreadable = days.filter((each) => each.keyFile !== keyFile).map((each) => each.day);
    return {
      ...{ days: days.length, first_day: days[0]?.day ?? null, head: { day, hash, public_key, signature } },
      ...{ findings: [...findings, ...unknown], noted_day: notedDay ?? null, unreadable },
    };
  });
}

function notedFinding(hash: string, day: string): ChainFinding {
  const message = `no sealed day has the noted hash ${hash.slice(0, 16)}: the days were sealed again or removed, or a character is wrong`;
  return { day, table: null, kind: "noted", expected: null, present: null, message };
}

function firstOf(head: string, newest: number | undefined): string {
  return newest === undefined ? "0001-01-01" : new Date(startOfDay(head).getTime() - (newest - 1) * dayMs).toISOString().slice(0, 10);
}

/** Reads the rows of the days that this key file opens. */
async function sumsOf(sql: Sql, days: readonly StoredDay[], keyFile: string): Promise<PresentSums> {
  const readable = days.filter((day) => day.keyFile === keyFile);
  const [first, last] = [readable[0], readable.at(-1)];
  if (!first || !last) return { present: new Map(), corrections: new Map() };
  return await sumDays(sql, { from: startOfDay(first.day), before: startOfDay(nextDay(last.day)) });
}

function linkFindings(before: StoredDay | undefined, day: StoredDay, isWhole: boolean): readonly ChainFinding[] {
  const about = { day: day.day, table: null, expected: null, present: null };
  if (!before) {
    return !isWhole || day.previous_hash === firstHash
      ? []
      : [{ ...about, kind: "missing", message: `days before ${day.day} are missing: it does not begin the chain` }];
  }
  const missing = Math.round((startOfDay(day.day).getTime() - startOfDay(before.day).getTime()) / dayMs) - 1;
  if (missing > 0) return [{ ...about, kind: "missing", message: `${pluralize(missing, "sealed day")} before it missing` }];
  const fault = faultBetween(before, day);
  return fault === undefined ? [] : [{ ...about, kind: "link", message: fault }];
}

function sealFindings(day: StoredDay, keys: readonly string[]): readonly ChainFinding[] {
  const fault = faultOfDay(day) ?? (keys.includes(day.public_key) ? undefined : `it is signed by ${day.public_key}, no key of this home`);
  return fault === undefined ? [] : [{ day: day.day, table: null, kind: "seal", expected: null, present: null, message: fault }];
}

function rowFindings({ day, records }: StoredDay, { present, corrections }: PresentSums): readonly ChainFinding[] {
  return sealedTables.flatMap((table) => {
    const found = present.get(day)?.[table] ?? noRows;
    const wanted = joined(records[table] ?? noRows, corrections.get(day)?.[table] ?? noRows);
    const kind = differenceOf(wanted, found);
    if (kind === undefined) return [];
    const message = `${table}: ${texts[kind](wanted.rows, found.rows)}`;
    return [{ day, table, kind, expected: wanted.rows, present: found.rows, message }];
  });
}

type RowKind = "changed" | "removed" | "added" | "replaced";

function differenceOf(wanted: Sums, found: Sums): RowKind | undefined {
  if (found.rows < wanted.rows) return "removed";
  if (found.rows > wanted.rows) return "added";
  if (found.ids !== wanted.ids) return "replaced";
  return found.hash === wanted.hash ? undefined : "changed";
}

const texts: Readonly<Record<RowKind, (expected: number, present: number) => string>> = {
  changed: (expected) => `at least one of ${pluralize(expected, "row")} was changed`,
  removed: (expected, present) => `${expected - present} of ${pluralize(expected, "row")} were removed`,
  added: (expected, present) => `${pluralize(present - expected, "row")} more than the ${expected} that there should be`,
  replaced: (expected) => `of ${pluralize(expected, "row")}, some were replaced by others`,
};
