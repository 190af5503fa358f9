import type { EventFacts } from "../../../src/monitoring/upstream/facts.ts";

type ObjectFacts = EventFacts["objects"][number];

/** One person for a moment at noon on a Saturday, with the given changes. */
export function eventFacts(changes: Partial<EventFacts> = {}): EventFacts {
  return {
    camera: { id: "front_door", name: "Front door" },
    startedAt: "2026-01-31T11:00:00.000Z",
    endedAt: "2026-01-31T11:00:05.000Z",
    local: { hour: 12, minute: 0, weekday: "saturday", timeZone: "Europe/Berlin" },
    dwellSeconds: 5,
    frames: 2,
    objects: [objectFacts("person")],
    anomaly: null,
    readings: [],
    ...changes,
  };
}

export function objectFacts(type: string, changes: Partial<ObjectFacts> = {}): ObjectFacts {
  return { type, detections: 2, maxConfidence: 0.9, meanConfidence: 0.8, maxSimultaneous: 1, largestShareOfPicture: 0.05, ...changes };
}
