import { type EventFacts, localTime } from "../upstream/facts.ts";
import type { AnalysisSubject, Sighting } from "./analysis-repository.ts";
import { readingsFrom } from "./readings.ts";

/** Compiles the facts about an event for the language model: counted, nothing guessed. `anomaly` is null without a baseline. */
export function factsFrom(
  subject: AnalysisSubject,
  sightings: readonly Sighting[],
  anomaly: EventFacts["anomaly"],
  timeZone: string,
): EventFacts {
  const byType = grouped(sightings, (sighting) => sighting.objectType);
  return {
    camera: { id: subject.cameraId, name: subject.cameraName },
    startedAt: subject.startedAt.toISOString(),
    endedAt: subject.endedAt.toISOString(),
    local: localTime(subject.startedAt, timeZone),
    dwellSeconds: Math.max(0, subject.endedAt.getTime() - subject.startedAt.getTime()) / 1000,
    // An event whose detections were deleted since still counts as seen once.
    frames: Math.max(1, new Set(sightings.map((sighting) => sighting.frame)).size),
    objects: [...byType].map(([type, seen]) => objectFacts(type, seen)),
    anomaly,
    readings: readingsFrom(sightings),
  };
}

function objectFacts(type: string, seen: readonly Sighting[]): EventFacts["objects"][number] {
  const perFrame = [...grouped(seen, (sighting) => sighting.frame).values()].map((onOne) => onOne.length);
  const shares = seen.flatMap(({ boxArea, pictureArea }) => (boxArea === null || !pictureArea ? [] : [Math.min(1, boxArea / pictureArea)]));
  const zones = [...new Set(seen.flatMap((sighting) => sighting.zones))].toSorted();
  return {
    type,
    detections: seen.length,
    maxConfidence: Math.max(...seen.map((sighting) => sighting.confidence)),
    meanConfidence: Math.min(1, seen.reduce((sum, sighting) => sum + sighting.confidence, 0) / seen.length),
    maxSimultaneous: Math.max(...perFrame),
    largestShareOfPicture: shares.length === 0 ? null : Math.max(...shares),
    ...(zones.length > 0 && { zones }),
  };
}

function grouped(sightings: readonly Sighting[], keyOf: (sighting: Sighting) => string): Map<string, Sighting[]> {
  const groups = new Map<string, Sighting[]>();
  for (const sighting of sightings) {
    const group = groups.get(keyOf(sighting));
    if (group) group.push(sighting);
    else groups.set(keyOf(sighting), [sighting]);
  }
  return groups;
}
