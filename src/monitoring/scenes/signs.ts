import { durationText } from "../../base/text/format.ts";

/** A ledger entry, for health signs that need no pixels. */
export interface LedgerPicture {
  /** Hash of the content in hex; null if not computed. */
  readonly sha256: string | null;
  readonly takenAt: Date;
  /** Arrival time minus file time, in ms; null for a picture that did not arrive live. */
  readonly lagMs: number | null;
}

const sameInARow = 6;
const sameForMs = 60_000;

/**
 * Explains why the newest pictures show a frozen camera: six of the same content over a minute. Undefined if they do not. The newest is
 * first.
 */
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
 * Explains why the file times show that a camera's clock jumped: compared with the arrival times, the median of the last five differs by
 * more than two minutes from the median before. Undefined if not, and if the five differ from each other as much: a wrong clock shifts
 * all files alike, while a copied folder, or pictures that the camera stored offline, vary in age. The newest is first.
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
