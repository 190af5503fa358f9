import { dayMs, latestPast } from "../../base/clock/clock.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Cause } from "../incidents/incident.ts";
import { endIncidents, openIncident } from "../incidents/incidents.ts";
import { countEnded, openIncidents } from "../incidents/incidents-repository.ts";
import { unchangedShare } from "./change.ts";
import type { Frame } from "./frame.ts";
import { ledgerPictures } from "./pictures-repository.ts";
import { clockJump, sameContent } from "./signs.ts";

/**
 * Minimum number of pictures checked; all of the last 90 s if those are more, so that six of the same content over a minute are among
 * them.
 */
const fewestPictures = 60;
const lookBackMs = 90_000;
/** In a black picture, 95 % of the pixels are no brighter than this. */
const blackBelow = 16;
const blackInARow = 3;
const stillFrom = 0.97;
const stillInARow = 6;
/** A camera with a larger share of identical pixels from frame to frame has too little noise to detect frozen pictures. */
const noisyBelow = 0.8;
const fewestPairs = 20;
const noiseReason = "The pictures are identical except for a small part, such as a clock in them";
const weekMs = 7 * dayMs;
/** A camera with this many black incidents within a week that ended without intervention is black at times: a dark room, a shutter. */
const habit = 3;

/** State that a worker keeps about a camera's pictures between two checks. */
export interface Memory {
  previous: Frame | undefined;
  black: number;
  still: number;
  /** The usual share of identical pixels, decayed, and the number of pairs it is based on. */
  usualShare: number;
  pairs: number;
}

export const freshMemory = (): Memory => ({ previous: undefined, black: 0, still: 0, usualShare: 1, pairs: 0 });

/** A check of a camera's newest picture. */
export interface HealthCheck {
  readonly cameraId: string;
  readonly takenAt: Date;
  readonly frame: Frame;
}

/** Tells whether a frame is black, so that there is nothing to compare. */
export const isBlack = ({ brightest }: Frame): boolean => brightest < blackBelow;

/**
 * Checks for black or frozen pictures and a clock that jumped, in the caller's transaction; opens and ends the incidents of these causes.
 * Returns whether any did.
 */
export async function checkHealth(sql: Sql, { cameraId, takenAt, frame }: HealthCheck, memory: Memory, now: Date): Promise<boolean> {
  const ledger = await ledgerPictures(sql, cameraId, { until: latestPast(now), fewest: fewestPictures, lookBackMs });
  const known = await openIncidents(sql, ["frozen", "clock", "black"], cameraId);
  // After a restart there is no state: only a different picture proves that such an incident has ended.
  const wasStill = known.some(({ cause, reason }) => cause === "frozen" && reason === noiseReason);
  const still = stillness(frame, memory, wasStill);
  memory.black = isBlack(frame) ? memory.black + 1 : 0;
  const same = sameContent(ledger);
  const frozen = same ?? (still ? { reason: noiseReason, since: takenAt } : undefined);
  const found: readonly [Cause, { readonly reason: string; readonly since: Date } | undefined | "unsure"][] = [
    ["frozen", frozen ?? (memory.still > 0 ? "unsure" : undefined)],
    ["clock", clockJump(ledger.slice(0, fewestPictures))],
    [
      "black",
      memory.black === 0 ? undefined : memory.black < blackInARow ? "unsure" : { reason: "No picture shows anything", since: takenAt },
    ],
  ];
  const open = new Set(known.map(({ cause }) => cause));
  let changed = false;
  for (const [cause, finding] of found) {
    if (finding === "unsure") continue;
    if (!finding && open.has(cause)) changed = (await endIncidents(sql, cameraId, [cause], now)) > 0 || changed;
    if (!finding || open.has(cause)) continue;
    if (cause === "black" && (await countEnded(sql, cameraId, cause, new Date(now.getTime() - weekMs))) >= habit) continue;
    changed = (await openIncident(sql, { cameraId, cause, reason: finding.reason, beganAt: finding.since }, now)) || changed;
  }
  return changed;
}

/**
 * Tells whether too many consecutive frames hardly differ, at a camera whose noise makes each frame different: known by now, or
 * `wasStill`.
 */
function stillness(frame: Frame, memory: Memory, wasStill: boolean): boolean {
  const { previous } = memory;
  memory.previous = frame;
  if (!previous) return wasStill;
  const share = unchangedShare(frame, previous);
  const isStill = share >= stillFrom && (wasStill || (memory.pairs >= fewestPairs && memory.usualShare < noisyBelow));
  memory.still = isStill ? memory.still + 1 : 0;
  if (!isStill) {
    memory.usualShare = memory.pairs === 0 ? share : memory.usualShare + 0.1 * (share - memory.usualShare);
    memory.pairs += 1;
  }
  return memory.still >= stillInARow;
}
