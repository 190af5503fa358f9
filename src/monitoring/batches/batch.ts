import type { LiveSettings } from "../../platform/config/settings.ts";

/** Maximum duration of a batch, and the wait for its next detection. */
export interface BatchTimes {
  readonly windowMs: number;
  readonly idleMs: number;
}

/** From the first to the last detection of a batch, in detection time. */
export interface Span {
  readonly startedAt: Date;
  readonly lastDetectionAt: Date;
}

/** A batch that accepts detections, or a full one that waits to be closed. */
export interface OpenBatch extends Span {
  readonly batchId: string;
  readonly isFull: boolean;
}

export type BatchSettings = Pick<LiveSettings, "batchWindowSeconds" | "batchIdleTimeoutSeconds">;

/** Returns the settings in milliseconds. */
export function batchTimes(settings: BatchSettings): BatchTimes {
  return { windowMs: settings.batchWindowSeconds * 1000, idleMs: settings.batchIdleTimeoutSeconds * 1000 };
}

/*
 * A batch holds the detections of one camera without a pause longer than `idle`, over at most `window`. It is grouped by the time of the
 * detections, not by the time of processing: pictures that waited a night for the detector still become the events of that night.
 *
 *   open --(a detection joins)--> open --(due, and no picture waits that could join)--> closed
 *     \--(it holds as many detections as it may)--> full: accepts no more --(at once)--> closed
 */

/** Returns the open batch for a detection at `at`; of several, the one that started last. Undefined: the detection starts a new batch. */
export function batchFor<B extends OpenBatch>(open: readonly B[], at: Date, times: BatchTimes): B | undefined {
  const joined = open.filter((batch) => !batch.isFull && joins(batch, at, times));
  return joined.reduce<B | undefined>((latest, batch) => (latest && latest.startedAt >= batch.startedAt ? latest : batch), undefined);
}

/** Tells whether a detection at `at` is close enough to the others and keeps the batch shorter than the window. */
export function joins(span: Span, at: Date, { windowMs, idleMs }: BatchTimes): boolean {
  const grown = grow(span, at);
  return (
    at.getTime() >= span.startedAt.getTime() - idleMs &&
    at.getTime() <= span.lastDetectionAt.getTime() + idleMs &&
    grown.lastDetectionAt.getTime() - grown.startedAt.getTime() < windowMs
  );
}

/** Returns the span extended by one detection. */
export function grow(span: Span, at: Date): Span {
  return {
    startedAt: at < span.startedAt ? at : span.startedAt,
    lastDetectionAt: at > span.lastDetectionAt ? at : span.lastDetectionAt,
  };
}

/** Returns when a batch is due: at the end of its window or of its idle time, whichever is first, in detection time. */
export function dueAt(span: Span, { windowMs, idleMs }: BatchTimes): Date {
  return new Date(Math.min(span.startedAt.getTime() + windowMs, span.lastDetectionAt.getTime() + idleMs));
}

/**
 * Returns the latest valid due time: later ones come from a clock that was ahead, since no detection is in the future. One window of
 * tolerance, since another machine's clock may be ahead.
 */
export function latestDueAt(now: Date, { windowMs, idleMs }: BatchTimes): Date {
  return new Date(now.getTime() + idleMs + windowMs);
}

/** The facts that decide about closing. */
export interface DueBatch extends OpenBatch {
  readonly dueAt: Date;
  /** When its last detection was stored, by the wall clock. */
  readonly joinedAt: Date;
  /** Whether a picture of the camera that could still join waits for the detector. */
  readonly pictureWaits: boolean;
}

/**
 * Tells whether a batch may close now. While pictures wait that could join, it stays open for another window after the last one joined:
 * long enough for a slow detector, but no camera can delay its events indefinitely.
 */
export function mayClose(batch: DueBatch, now: Date, times: BatchTimes): boolean {
  const { windowMs } = times;
  if (batch.isFull || batch.dueAt > latestDueAt(now, times)) return true;
  if (now < batch.dueAt) return false;
  return !batch.pictureWaits || now.getTime() >= Math.max(batch.dueAt.getTime(), batch.joinedAt.getTime()) + windowMs;
}
