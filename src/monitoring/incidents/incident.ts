import { durationText } from "../../base/clock/duration-text.ts";

/** What can be wrong with a camera. Of each there is at most one open incident for a camera. */
export const causes = ["silent", "error", "black", "frozen", "clock", "view"] as const;
export type Cause = (typeof causes)[number];

/** Something that is wrong with a camera. */
export interface Trouble {
  readonly cameraId: string;
  readonly cause: Cause;
  /** What is the matter in detail; a sentence without its full stop. */
  readonly reason: string;
  readonly beganAt: Date;
}

const now: Readonly<Record<Cause, string>> = {
  silent: "is silent",
  error: "cannot be read from",
  black: "sends black pictures",
  frozen: "sends the same picture again and again",
  clock: "has a clock that jumped",
  view: "sees something else than before",
};

const before: Readonly<Record<Cause, string>> = {
  silent: "was silent",
  error: "could not be read from",
  black: "sent black pictures",
  frozen: "sent the same picture again and again",
  clock: "had a clock that had jumped",
  view: "saw something else than before",
};

/** The summary of an incident that lasts. */
export function openSummary(cameraName: string, cause: Cause, reason: string): string {
  return `Camera ${cameraName} ${now[cause]}: ${within(reason)}.`;
}

/** The summary of one that is over. */
export function endedSummary(cameraName: string, cause: Cause, reason: string, lastedMs: number): string {
  return `Camera ${cameraName} ${before[cause]} for ${durationText(lastedMs)}: ${within(reason)}.`;
}

/** A reason in the middle of a sentence. */
const within = (reason: string): string => reason.charAt(0).toLowerCase() + reason.slice(1);
