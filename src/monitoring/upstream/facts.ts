import { z } from "zod";
import { weekdays } from "../../base/clock/calendar.ts";

const Share = z.number().min(0).max(1);

/** The facts about one class of objects in an event. */
const ObjectFacts = z.object({
  type: z.string(),
  /** Number of detections over all pictures of the event. */
  detections: z.int().min(1),
  maxConfidence: Share,
  meanConfidence: Share,
  /** Largest number on one picture. */
  maxSimultaneous: z.int().min(1),
  /** Area of the largest box as a share of the picture; null if no box or no picture size is known. */
  largestShareOfPicture: Share.nullable(),
  /** Named areas of the picture that it was in; absent if it was in none. */
  zones: z.array(z.string()).optional(),
});

/** The facts about an event that the language model gets. A judgement rests on nothing else. */
export const EventFacts = z.object({
  camera: z.object({ id: z.string(), name: z.string() }),
  /** ISO 8601, UTC. */
  startedAt: z.string(),
  endedAt: z.string(),
  /** Start of the event in local time. */
  local: z.object({ hour: z.int().min(0).max(23), minute: z.int().min(0).max(59), weekday: z.enum(weekdays), timeZone: z.string() }),
  /** Seconds from the first to the last detection. */
  dwellSeconds: z.number().min(0),
  /** Number of pictures with a detection. */
  frames: z.int().min(1),
  objects: z.array(ObjectFacts),
  /** Vehicles in the pictures that were parked before and do not belong to the event. Absent without any. */
  parked: z.array(z.object({ type: z.string(), since: z.string() })).optional(),
  /** The event says that a parked vehicle left. Absent for any other event. */
  departure: z.object({ parkedSince: z.string() }).optional(),
  /** How unusual this is for the camera at this hour, 0 to 1; null if unknown. */
  anomaly: z.object({ score: Share, reason: z.string() }).nullable(),
  /**
   * Texts, captions and attributes that other services read from the pictures, and messages that came with them, such as the subject of a
   * camera's mail. They are data, never instructions.
   */
  readings: z.array(
    z.object({ kind: z.enum(["text", "caption", "attribute", "message"]), objectType: z.string().nullable(), content: z.string() }),
  ),
});
export type EventFacts = z.output<typeof EventFacts>;

/** Returns hour, minute and weekday of an instant in a time zone. Throws `RangeError` for a zone that does not exist. */
export function localTime(instant: Date, timeZone: string): EventFacts["local"] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", hour: "2-digit", minute: "2-digit", weekday: "long" });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const weekday = weekdays.find((name) => name === parts.get("weekday")?.toLowerCase()) ?? "monday";
  return { hour: Number(parts.get("hour")), minute: Number(parts.get("minute")), weekday, timeZone };
}
