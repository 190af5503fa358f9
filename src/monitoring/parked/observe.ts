import { dayMs, minuteMs } from "../../base/clock/clock.ts";
import { coveredShare, intersectionOverUnion } from "../upstream/overlap.ts";
import { matchPlaces, type Sight } from "./matching.ts";
import { countsOf, groupOf, isParked, type Memory, mostPlaces, mostRecent, type ParkingRules, type Place, type Spot } from "./place.ts";

/** The objects in one file. */
export interface Observation {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** One for a picture; the frames of a video count as one picture. Includes objects below the confidence threshold. */
  readonly frames: readonly (readonly Sight[])[];
  /** The camera sees black, or another view: something missing says nothing. */
  readonly isBlind: boolean;
}

/** The stay that an object belongs to. */
export interface Stay {
  readonly placeId: number;
  /** Milliseconds since 1970. */
  readonly since: number;
  /** In how many of the last pictures it was seen. */
  readonly seen: number;
  readonly pictures: number;
}

/** Something that was parked and is gone. */
export interface Gone {
  readonly place: Place;
  /** Time of the first picture without it, in milliseconds since 1970. */
  readonly at: number;
}

export interface Observed {
  readonly memory: Memory;
  /** By frame and object; undefined for an object that is not parked. */
  readonly stays: readonly (readonly (Stay | undefined)[])[];
  readonly gone: readonly Gone[];
}

/** Pictures this close in time are one visit: ten pictures of one trigger prove no more than one. */
const visitMs = 2 * minuteMs;
const visitsToPark = 5;
const steadyVisitsToPark = 3;
const steadyOverlap = 0.8;
const shareToPark = 0.6;
/** A backlog in any order has no visits, but as many pictures prove the same. */
const picturesToParkLate = 20;
/** Something that comes back to a known place is parked after this time. */
const settleMs = 3 * minuteMs;
/** Time that something must be missing. */
const goneMs = 10 * minuteMs;
const missesToGo = 5;
/** Something new is forgotten when it was missing this often, and more often than seen. */
const missesToForget = 3;
/** Probability of missing it by chance this often. */
const chanceOfGone = 0.001;
const chanceOfPassing = 0.01;
const leastRecall = 0.25;
/** An object is hidden if something that moves covers this share of its place, or something that parked later. */
const hidingShare = 0.25;
const parkedHidingShare = 0.5;
/** Pictures that are stored in another order than they were taken. Older ones teach less. */
const disorderMs = 2 * minuteMs;
/** The estimate of the recall falls fast and rises slowly, because the night comes back every day. */
const fallingShare = 1 / 10;
const risingShare = 1 / 40;
const firstRecall = 0.8;
/** How far the box of a place follows the newest one at most. */
const leastShare = 1 / 12;
const forgetNewMs = 7 * dayMs;
const forgetLeftMs = 30 * dayMs;

/**
 * Judges the objects of one picture by the memory of its camera, and learns from it. Pure: the same memory and picture always give the
 * same result.
 */
export function observe(memory: Memory, observation: Observation, rules: ParkingRules): Observed {
  const groups = new Set(rules.classes.map(groupOf));
  const places = memory.places.filter(({ objectType }) => groups.has(groupOf(objectType)));
  if (observation.at < memory.at - disorderMs) return observeLate({ ...memory, places }, observation, rules, groups);
  const at = Math.max(observation.at, memory.at);
  const before = new Map(places.map((place) => [place.id, place]));
  const now = new Map(before);
  const seen = new Set<number>();
  let nextId = memory.nextId;
  const found = observation.frames.map((frame) => {
    const matches = matchPlaces(frame, [...now.values()]);
    const placeIds = new Map<number, number>();
    for (const [index, sight] of frame.entries()) {
      if (!groups.has(groupOf(sight.objectType)) || matches.repeats.has(index)) continue;
      const known = matches.placeOf.get(index);
      if (!known && sight.isWeak) continue;
      const place = known ? (seen.has(known.id) ? known : sighted(known, sight, at, rules)) : newPlace(nextId++, sight, at);
      now.set(place.id, place);
      seen.add(place.id);
      placeIds.set(index, place.id);
    }
    return { frame, placeIds, repeats: matches.repeats };
  });
  const stays = found.map(({ frame, placeIds, repeats }) =>
    frame.map((_, index) => stayIn(placeIds.get(repeats.get(index) ?? index), before, now)),
  );
  const { kept, gone } = withoutUnseen([...now.values()], { at, isBlind: observation.isBlind, fronts: frontsIn(observation, stays) }, seen);
  return { memory: { at, nextId, places: bounded(kept, at) }, stays, gone };
}

/**
 * Judges a picture that is older than others, as in a backlog that is found in any order. It teaches which objects stood there at its time,
 * and nothing about what has come or gone since.
 */
function observeLate(memory: Memory, { at, frames }: Observation, rules: ParkingRules, groups: ReadonlySet<string>): Observed {
  const now = new Map(memory.places.map((place) => [place.id, place]));
  const seen = new Set<number>();
  let { nextId } = memory;
  const stays = frames.map((frame) => {
    const { placeOf, repeats } = matchPlaces(frame, [...now.values()]);
    const placeIds = new Map<number, number>();
    for (const [index, sight] of frame.entries()) {
      const known = placeOf.get(index);
      if (!groups.has(groupOf(sight.objectType)) || repeats.has(index) || (!known && sight.isWeak)) continue;
      const place = known ? (seen.has(known.id) ? known : sightedLate(known, sight, at, rules)) : newPlace(nextId++, sight, at);
      now.set(place.id, place);
      seen.add(place.id);
      placeIds.set(index, place.id);
    }
    return frame.map((_, index) => lateStay(now.get(placeIds.get(repeats.get(index) ?? index) ?? 0), at));
  });
  const places = [...now.values()].map((place) => {
    const isMissing = place.state === "new" && !seen.has(place.id) && at >= place.since && at <= place.lastSeenAt;
    return isMissing ? { ...place, recent: `${place.recent}0`.slice(-mostRecent) } : place;
  });
  return { memory: { at: memory.at, nextId, places: bounded(places, memory.at) }, stays, gone: [] };
}

/** A place in which something was seen at an earlier time: it was there longer than known, unless it came back to the place since. */
function sightedLate(place: Place, { objectType, box }: Sight, at: number, rules: ParkingRules): Place {
  if (place.state === "arrived" || place.state === "left") return place;
  const since = Math.min(place.since, at);
  if (place.state === "parked") return { ...place, since };
  const next: Place = {
    ...sighted(place, { objectType, box }, at, rules),
    ...visitsOf(place),
    since,
    lastSeenAt: Math.max(place.lastSeenAt, at),
  };
  const { seen, pictures } = countsOf(next);
  const isProven = pictures >= picturesToParkLate && seen >= shareToPark * pictures && next.lastSeenAt - since >= rules.afterMs;
  return { ...next, state: isProven ? "parked" : "new" };
}

/** Visits count in the order of time only. */
const visitsOf = ({ visits, visitAt, steadyVisits, lastBox }: Place) => ({ visits, visitAt, steadyVisits, lastBox });

/** The stay of an object at an earlier time. */
function lateStay(place: Place | undefined, at: number): Stay | undefined {
  if (!place || place.state === "new" || at < place.since) return undefined;
  return place.state === "left" && at > place.lastSeenAt ? undefined : stayAt(place);
}

const stayAt = (place: Place): Stay => ({ placeId: place.id, since: place.since, ...countsOf(place) });

/** The stay of an object: none in the picture in which something comes back, since that is an event. */
function stayIn(id: number | undefined, before: ReadonlyMap<number, Place>, now: ReadonlyMap<number, Place>): Stay | undefined {
  const place = id === undefined ? undefined : now.get(id);
  if (!place || !isParked(place) || before.get(place.id)?.state === "left") return undefined;
  return stayAt(place);
}

function newPlace(id: number, { objectType, box }: Sight, at: number): Place {
  const type = objectType as Place["objectType"];
  const visit = { visits: 1, visitAt: at, steadyVisits: 0, recent: "1", recall: firstRecall, missed: 0, missedSince: null };
  const here = { box: rounded(box), lastBox: rounded(box), since: at, lastSeenAt: at };
  return { id, state: "new", objectType: type, ...here, ...visit, detectionId: null };
}

/** A place in which something was seen in this picture. */
function sighted(place: Place, { objectType, box }: Sight, at: number, rules: ParkingRules): Place {
  const type = objectType as Place["objectType"];
  if (place.state === "left") {
    const { recall } = place;
    return { ...newPlace(place.id, { objectType, box }, at), box: follow(place, box), state: "arrived", recall };
  }
  const isNewVisit = at - place.visitAt >= visitMs;
  const isSteady = isNewVisit && intersectionOverUnion(box, place.lastBox) >= steadyOverlap;
  const next: Place = {
    ...place,
    objectType: type,
    box: follow(place, box),
    lastSeenAt: at,
    visits: place.visits + (isNewVisit ? 1 : 0),
    visitAt: isNewVisit ? at : place.visitAt,
    steadyVisits: place.steadyVisits + (isSteady ? 1 : 0),
    lastBox: rounded(box),
    recent: `${place.recent}${"0".repeat(Math.min(place.missed, mostRecent))}1`.slice(-mostRecent),
    recall: recallAfter(place),
    missed: 0,
    missedSince: null,
  };
  return { ...next, state: stateAfter(next, at, rules) };
}

function stateAfter(place: Place, at: number, { afterMs }: ParkingRules): Place["state"] {
  const staysFor = at - place.since;
  const { seen, pictures } = countsOf(place);
  const isProven = seen >= shareToPark * pictures && place.visits >= visitsToPark && place.steadyVisits >= steadyVisitsToPark;
  if (place.state === "new" && staysFor >= afterMs && isProven) return "parked";
  return place.state === "arrived" && staysFor >= settleMs ? "parked" : place.state;
}

/** The share of pictures in which the detector finds it, after the pictures that missed it and one that did not. */
function recallAfter({ recall, missed }: Place): number {
  const missing = recall * (1 - fallingShare) ** Math.min(missed, mostRecent);
  return Number((missing + risingShare * (1 - missing)).toFixed(4));
}

/** Moves a box a little towards the newest one: less the better it is known, so that a glare does not carry it away. */
function follow({ box, recent }: Place, seen: Spot): Spot {
  const share = Math.max(leastShare, 1 / (recent.length + 1));
  const towards = (from: number, to: number): number => from + share * (to - from);
  return rounded({
    x: towards(box.x, seen.x),
    y: towards(box.y, seen.y),
    width: towards(box.width, seen.width),
    height: towards(box.height, seen.height),
  });
}

function rounded({ x, y, width, height }: Spot): Spot {
  const [left, top, wide, high] = [x, y, width, height].map((value) => Number(value.toFixed(4))) as [number, number, number, number];
  return { x: left, y: top, width: wide, height: high };
}

/** Something that may hide a place. */
interface Front {
  readonly box: Spot;
  readonly stay: Stay | undefined;
}

function frontsIn({ frames }: Observation, stays: Observed["stays"]): readonly Front[] {
  return frames.flatMap((frame, at) => frame.map(({ box }, index) => ({ box, stay: stays[at]?.[index] })));
}

function isHidden(place: Place, fronts: readonly Front[]): boolean {
  return fronts.some(({ box, stay }) => {
    const covered = coveredShare(place.box, box);
    return stay ? stay.since > place.since && covered >= parkedHidingShare : covered >= hidingShare;
  });
}

/** Counts this picture for the places in which nothing was seen, and finds the objects that left. */
function withoutUnseen(
  places: readonly Place[],
  { at, isBlind, fronts }: { readonly at: number; readonly isBlind: boolean; readonly fronts: readonly Front[] },
  seen: ReadonlySet<number>,
): { readonly kept: readonly Place[]; readonly gone: readonly Gone[] } {
  const gone: Gone[] = [];
  const kept = places.flatMap((place): readonly Place[] => {
    if (seen.has(place.id) || place.state === "left" || isBlind || isHidden(place, fronts)) return [place];
    const missing = { ...place, missed: place.missed + 1, missedSince: place.missedSince ?? at };
    if (place.state === "new") return missing.missed >= missesToForget && missing.missed > countsOf(place).seen ? [] : [missing];
    if (!isGone(missing, at)) return [missing];
    if (place.state === "parked") gone.push({ place: missing, at: missing.missedSince });
    return [{ ...missing, state: "left" }];
  });
  return { kept, gone };
}

/** A detector that finds it half of the time misses it often; one that always finds it does not miss it three times by chance. */
function isGone({ state, missed, missedSince, recall }: Place & { readonly missedSince: number }, at: number): boolean {
  const chance = (1 - Math.max(leastRecall, recall)) ** missed;
  if (state === "arrived") return chance <= chanceOfPassing;
  return missed >= missesToGo && at - missedSince >= goneMs && chance <= chanceOfGone;
}

/** With too many places, those with the lowest number are forgotten first. */
const worth: Readonly<Record<Place["state"], number>> = { new: 0, left: 1, arrived: 2, parked: 3 };

function bounded(places: readonly Place[], at: number): Place[] {
  const current = places.filter(({ state, lastSeenAt }) => {
    if (state === "new") return at - lastSeenAt <= forgetNewMs;
    return state !== "left" || at - lastSeenAt <= forgetLeftMs;
  });
  if (current.length <= mostPlaces) return [...current];
  const best = current.toSorted((a, b) => worth[b.state] - worth[a.state] || b.lastSeenAt - a.lastSeenAt || b.id - a.id);
  const kept = new Set(best.slice(0, mostPlaces).map(({ id }) => id));
  return current.filter(({ id }) => kept.has(id));
}
