import type { z } from "zod";
import type { SceneChange } from "../../contract/routes/scenes.ts";
import type { Grey } from "./frame.ts";
import { coarseCorrelation, detailOf, matchedTo, softened, spreadOf, structuralSimilarity } from "./similarity.ts";

export type ChangeType = z.output<typeof SceneChange>["change_type"];

/** How a frame differs from a reference. `change` is null while it shows the same view. */
export interface Comparison {
  readonly similarity: number;
  readonly change: ChangeType | null;
}

/** A view that is similar by less than this share of what is usual for the camera is another one. */
const changedBelow = 0.8;

/** Compares a frame with the reference of its light, both softened here. `usual` is the similarity that the camera's pictures have to it. */
export function compareViews(frame: Grey, reference: Grey, usual: number): Comparison {
  const [seen, known] = [softened(frame), softened(reference)];
  const matched = matchedTo(seen, known);
  const similarity = structuralSimilarity(matched, known);
  const asUsual = similarity >= changedBelow * Math.min(0.95, Math.max(0.6, usual));
  // a blurred picture has the structure still, as far as windows of 8 pixels see it
  if (asUsual) return { similarity, change: isBlurred(seen, matched, known, 0.55) ? "view_blurred" : null };
  return { similarity, change: changeType(seen, matched, known) };
}

/** Whether a frame shows next to nothing, and not because it is dark there. */
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

/** From afar the same, from near with less detail than this share of it. */
function isBlurred(seen: Grey, matched: Grey, known: Grey, below: number): boolean {
  return detailShare(seen, known) < below && coarseCorrelation(matched, known) >= 0.8;
}

/** The detail in a frame against that in the reference, each for the contrast that there is, so that dim light is no blur. */
function detailShare(seen: Grey, known: Grey): number {
  const [own, usual] = [seen, known].map((grey) => detailOf(grey) / Math.max(1, spreadOf(grey).deviation));
  return (own ?? 0) / Math.max(0.001, usual ?? 0);
}

/** The share of the reference's parts with something in them in which the frame has nothing any more. */
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

/** A reference moved a little towards a frame: light and seasons drift, what passes by hardly counts. */
export function learned(reference: Grey, frame: Grey, share: number): Grey {
  return { ...reference, pixels: reference.pixels.map((value, at) => Math.round(value + share * ((frame.pixels[at] ?? 0) - value))) };
}

/** The share of pixels that are the very same in both: 1 for one picture sent twice. */
export function unchangedShare(one: Grey, other: Grey): number {
  if (one.width !== other.width || one.height !== other.height) return 0;
  let same = 0;
  for (const [at, value] of one.pixels.entries()) if (value === other.pixels[at]) same += 1;
  return same / one.pixels.length;
}
