import { dirname } from "node:path";
import { type Clock, hourMs } from "../../src/base/clock/clock.ts";
import { isSame, type Version } from "../../src/monitoring/images/inspect-file.ts";
import { shareOf } from "../../src/platform/disk/fs-timeout.ts";

export const firstDelayMs = 20;
/** Minimum time between two inspections of a changing file; for a large one, this many times the duration of the last inspection. */
const minGapMs = 2;
const largeBytes = 1024 * 1024;
const gapOfLarge = 10;
const longestGapMs = 5_000;
/** A scan may find a picture before its event arrives; it is as live if it arrived within this time. */
const liveWithinMs = 60_000;
/** File times of a server count only when they are this old: the server's clock may be behind. */
const serverClockMs = hourMs;
/** A file that changes after it was unchanged for this long counts as another picture under the same name. */
const replacedAfterMs = 5_000;
/** Clocks that were never set show 1970, 1980 or 2000 and count up from there. */
const earliestMs = Date.UTC(2010, 0, 1);

/** A file that the watches or a scan found. */
export interface Candidate {
  /** Undefined for a file whose folder has no camera yet. */
  readonly cameraId: string | undefined;
  readonly path: string;
  /** The path byte for byte, where the name is not UTF-8. */
  readonly raw?: Buffer | undefined;
  readonly foundBy: "watch" | "scan";
  /** The name does not say whether this is a picture. */
  readonly byContent?: boolean;
  /** The version that a scan found, and when the file system last changed or renamed it. */
  readonly listed?: (Version & { readonly changedAtMs: number }) | undefined;
}

/** A candidate that has no outcome yet. */
export interface PendingFile extends Omit<Candidate, "listed"> {
  listed: Candidate["listed"];
  readonly share: string | undefined;
  state: "queued" | "checking" | "waiting";
  /** An event arrived during the inspection. */
  isDirty: boolean;
  live: boolean;
  arrivedAt: Date;
  version: Version | undefined;
  /** Monotonic times: of the last observed change, of the last moment without a change after it, of the last inspection. */
  changedAt: number;
  unchangedUntil: number;
  checkedAt: number;
  gapMs: number;
  delayMs: number;
  /** Why the file waits; empty before the first inspection. */
  detail: string;
  timer: NodeJS.Timeout | undefined;
}

/** A candidate at its arrival. What changed since `startedAtMs` and was found by a scan within a minute is live. */
export function pendingFile(candidate: Candidate, clock: Clock, startedAtMs: number): PendingFile {
  const now = clock.now();
  const monotonic = clock.monotonic();
  const changedAtMs = candidate.listed?.changedAtMs;
  const isRecent = changedAtMs !== undefined && changedAtMs >= startedAtMs && now.getTime() - changedAtMs < liveWithinMs;
  return {
    ...candidate,
    listed: candidate.listed,
    ...{ share: shareOf(dirname(candidate.path)), state: "queued", isDirty: false, live: candidate.foundBy === "watch" || isRecent },
    ...{ arrivedAt: now, version: undefined, changedAt: monotonic, unchangedUntil: monotonic, checkedAt: Number.NEGATIVE_INFINITY },
    ...{ gapMs: minGapMs, delayMs: firstDelayMs, detail: "", timer: undefined },
  };
}

/** Each inspection reads all fragments of a long recording: while it grows, that must not become all the daemon does. */
export function gapAfter({ version }: PendingFile, tookMs: number): number {
  return version && version.sizeBytes > largeBytes ? Math.min(Math.max(tookMs * gapOfLarge, minGapMs), longestGapMs) : minGapMs;
}

/** Notes the version of a file and returns for how long it has not changed, as far as this process or the file system can tell. */
export function quietMs(file: PendingFile, version: Version, clock: Clock): number {
  if (!isSame(version, file.version)) {
    if (isReplaced(file, version)) {
      file.arrivedAt = clock.now();
      file.listed = undefined;
    }
    file.version = version;
    file.changedAt = clock.monotonic();
  }
  file.unchangedUntil = clock.monotonic();
  const observedMs = clock.monotonic() - file.changedAt;
  // the times of the listing are outdated once the file has changed
  if (!file.listed || !isSame(version, file.listed)) return observedMs;
  const listedMs = clock.now().getTime() - file.listed.changedAtMs;
  return file.share !== undefined && listedMs < serverClockMs ? observedMs : Math.max(observedMs, listedMs);
}

/** Cameras with a single file name start the next upload under that name after an upload that broke off. */
function isReplaced({ version: before, changedAt, unchangedUntil }: PendingFile, version: Version): boolean {
  return before !== undefined && (version.sizeBytes < before.sizeBytes || unchangedUntil - changedAt > replacedAfterMs);
}

/**
 * The time of the picture: its arrival if it arrived while this process runs, whether a watch or a scan found it; else the file time, never in
 * the future. A file time from before there were cameras that upload is that of a clock that was never set, so it counts as arrival. A video counts from its end: some cameras write it into the folder while they record.
 */
export function takenAt(file: PendingFile, version: Version, mediaType: string | null, clock: Clock): Date {
  const now = clock.now().getTime();
  if (file.live && mediaType !== null && isVideo(mediaType)) {
    const endedAt = now - quietMs(file, version, clock);
    // a file that was complete when it was listed may have waited long for its inspection
    return new Date(Math.min(endedAt, now, file.listed && isSame(version, file.listed) ? file.arrivedAt.getTime() : now));
  }
  if (file.foundBy === "watch") return file.arrivedAt;
  if (file.live) return new Date(Math.min(file.listed?.changedAtMs ?? file.arrivedAt.getTime(), now));
  return isUndated(file, version) ? file.arrivedAt : new Date(Math.min(modifiedMs(version), now));
}

/** Tells whether the only time of a file is its arrival in the past, and a file time of a clock that was never set. */
export function isUndated({ live }: PendingFile, version: Version): boolean {
  return !live && modifiedMs(version) < earliestMs;
}

/** Returns a camera's time that may be the time of a picture: one of a clock that was set, and not in the future. */
export function plausible(captured: Date | null, clock: Clock): Date | undefined {
  return captured && captured.getTime() >= earliestMs && captured <= clock.now() ? captured : undefined;
}

function modifiedMs({ modifiedNs }: Version): number {
  return Number(modifiedNs / 1_000_000n);
}

export const isVideo = (mediaType: string): boolean => mediaType.startsWith("video/");
