import { durationText } from "../../base/clock/duration-text.ts";

/** A picture of a camera as the ledger has it, for what its files say of its health. */
export interface LedgerPicture {
  /** Hash of the content in hex; null when it was not taken. */
  readonly sha256: string | null;
  readonly takenAt: Date;
  /** Arrival less the time of the file, in ms; null for a picture that was not seen to arrive. */
  readonly lagMs: number | null;
}

const sameInARow = 6;
const sameForMs = 60_000;

/** Why the newest pictures show that a camera is frozen: six of the same content over a minute. Undefined when they do not. The newest is first. */
export function sameContent(pictures: readonly LedgerPicture[]): { readonly reason: string; readonly since: Date } | undefined {
  const [newest] = pictures;
  if (!newest?.sha256) return undefined;
  const different = pictures.findIndex(({ sha256 }) => sha256 !== newest.sha256);
  const same = different < 0 ? pictures : pictures.slice(0, different);
  const oldest = same.at(-1);
  if (!oldest || same.length < sameInARow || newest.takenAt.getTime() - oldest.takenAt.getTime() < sameForMs) return undefined;
  return { reason: `The last ${same.length} pictures have the same content, byte for byte`, since: oldest.takenAt };
}

const newLags = 5;
const fewestLags = 20;
const jumpMs = 120_000;

/**
 * Why the file times show that a camera's clock jumped: the median of the last five differs from the median of those before by
 * more than two minutes, against the arrival. Undefined when they do not, and when the five are as far from each other: those of a clock are all
 * off alike, while a folder that somebody copies in, or what a camera kept while it was offline, is as old as each file is. The newest is first.
 */
export function clockJump(pictures: readonly LedgerPicture[]): { readonly reason: string; readonly since: Date } | undefined {
  const timed = pictures.flatMap(({ lagMs, takenAt }) => (lagMs === null ? [] : [{ lagMs, takenAt }]));
  if (timed.length < newLags + fewestLags) return undefined;
  const newest = timed.slice(0, newLags);
  const lags = newest.map(({ lagMs }) => lagMs);
  if (Math.max(...lags) - Math.min(...lags) > jumpMs) return undefined;
  const jump = median(newest) - median(timed.slice(newLags));
  if (Math.abs(jump) <= jumpMs) return undefined;
  const way = jump > 0 ? "back" : "forward";
  const since = newest.at(-1)?.takenAt ?? new Date(0);
  return { reason: `The times of its files jumped ${way} by ${durationText(Math.abs(jump))} against their arrival`, since };
}

function median(timed: readonly { readonly lagMs: number }[]): number {
  const sorted = timed.map(({ lagMs }) => lagMs).sort((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}
