import { minuteMs } from "../../base/clock/clock.ts";
import { durationText } from "../../base/text/format.ts";

/** A clock that differs by more from arrival is wrong: an upload takes seconds. */
const toleratedSeconds = 60;
const fewestSamples = 5;
/** Delays of uploads differ; the clock of a camera is off by the same time in each picture. */
const spreadSeconds = 30;
const agreeingShare = 0.8;

/** Number of pictures that tell the offset, and the minimum time between two of them: pictures of one upload are late by the same time. */
export const sampleCount = 10;
export const sampleEveryMs = minuteMs;

/**
 * Returns by how many seconds a camera's clock is ahead of arrival, from some of its last pictures; null if they are too few, or do not agree:
 * pictures of a backlog are late by different times.
 */
export function clockOffset(aheadSeconds: readonly number[]): number | null {
  if (aheadSeconds.length < fewestSamples) return null;
  const sorted = aheadSeconds.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 0;
  const median = sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? 0) + upper) / 2;
  const agreeing = sorted.filter((seconds) => Math.abs(seconds - median) <= spreadSeconds);
  return agreeing.length >= sorted.length * agreeingShare ? median : null;
}

/** Tells whether a clock is so far off that someone should set it. */
export function isWrongClock(offset: number | null): offset is number {
  return offset !== null && Math.abs(offset) > toleratedSeconds;
}

/** Tells whether an offset is a number of whole or half hours, as with a wrong time zone. */
export function looksLikeZone(offset: number): boolean {
  const halfHours = offset / 1_800;
  return Math.round(halfHours) !== 0 && Math.abs(offset - Math.round(halfHours) * 1_800) <= toleratedSeconds;
}

/** `the clock is 2 h behind`, `the clock is right`. */
export function clockText(offset: number): string {
  if (!isWrongClock(offset)) return "the clock is right";
  const rounded = looksLikeZone(offset) ? Math.round(offset / 1_800) * 1_800 : offset;
  return `the clock is ${durationText(Math.abs(rounded) * 1_000)} ${offset > 0 ? "ahead" : "behind"}`;
}

/** How to fix the clock of a camera, as two ways if the zone is probably wrong. */
export function clockFix(cameraId: string, offset: number): string {
  const ntp = "Set a time server (NTP) in the camera";
  return looksLikeZone(offset)
    ? `${ntp} and its time zone with daylight saving, or tell homesec the zone of its clock: homesec cameras update ${cameraId} --time-zone ZONE`
    : ntp;
}
