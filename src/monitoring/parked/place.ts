import { z } from "zod";
import { objectTypes } from "../../contract/constants.ts";

/** A box in shares of the picture, 0 to 1; origin at the top left. */
const Spot = z.object({ x: z.number(), y: z.number(), width: z.number(), height: z.number() });
export type Spot = z.output<typeof Spot>;

/*
 * The states of a place, where an object of one class group was seen:
 *
 *   new --(seen there in most pictures, with a steady box, in several visits over some time)--> parked
 *   new --(missing more often than seen)--> forgotten
 *   parked --(missing in several pictures over some time)--> left: an event of its own
 *   left --(something of the group is there again: a usual detection)--> arrived
 *   arrived --(still there after a few minutes)--> parked
 *   arrived --(missing again: it only passed)--> left
 */
export const placeStates = ["new", "parked", "left", "arrived"] as const;

/** A place in the memory of a camera. Times are milliseconds since 1970. */
const Place = z.object({
  /** Unique within its camera. */
  id: z.int(),
  state: z.enum(placeStates),
  /** The class that was seen there last; the others of its group match too. */
  objectType: z.enum(objectTypes),
  box: Spot,
  /** The first picture of this stay. */
  since: z.number(),
  lastSeenAt: z.number(),
  /** Number of visits in which it was there, and the time of the last one. */
  visits: z.int(),
  visitAt: z.number(),
  /** Visits that began with nearly the same box as the visit before ended: different cars that stop at one gate differ more. */
  steadyVisits: z.int(),
  lastBox: Spot,
  /** The last pictures of this stay: `1` seen, `0` missing, the newest at the end. Pictures that hide the place do not count. */
  recent: z.string(),
  /** Share of pictures in which the detector finds it while it is there, estimated rather too low. */
  recall: z.number(),
  /** Pictures without it since it was seen last, and the time of the first of them. */
  missed: z.int(),
  missedSince: z.number().nullable(),
  /** Its newest stored detection while it was parked. */
  detectionId: z.int().nullable(),
});
export type Place = z.output<typeof Place>;

/** The memory of a camera. */
export const Memory = z.object({
  /** Time of the newest picture. */
  at: z.number(),
  nextId: z.int(),
  places: z.array(Place),
});
export type Memory = z.output<typeof Memory>;

export const emptyMemory: Memory = { at: 0, nextId: 1, places: [] };

/** Maximum number of places remembered per camera. */
export const mostPlaces = 32;
/** Maximum number of pictures in `recent`. */
export const mostRecent = 40;

/** How long a place is parked after its first picture, and of which classes. */
export interface ParkingRules {
  /** Classes that can be parked; the others of their groups are taken for them. */
  readonly classes: readonly string[];
  readonly afterMs: number;
}

/** Classes that detectors take for each other in the same object. */
const confusions: readonly (readonly string[])[] = [
  ["car", "truck", "bus"],
  ["bicycle", "motorcycle"],
  ["dog", "cat"],
];

/** Returns the name of a class's group: the first class in it. */
export function groupOf(objectType: string): string {
  return confusions.find((group) => group.includes(objectType))?.[0] ?? objectType;
}

/** Returns how often a place was seen in its last pictures. Pictures since it was seen last count as soon as it is seen again. */
export function countsOf({ recent }: Pick<Place, "recent">): { readonly seen: number; readonly pictures: number } {
  return { seen: recent.split("1").length - 1, pictures: recent.length };
}

/** Tells whether something is parked at a place now. */
export function isParked({ state }: Pick<Place, "state">): boolean {
  return state === "parked" || state === "arrived";
}
