import type { Sql } from "../../platform/database/database.ts";
import { type Gone, type Observation, observe, type Stay } from "./observe.ts";
import { memoriesOf, storeMemories } from "./parked-repository.ts";
import type { Memory, ParkingRules } from "./place.ts";

/** The objects in a file of a camera. */
export interface CameraObservation extends Omit<Observation, "isBlind"> {
  readonly cameraId: string;
}

/** Something that left its camera. */
export interface GoneFrom extends Gone {
  readonly cameraId: string;
}

export interface Judged {
  /** By observation, frame and object; undefined for an object that is not parked. */
  readonly stays: readonly (readonly (readonly (Stay | undefined)[])[])[];
  readonly gone: readonly GoneFrom[];
  /** The memories to store, by camera. */
  readonly memories: ReadonlyMap<string, Memory>;
}

/**
 * Judges which objects are parked, the pictures of each camera in the order of their times. Lock the batches of the cameras first. Then
 * call `rememberParked` in the same transaction.
 */
export async function judgeParked(sql: Sql, observations: readonly CameraObservation[], rules: ParkingRules): Promise<Judged> {
  const stays: (readonly (readonly (Stay | undefined)[])[])[] = observations.map(() => []);
  const memories = new Map<string, Memory>();
  const gone: GoneFrom[] = [];
  if (rules.classes.length === 0 || observations.length === 0) return { stays, gone, memories };
  for (const known of await memoriesOf(sql, [...new Set(observations.map(({ cameraId }) => cameraId))])) {
    const { cameraId, isBlind } = known;
    const own = [...observations.entries()].filter(([, observation]) => observation.cameraId === cameraId);
    let { memory } = known;
    for (const [index, { at, frames }] of own.toSorted(([, a], [, b]) => a.at - b.at)) {
      const observed = observe(memory, { at, frames, isBlind }, rules);
      memory = observed.memory;
      stays[index] = observed.stays;
      gone.push(...observed.gone.map((left) => ({ ...left, cameraId })));
    }
    // A camera that never saw anything that can be parked has no row.
    if (known.isStored || memory.places.length > 0) memories.set(cameraId, memory);
  }
  return { stays, gone, memories };
}

/** A stored detection of something parked. */
export interface ParkedDetection {
  readonly cameraId: string;
  readonly stay: Stay;
  readonly detectionId: number;
}

/** Stores the memories with the newest detection of each place. Returns the objects that left, each with its newest detection. */
export async function rememberParked(sql: Sql, judged: Judged, parked: readonly ParkedDetection[]): Promise<readonly GoneFrom[]> {
  const keyOf = (cameraId: string, id: number, since: number): string => `${cameraId} ${id} ${since}`;
  const newest = new Map(parked.map(({ cameraId, stay, detectionId }) => [keyOf(cameraId, stay.placeId, stay.since), detectionId]));
  const detectionOf = (cameraId: string, place: Memory["places"][number]): number | null =>
    newest.get(keyOf(cameraId, place.id, place.since)) ?? place.detectionId;
  const memories = [...judged.memories].map(([cameraId, memory]): [string, Memory] => {
    const places = memory.places.map((place) => ({ ...place, detectionId: detectionOf(cameraId, place) }));
    return [cameraId, { ...memory, places }];
  });
  await storeMemories(sql, new Map(memories));
  return judged.gone.map((left) => ({ ...left, place: { ...left.place, detectionId: detectionOf(left.cameraId, left.place) } }));
}
