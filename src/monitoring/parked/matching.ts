import { centreDistance, intersectionOverUnion, sizeRatio } from "../upstream/overlap.ts";
import { groupOf, isParked, type Place, type Spot } from "./place.ts";

/** An object in a picture. */
export interface Sight {
  readonly objectType: string;
  readonly box: Spot;
  /** Below the confidence threshold: it may confirm a known object, and nothing else. */
  readonly isWeak?: boolean;
}

/** A place of moving objects would soon fit everything that passes, so learning is stricter than recognising. */
const overlapToLearn = 0.45;
/** Headlights and rain shift and stretch the box of something known. */
const overlapToRecognise = 0.3;
const nearCentre = 0.25;
const similarSize = 2.5;
/** Two boxes of one frame with this overlap are one object that the detector found twice, for example as car and truck. */
const sameObject = 0.6;

/** Returns how well an object fits a place, 0 to 2; undefined if it is elsewhere or of another kind. Known places come first. */
function scoreOf(sight: Sight, place: Place): number | undefined {
  if (groupOf(sight.objectType) !== groupOf(place.objectType)) return undefined;
  const overlap = intersectionOverUnion(sight.box, place.box);
  if (sight.isWeak && place.state === "left") return undefined;
  if (place.state === "new") return overlap >= overlapToLearn ? overlap : undefined;
  const isHere =
    overlap >= overlapToRecognise || (centreDistance(sight.box, place.box) <= nearCentre && sizeRatio(sight.box, place.box) <= similarSize);
  return isHere ? overlap + (isParked(place) ? 1 : 0) : undefined;
}

/** The places of the objects of one frame: each object has at most one place, and each place at most one object. */
export interface Matches {
  /** By the index of the object. */
  readonly placeOf: ReadonlyMap<number, Place>;
  /** Objects that the detector found twice: by their index, the index of the object that they repeat. */
  readonly repeats: ReadonlyMap<number, number>;
}

/** Assigns the objects of a frame to places, the best fits first and weak objects last. The order of the objects does not matter, except of equal ones. */
export function matchPlaces(sights: readonly Sight[], places: readonly Place[]): Matches {
  const fits = sights.flatMap((sight, at) =>
    places.flatMap((place) => {
      const score = scoreOf(sight, place);
      return score === undefined ? [] : [{ at, place, score, isWeak: sight.isWeak ?? false }];
    }),
  );
  const placeOf = new Map<number, Place>();
  const taken = new Set<number>();
  const best = fits.toSorted((a, b) => Number(a.isWeak) - Number(b.isWeak) || b.score - a.score || a.place.id - b.place.id || a.at - b.at);
  for (const { at, place } of best) {
    if (placeOf.has(at) || taken.has(place.id)) continue;
    placeOf.set(at, place);
    taken.add(place.id);
  }
  return { placeOf, repeats: repeatsIn(sights, placeOf) };
}

/** Finds the objects without a place that repeat one with a place, or an earlier one without. */
function repeatsIn(sights: readonly Sight[], placeOf: ReadonlyMap<number, Place>): ReadonlyMap<number, number> {
  const repeats = new Map<number, number>();
  const originals = [...placeOf.keys()];
  for (const [at, sight] of sights.entries()) {
    if (placeOf.has(at)) continue;
    const original = originals.find((other) => isSameObject(sight, sights[other] as Sight));
    if (original === undefined) originals.push(at);
    else repeats.set(at, original);
  }
  return repeats;
}

function isSameObject(one: Sight, other: Sight): boolean {
  return groupOf(one.objectType) === groupOf(other.objectType) && intersectionOverUnion(one.box, other.box) >= sameObject;
}
