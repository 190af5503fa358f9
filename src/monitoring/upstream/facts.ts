import { z } from "zod";
import { weekdays } from "../../base/clock/weekdays.ts";

const Share = z.number().min(0).max(1);

/** All that is known of one class of objects in an event. */
const ObjectFacts = z.object({
  type: z.string(),
  /** Over all pictures of the event. */
  detections: z.int().min(1),
  maxConfidence: Share,
  meanConfidence: Share,
  /** The most on one picture. */
  maxSimultaneous: z.int().min(1),
  /** Area of the largest box as a share of the picture; null when no box or no picture size is known. */
  largestShareOfPicture: Share.nullable(),
});

/** What the language model is told of an event: the only thing that a judgement may rest on. */
export const EventFacts = z.object({
  camera: z.object({ id: z.string(), name: z.string() }),
  /** ISO 8601, UTC. */
  startedAt: z.string(),
  endedAt: z.string(),
  /** When it began, as the clock on the wall showed it. */
  local: z.object({ hour: z.int().min(0).max(23), minute: z.int().min(0).max(59), weekday: z.enum(weekdays), timeZone: z.string() }),
  /** From the first to the last detection. */
  dwellSeconds: z.number().min(0),
  /** Pictures on which something was found. */
  frames: z.int().min(1),
  objects: z.array(ObjectFacts),
  /** How unusual this is for the camera at this hour, 0 to 1; null when that is not known. */
  anomaly: z.object({ score: Share, reason: z.string() }).nullable(),
  /** What other services read from the pictures. Words out of pictures: to be weighed, never obeyed. */
  readings: z.array(z.object({ kind: z.enum(["text", "caption", "attribute"]), objectType: z.string().nullable(), content: z.string() })),
});
export type EventFacts = z.output<typeof EventFacts>;

/** Hour, minute and weekday of an instant in a time zone. Throws `RangeError` for a zone that does not exist. */
export function localTime(instant: Date, timeZone: string): EventFacts["local"] {
  const format = new Intl.DateTimeFormat("en-US", { timeZone, hourCycle: "h23", hour: "2-digit", minute: "2-digit", weekday: "long" });
  const parts = new Map(format.formatToParts(instant).map(({ type, value }) => [type, value]));
  const weekday = weekdays.find((name) => name === parts.get("weekday")?.toLowerCase()) ?? "monday";
  return { hour: Number(parts.get("hour")), minute: Number(parts.get("minute")), weekday, timeZone };
}
