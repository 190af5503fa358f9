import { automatic, fileNameTime, switchedOff } from "./file-name-time.ts";
import { instantOf, type WallTime } from "./wall-time.ts";

/** How to read the times of a camera. */
export interface TimeSettings {
  readonly timeZone: string;
  readonly template: string;
}

/** A file with what is known about its time. */
export interface TimedFile {
  readonly path: string;
  readonly exif: WallTime | null;
  /** The time that the camera's time is probably close to: arrival, or the time of the file. */
  readonly near: Date;
}

/**
 * Returns the time of a file by the camera's clock, right or wrong; null if neither EXIF nor its name has one. A template that was chosen
 * for the camera goes before EXIF; the automatic ones come after it.
 */
export function capturedAt({ path, exif, near }: TimedFile, { timeZone, template }: TimeSettings): Date | null {
  if (template === switchedOff) return null;
  const named = (): WallTime | undefined => fileNameTime(path, template)?.time;
  const time = template === automatic ? (exif ?? named()) : (named() ?? exif);
  return time ? instantOf(time, timeZone, near) : null;
}
