import type { LiveSettings } from "../../platform/config/settings.ts";

/** How long a batch may last and how long it waits for the next detection. */
export interface BatchTimes {
  readonly windowMs: number;
  readonly idleMs: number;
}

/** From the first to the last detection of a batch, in the time of the detections. */
export interface Span {
  readonly startedAt: Date;
  readonly lastDetectionAt: Date;
}

/** A batch that still takes detections, or one that only waits to be closed since it is full. */
export interface OpenBatch extends Span {
  readonly batchId: string;
  readonly isFull: boolean;
}

export type BatchSettings = Pick<LiveSettings, "batchWindowSeconds" | "batchIdleTimeoutSeconds">;

/** The settings, in milliseconds. */
export function batchTimes(settings: BatchSettings): BatchTimes {
  return { windowMs: settings.batchWindowSeconds * 1000, idleMs: settings.batchIdleTimeoutSeconds * 1000 };
}

/*
 * A batch is what happened in front of one camera without a pause of `idle`, for `window` at most. It is grouped by
 * the time of the detections, not by the time of the work: pictures that waited a night for their detector become the
 * events they were.
 *
 *   open --(a detection joins)--> open --(due, and no picture waits that could join)--> closed
 *     \--(it holds as many detections as it may)--> full: takes no more --(at once)--> closed
 */

/** The open batch that a detection at `at` belongs to; of several the one that began last. Undefined: it begins a new one. */
export function batchFor<B extends OpenBatch>(open: readonly B[], at: Date, times: BatchTimes): B | undefined {
  const joined = open.filter((batch) => !batch.isFull && joins(batch, at, times));
  return joined.reduce<B | undefined>((latest, batch) => (latest && latest.startedAt >= batch.startedAt ? latest : batch), undefined);
}

/** Whether a detection at `at` is near enough to the others, and the batch with it still shorter than the window. */
export function joins(span: Span, at: Date, { windowMs, idleMs }: BatchTimes): boolean {
  const grown = grow(span, at);
  return (
    at.getTime() >= span.startedAt.getTime() - idleMs &&
    at.getTime() <= span.lastDetectionAt.getTime() + idleMs &&
    grown.lastDetectionAt.getTime() - grown.startedAt.getTime() < windowMs
  );
}

/** The span with one more detection in it. */
export function grow(span: Span, at: Date): Span {
  return {
    startedAt: at < span.startedAt ? at : span.startedAt,
    lastDetectionAt: at > span.lastDetectionAt ? at : span.lastDetectionAt,
  };
}

/** When the window or the patience of a batch ends, whichever is first, in the time of its detections. */
export function dueAt(span: Span, { windowMs, idleMs }: BatchTimes): Date {
  return new Date(Math.min(span.startedAt.getTime() + windowMs, span.lastDetectionAt.getTime() + idleMs));
}

/**
 * Due times after this are of an earlier time, since the clock was set back: no detection is of the future. A window to
 * spare, since another machine's clock may be ahead.
 */
export function latestDueAt(now: Date, { windowMs, idleMs }: BatchTimes): Date {
  return new Date(now.getTime() + idleMs + windowMs);
}

/** What closing depends on. */
export interface DueBatch extends OpenBatch {
  readonly dueAt: Date;
  /** When its last detection was stored, by the wall clock. */
  readonly joinedAt: Date;
  /** A picture of the camera waits for the detector that could still join. */
  readonly pictureWaits: boolean;
}

/**
 * Whether a batch may close now. While pictures wait that could join, it stays open for another window after the
 * last one did: long enough for a slow detector, and no camera can hold its events back for ever.
 */
export function mayClose(batch: DueBatch, now: Date, times: BatchTimes): boolean {
  const { windowMs } = times;
  if (batch.isFull || batch.dueAt > latestDueAt(now, times)) return true;
  if (now < batch.dueAt) return false;
  return !batch.pictureWaits || now.getTime() >= Math.max(batch.dueAt.getTime(), batch.joinedAt.getTime()) + windowMs;
}
