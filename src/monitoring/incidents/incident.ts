import { durationText } from "../../base/text/format.ts";

/** Causes of incidents. A camera has at most one open incident per cause. */
export const causes = ["silent", "error", "black", "frozen", "clock", "view", "unreachable"] as const;
export type Cause = (typeof causes)[number];

/** A problem with a camera. */
export interface CameraProblem {
  readonly cameraId: string;
  readonly cause: Cause;
  /** Details as a sentence without its full stop. */
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
  unreachable: "gives no pictures",
};

const before: Readonly<Record<Cause, string>> = {
  silent: "was silent",
  error: "could not be read from",
  black: "sent black pictures",
  frozen: "sent the same picture again and again",
  clock: "had a clock that had jumped",
  view: "saw something else than before",
  unreachable: "gave no pictures",
};

/** Returns the summary of an open incident. */
export function openSummary(cameraName: string, cause: Cause, reason: string): string {
  return `Camera ${cameraName} ${now[cause]}: ${within(reason)}.`;
}

/** Returns the summary of an ended incident. */
export function endedSummary(cameraName: string, cause: Cause, reason: string, lastedMs: number): string {
  return `Camera ${cameraName} ${before[cause]} for ${durationText(lastedMs)}: ${within(reason)}.`;
}

/** Formats a reason for the middle of a sentence. */
const within = (reason: string): string => reason.charAt(0).toLowerCase() + reason.slice(1);
