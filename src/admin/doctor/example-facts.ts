import type { EventFacts } from "../../monitoring/upstream/facts.ts";

/** An event as it could have been: what the language model is asked to judge. It is stored nowhere. */
export const exampleFacts: EventFacts = {
  camera: { id: "homesec-doctor", name: "Example of homesec doctor" },
  startedAt: "2026-01-31T22:15:03Z",
  endedAt: "2026-01-31T22:15:41Z",
  local: { hour: 22, minute: 15, weekday: "saturday", timeZone: "UTC" },
  dwellSeconds: 38,
  frames: 3,
  objects: [{ type: "person", detections: 3, maxConfidence: 0.91, meanConfidence: 0.84, maxSimultaneous: 1, largestShareOfPicture: 0.08 }],
  anomaly: null,
  readings: [],
};
