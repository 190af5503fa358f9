import { within } from "../../base/lifecycle/lifecycle.ts";
import { Problem } from "../../contract/problem.ts";
import type { Database } from "../../platform/database/database.ts";
import { cropAround } from "../detections/crop.ts";
import { findSource } from "../detections/detections-repository.ts";
import { readPictureOf } from "../detections/picture.ts";
import type { Picture } from "../upstream/multipart.ts";
import { type CropCandidate, cropCandidates } from "./crops-repository.ts";

/** The part of a picture that shows a detection, for a model that sees. */
export interface Crop extends Picture {
  readonly detectionId: number;
}

/** More pictures cost more time than they tell. */
const mostCrops = 3;
/** A frame of a video takes long on a small machine, and a disk may hang; the judgement matters more than its pictures. */
const timeoutMs = 20_000;
/** How much another class, and another moment, count beside the confidence. */
const worthOf = { otherClass: 1, otherMoment: 0.5 } as const;

/**
 * Chooses the detections to show: the most confident one, then others of another class or from another moment. The best comes first, as
 * some models take one picture only.
 */
export function chooseCrops(candidates: readonly CropCandidate[], most = mostCrops): readonly CropCandidate[] {
  const best = candidates.toSorted((a, b) => b.confidence - a.confidence);
  const times = best.map(({ detectedAt }) => detectedAt.getTime());
  const half = Math.max(1, (Math.max(...times) - Math.min(...times)) / 2);
  const chosen = best.slice(0, 1);
  const worth = ({ objectType, detectedAt, confidence }: CropCandidate): number => {
    const isOther = chosen.every((each) => each.objectType !== objectType);
    const distance = Math.min(...chosen.map((each) => Math.abs(each.detectedAt.getTime() - detectedAt.getTime())));
    return confidence + (isOther ? worthOf.otherClass : 0) + worthOf.otherMoment * Math.min(1, distance / half);
  };
  while (chosen.length < most) {
    // A second crop of the same class in the same picture would show nearly the same.
    const left = best.filter(({ objectType, frame }) => !chosen.some((each) => each.frame === frame && each.objectType === objectType));
    const [next] = left.toSorted((a, b) => worth(b) - worth(a));
    if (!next) break;
    chosen.push(next);
  }
  return chosen;
}

/**
 * Returns the pictures of an event for a model that sees, as they may leave homesec: its best detections with what is around them, private
 * zones black. A picture that cannot be read is left out. Throws the signal's reason if the caller cancelled.
 */
export async function cropsOfEvent(
  { db, roots }: { readonly db: Database; readonly roots: readonly string[] },
  eventId: number,
  signal: AbortSignal,
): Promise<readonly Crop[]> {
  const candidates = await db.query((sql) => cropCandidates(sql, eventId));
  const crops: Crop[] = [];
  const all = async (): Promise<void> => {
    for (const { id } of chooseCrops(candidates)) crops.push(...(await cropOf({ db, roots }, id, signal)));
  };
  const overdue = new Problem("unavailable", "the pictures took too long");
  await within(timeoutMs, all, overdue).catch((error: unknown) => {
    if (error !== overdue) throw error;
  });
  signal.throwIfAborted();
  return [...crops];
}

async function cropOf(
  { db, roots }: { readonly db: Database; readonly roots: readonly string[] },
  detectionId: number,
  signal: AbortSignal,
): Promise<readonly Crop[]> {
  const source = await db.query((sql) => findSource(sql, detectionId));
  if (!source) return [];
  try {
    const { bytes, ...size } = await cropAround(await readPictureOf(source, roots, signal), source.box);
    return [{ bytes, size, fileName: `${detectionId}.jpg`, mediaType: "image/jpeg", detectionId }];
  } catch {
    // Deleted, moved or damaged: the text of the question has the detection all the same.
    return [];
  }
}
