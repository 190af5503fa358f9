import type { z } from "zod";
import type { SceneChange } from "../../contract/routes/scenes.ts";
import type { Grey } from "./frame.ts";
import { coarseCorrelation, detailOf, matchedTo, softened, spreadOf, structuralSimilarity } from "./similarity.ts";

export type ChangeType = z.output<typeof SceneChange>["change_type"];

/** The difference of a frame from a reference. `change` is null while the view is the same. */
export interface Comparison {
  readonly similarity: number;
  readonly change: ChangeType | null;
}

/** A view whose similarity is below this share of the camera's usual similarity has changed. */
const changedBelow = 0.8;

/** Compares a frame with the reference of its light; softens both. `usual` is the usual similarity of the camera's pictures to it. */
export function compareViews(frame: Grey, reference: Grey, usual: number): Comparison {
  const [seen, known] = [softened(frame), softened(reference)];
  const matched = matchedTo(seen, known);
  const similarity = structuralSimilarity(matched, known);
  const asUsual = similarity >= changedBelow * Math.min(0.95, Math.max(0.6, usual));
  // A blurred picture keeps its structure, as far as windows of 8 pixels show it.
  if (asUsual) return { similarity, change: isBlurred(seen, matched, known, 0.55) ? "view_blurred" : null };
  return { similarity, change: changeType(seen, matched, known) };
}

/** Tells whether a frame is blank for another reason than darkness. */
export function isBlank(frame: Grey, reference: Grey): boolean {
  const [seen, known] = [softened(frame), softened(reference)];
  return isFlat(seen, known) && coarseCorrelation(seen, known) < 0.5;
}

function isFlat(seen: Grey, known: Grey): boolean {
  return spreadOf(seen).deviation < Math.max(6, 0.2 * spreadOf(known).deviation);
}

function changeType(seen: Grey, matched: Grey, known: Grey): ChangeType {
  const far = coarseCorrelation(matched, known);
  if (isFlat(seen, known) && far < 0.5) return "view_blocked";
  if (isBlurred(seen, matched, known, 0.65)) return "view_blurred";
  if (lostShare(matched, known) >= 0.3) return "view_blocked";
  return detailShare(seen, known) >= 0.5 ? "view_moved" : "unknown";
}

/** Similar at a coarse scale, with less fine detail than this share of the reference. */
function isBlurred(seen: Grey, matched: Grey, known: Grey, below: number): boolean {
  return detailShare(seen, known) < below && coarseCorrelation(matched, known) >= 0.8;
}

/** Returns the detail of a frame relative to the reference, each normalised by its contrast, so that dim light does not count as blur. */
function detailShare(seen: Grey, known: Grey): number {
  const [own, usual] = [seen, known].map((grey) => detailOf(grey) / Math.max(1, spreadOf(grey).deviation));
  return (own ?? 0) / Math.max(0.001, usual ?? 0);
}

/** Returns the share of the reference's textured parts that are empty in the frame. */
function lostShare(matched: Grey, known: Grey): number {
  let [lost, all] = [0, 0];
  for (let top = 0; top + 16 <= known.height; top += 16) {
    for (let left = 0; left + 16 <= known.width; left += 16) {
      const was = spreadOf(cell(known, left, top)).deviation;
      if (was < 6) continue;
      all += 1;
      if (spreadOf(cell(matched, left, top)).deviation < 0.25 * was) lost += 1;
    }
  }
  return all === 0 ? 0 : lost / all;
}

function cell({ pixels, width }: Grey, left: number, top: number): Grey {
  const part = new Uint8Array(256);
  for (let y = 0; y < 16; y += 1) part.set(pixels.subarray((top + y) * width + left, (top + y) * width + left + 16), 16 * y);
  return { width: 16, height: 16, pixels: part };
}

/** Moves a reference a little towards a frame: light and seasons drift, passers-by hardly count. */
export function learned(reference: Grey, frame: Grey, share: number): Grey {
  return { ...reference, pixels: reference.pixels.map((value, at) => Math.round(value + share * ((frame.pixels[at] ?? 0) - value))) };
}

/** Returns the share of identical pixels: 1 for one picture sent twice. */
export function unchangedShare(one: Grey, other: Grey): number {
  if (one.width !== other.width || one.height !== other.height) return 0;
  let same = 0;
  for (const [at, value] of one.pixels.entries()) if (value === other.pixels[at]) same += 1;
  return same / one.pixels.length;
}
