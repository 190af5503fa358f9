import { createHash } from "node:crypto";
import { dayMs } from "../../base/clock/clock.ts";
import { isSignedBy } from "./signing-key.ts";

/*
 * Each day that is over is sealed: what its rows add up to, by table, and the hash of the day before. The hash of a day is the SHA-256 of
 * these lines, and the key of the home signs the hash:
 *
 *   homesec day 1
 *   2026-11-27
 *   previous <hash of the day before, or zeros>
 *   alerts 3 <ids> <hash>
 *   ... one line for each table, by name
 */

/** The tables whose rows are sealed, in the order of the lines. */
export const sealedTables = ["alerts", "changes", "detections", "events", "images", "journal"] as const;
export type SealedTable = (typeof sealedTables)[number];

/** The sums over the rows of one table and day. */
export interface Sums {
  readonly rows: number;
  /** Exclusive or of numbers that stand for the ids, as a decimal number of 64 bits. */
  readonly ids: string;
  /** Exclusive or of the hashes of the rows, hexadecimal. */
  readonly hash: string;
}

/** A sealed day; hashes, keys and signatures as text. */
export interface SealedDay {
  /** Such as `2026-11-27`, in UTC. */
  readonly day: string;
  readonly records: Readonly<Record<string, Sums>>;
  readonly previous_hash: string;
  readonly hash: string;
  /** 32 bytes in base64url. */
  readonly public_key: string;
  /** Hexadecimal. */
  readonly signature: string;
}

/** The hash before the first day. */
export const firstHash = "0".repeat(64);
const noHash = "0".repeat(64);

/** The sums of no rows. */
export const noRows: Sums = { rows: 0, ids: "0", hash: noHash };

/** Returns the hash of a day, hexadecimal. */
export function hashOfDay({ day, records, previous_hash }: Pick<SealedDay, "day" | "records" | "previous_hash">): string {
  const lines = Object.entries(records)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, { rows, ids, hash }]) => `${name} ${rows} ${ids} ${hash}`);
  return createHash("sha256")
    .update(["homesec day 1", day, `previous ${previous_hash}`, ...lines, ""].join("\n"))
    .digest("hex");
}

/** Returns what is wrong with a day itself; undefined if its hash fits its content and its signature the hash. */
export function faultOfDay(day: SealedDay): string | undefined {
  if (hashOfDay(day) !== day.hash) return "its sums do not fit its hash";
  if (!isSignedBy(day.public_key, Buffer.from(day.hash, "hex"), Buffer.from(day.signature, "hex"))) return "its signature does not fit";
  return undefined;
}

/** Returns what is wrong between two days in order; undefined if the later one follows, or if days lie between them. */
export function faultBetween(earlier: SealedDay, later: SealedDay): string | undefined {
  if (later.day <= earlier.day) return `it comes behind ${earlier.day}`;
  if (nextDay(earlier.day) !== later.day) return undefined;
  return later.previous_hash === earlier.hash ? undefined : `it does not follow from ${earlier.day}`;
}

/** The day after a day. */
export function nextDay(day: string): string {
  return dayOf(new Date(startOfDay(day).getTime() + dayMs));
}

/** The day of a time, in UTC. */
export function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

/** When a day begins. */
export function startOfDay(day: string): Date {
  return new Date(`${day}T00:00:00.000Z`);
}

/** Joins two sums. Subtracting is the same, with the other sign of `rows`. */
export function joined(one: Sums, other: Sums): Sums {
  const hash = (BigInt(`0x${one.hash}`) ^ BigInt(`0x${other.hash}`)).toString(16).padStart(64, "0");
  return { rows: one.rows + other.rows, ids: BigInt.asIntN(64, BigInt(one.ids) ^ BigInt(other.ids)).toString(), hash };
}

/** Returns what is wrong with days in order, one sentence each. Days may be left out between them. */
export function faultsOf(days: readonly SealedDay[]): readonly string[] {
  return days.flatMap((day, at) => {
    const before = days[at - 1];
    const faults = [faultOfDay(day), before && faultBetween(before, day)];
    return faults.flatMap((fault) => (fault === undefined ? [] : [`the sealed day ${day.day}: ${fault}`]));
  });
}
