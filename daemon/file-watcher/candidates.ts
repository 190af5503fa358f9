import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import { hourMs } from "../../src/base/clock/durations.ts";
import type { Log } from "../../src/base/log/log.ts";
import { isSame, type Look, look, type Version } from "../../src/monitoring/images/look.ts";
import { retriedReasons } from "../../src/monitoring/images/reasons.ts";
import type { FoundFile } from "../../src/monitoring/images/register.ts";
import { noFfmpeg } from "../../src/monitoring/images/video.ts";
import { shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { NoAnswer } from "../../src/platform/disk/no-answer.ts";
import { askShare } from "../../src/platform/disk/share-threads.ts";
import { createLookQueue } from "./look-queue.ts";
import type { Timings } from "./timings.ts";

/** Between two looks at a file that keeps changing; and at one that is larger than this so many times as long as the last look took. */
const minGapMs = 2;
const largeBytes = 1024 * 1024;
const restOfLarge = 10;
const firstDelayMs = 20;
const longestDelayMs = 1_000;
const longestStuckDelayMs = 5_000;
/** A scan may come upon a picture before its event does; it is as live if it arrived within this time. */
const liveWithinMs = 60_000;
/** What a server's clock says of a file tells nothing until it is so long ago: the clock may be behind. */
const serverClockMs = hourMs;
/** A file that goes on after it was seen unchanged for so long is taken for another picture under the same name. */
const begunAnewAfterMs = 5_000;
/** So many files are remembered with their last version, so that late events about them cost one look at their size. */
const mostRecent = 5_000;

/** A file that a finder came upon. */
export interface Candidate {
  readonly cameraId: string;
  readonly path: string;
  /** The path byte for byte, where the name is not UTF-8. */
  readonly raw?: Buffer | undefined;
  readonly foundBy: "watch" | "scan";
  /** What a scan found, and when that was last changed or renamed by the file system. */
  readonly listed?: (Version & { readonly changedAtMs: number }) | undefined;
}

interface Charge extends Omit<Candidate, "listed"> {
  listed: Candidate["listed"];
  readonly share: string | undefined;
  state: "queued" | "checking" | "waiting";
  /** An event came while the file was being looked at. */
  again: boolean;
  live: boolean;
  arrivedAt: Date;
  version: Version | undefined;
  /** Monotonic times: of the last change that was seen, until when none was seen after it, of the last look. */
  changedAt: number;
  unchangedUntil: number;
  checkedAt: number;
  gapMs: number;
  delayMs: number;
  detail: string;
  timer: NodeJS.Timeout | undefined;
}

export interface CandidatesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  /** Real paths of the folders that may be read. */
  readonly roots: () => readonly string[];
  /** Videos are skipped: this daemon would look at them itself, and cannot. */
  readonly refuseVideos: () => boolean;
  /** Has its outcome and can be registered. `content`: all that is in it, where it was read whole. */
  readonly onFound: (cameraId: string, file: FoundFile, content: Buffer | undefined) => void;
  /** It is a folder, with the name of a picture. */
  readonly onFolder: (candidate: Candidate) => void;
}

/** Files between "something happened to it" and "complete, or given up". */
export interface Candidates {
  /** Something happened to the file, or a scan found it. Cheap; may be called for the same file at any time. */
  add(candidate: Candidate): void;
  /** Resolves when there is room for more backlog of this folder. */
  room(folder: string): Promise<void>;
  /** Drops all files of a camera that is no longer watched. */
  drop(cameraId: string): void;
  readonly size: number;
  /** Counts on while looks are finished, or go on with a large file; a sign of life. */
  readonly progress: number;
  stuck(): readonly { readonly path: string; readonly reason: string; readonly since: Date }[];
  stop(): Promise<void>;
}

/**
 * Looks at each file until its format says that it is complete: at once, upon each event, and on a timer that starts at 20 ms and
 * doubles up to 1 s. A file leaves with its outcome, or without one when it vanished.
 */
export function createCandidates(options: CandidatesOptions): Candidates {
  const { clock, log, timings } = options;
  const startedAtMs = clock.now().getTime();
  const charges = new Map<string, Charge>();
  const recent = new Map<string, Version>();
  let progress = 0;
  let stopped = false;

  const queue = createLookQueue<Charge>(async (charge) => {
    // it may have been dropped while it was queued
    if (charges.get(charge.path) !== charge) return;
    try {
      await check(charge);
    } catch (error) {
      log.error({ path: charge.path, error: String(error) }, "a look at a file failed; it is tried again");
      wait(charge, "the look at it failed");
    }
    progress += 1;
  });

  const enqueue = (charge: Charge): void => {
    clearTimeout(charge.timer);
    charge.state = "queued";
    queue.push(charge);
  };

  const check = async (charge: Charge): Promise<void> => {
    charge.state = "checking";
    charge.again = false;
    const begunAt = clock.monotonic();
    const seen = await lookAt(charge);
    charge.checkedAt = clock.monotonic();
    charge.gapMs = gapAfter(charge, charge.checkedAt - begunAt);
    if (charges.get(charge.path) !== charge) return;
    settle(charge, seen);
  };

  /** The fragments of a long recording are walked in each look: while it grows that must not become all the work there is. */
  const gapAfter = ({ version }: Charge, tookMs: number): number =>
    version && version.sizeBytes > largeBytes ? Math.min(Math.max(tookMs * restOfLarge, minGapMs), longestStuckDelayMs) : minGapMs;

  const lookAt = async (charge: Charge): Promise<Look> => {
    const lookNow = (): Promise<Look> =>
      look(charge.path, {
        roots: options.roots(),
        raw: charge.raw,
        // what a listing brings is not in the ledger, whatever was seen of it before
        known: charge.foundBy === "watch" ? recent.get(charge.path) : undefined,
        quietMs: (version) => quietMs(charge, version),
        onPart: () => {
          progress += 1;
        },
      });
    return charge.share === undefined ? await lookNow() : await lookAtShare(charge.share, dirname(charge.path), lookNow);
  };

  /** No look is begun at a share that does not answer: it takes several questions, of which each would hold a thread. */
  const lookAtShare = async (share: string, folder: string, lookNow: () => Promise<Look>): Promise<Look> => {
    try {
      // what else is the matter with the folder the look at the file tells
      await statWithTimeout(folder, () => stat(folder)).catch(unlessSilent);
      return await askShare(share, lookNow);
    } catch (error) {
      if (error instanceof NoAnswer) return { kind: "trouble", detail: error.message };
      throw error;
    }
  };

  /** How long the version has not changed, as far as this process or the file system can tell. */
  const quietMs = (charge: Charge, version: Version): number => {
    if (!isSame(version, charge.version)) {
      if (isBegunAnew(charge, version)) arriveAgain(charge);
      charge.version = version;
      charge.changedAt = clock.monotonic();
    }
    charge.unchangedUntil = clock.monotonic();
    const seenMs = clock.monotonic() - charge.changedAt;
    // of what was changed since it was listed the listing tells nothing
    if (!charge.listed || !isSame(version, charge.listed)) return seenMs;
    const toldMs = clock.now().getTime() - charge.listed.changedAtMs;
    return charge.share !== undefined && toldMs < serverClockMs ? seenMs : Math.max(seenMs, toldMs);
  };

  /** An upload that was broken off is followed by the next one under the same name, where cameras have but one. */
  const isBegunAnew = ({ version: before, changedAt, unchangedUntil }: Charge, version: Version): boolean =>
    before !== undefined && (version.sizeBytes < before.sizeBytes || unchangedUntil - changedAt > begunAnewAfterMs);

  const arriveAgain = (charge: Charge): void => {
    charge.arrivedAt = clock.now();
    charge.listed = undefined;
  };

  const settle = (charge: Charge, seen: Look): void => {
    switch (seen.kind) {
      case "gone":
      case "known":
        leave(charge);
        break;
      case "folder":
        options.onFolder(charge);
        leave(charge);
        break;
      case "refused":
        finish(charge, seen.version, { reason: seen.reason, detail: seen.detail });
        break;
      case "trouble":
        wait(charge, seen.detail);
        break;
      case "empty":
        if (quietMs(charge, seen.version) < timings.emptyAfterMs) wait(charge, "the file is empty");
        else finish(charge, seen.version, { reason: "empty", detail: emptyDetail });
        break;
      case "inspected":
        settleInspected(charge, seen);
        break;
    }
  };

  const settleInspected = (charge: Charge, { version, inspection, sha256, content }: Extract<Look, { kind: "inspected" }>): void => {
    if (inspection.state === "incomplete") {
      if (quietMs(charge, version) < timings.giveUpAfterMs) wait(charge, inspection.detail);
      else finish(charge, version, { reason: "incomplete", detail: incompleteDetail(inspection.detail) });
    } else if (inspection.state === "refused") {
      finish(charge, version, inspection, { mediaType: inspection.mediaType });
    } else {
      const { state: _, ...facts } = inspection;
      const isRefused = isVideo(facts.mediaType) && options.refuseVideos();
      finish(charge, version, isRefused ? { reason: "no_ffmpeg", detail: noFfmpegDetail } : null, { ...facts, sha256, content });
    }
  };

  const finish = (
    charge: Charge,
    version: Version,
    refusal: FoundFile["refusal"],
    {
      content,
      ...facts
    }: Partial<Pick<FoundFile, "mediaType" | "width" | "height" | "sha256">> & { readonly content?: Buffer | undefined } = {},
  ): void => {
    if (!refusal || !retriedReasons.includes(refusal.reason)) remember(charge.path, version);
    const { path, foundBy } = charge;
    const file: FoundFile = {
      ...{ path, foundBy, live: charge.live, takenAt: takenAt(charge, version, facts.mediaType ?? null), ...version },
      ...{ mediaType: null, width: null, height: null, sha256: null, ...facts },
      refusal: refusal && { reason: refusal.reason, detail: refusal.detail },
    };
    options.onFound(charge.cameraId, file, content);
    leave(charge);
  };

  const remember = (path: string, version: Version): void => {
    recent.delete(path);
    recent.set(path, version);
    if (recent.size > mostRecent) recent.delete(recent.keys().next().value as string);
  };

  /**
   * Arrival of what arrived while this process runs, by whatever finder; else the file time, never in the future. A video counts from its end:
   * some cameras write it into the folder while they record.
   */
  const takenAt = (charge: Charge, version: Version, mediaType: string | null): Date => {
    const now = clock.now().getTime();
    if (charge.live && mediaType !== null && isVideo(mediaType)) {
      const endedAt = now - quietMs(charge, version);
      // what was whole when it was listed may have waited long for a look
      return new Date(Math.min(endedAt, now, charge.listed && isSame(version, charge.listed) ? charge.arrivedAt.getTime() : now));
    }
    if (charge.foundBy === "watch") return charge.arrivedAt;
    if (charge.live) return new Date(Math.min(charge.listed?.changedAtMs ?? charge.arrivedAt.getTime(), now));
    return new Date(Math.min(Number(version.modifiedNs / 1_000_000n), now));
  };

  /** Done with the file, unless something happened to it meanwhile. */
  const leave = (charge: Charge): void => {
    clearTimeout(charge.timer);
    charges.delete(charge.path);
    if (charge.again) add({ cameraId: charge.cameraId, path: charge.path, raw: charge.raw, foundBy: "watch" });
  };

  const wait = (charge: Charge, detail: string): void => {
    if (stopped || charges.get(charge.path) !== charge) return;
    charge.detail = detail;
    if (charge.again) {
      lookSoon(charge);
      return;
    }
    charge.state = "waiting";
    const isStuck = clock.monotonic() - charge.changedAt > timings.stuckAfterMs;
    charge.timer = setTimeout(() => enqueue(charge), Math.max(charge.delayMs, charge.gapMs));
    charge.delayMs = Math.min(charge.delayMs * 2, isStuck ? longestStuckDelayMs : longestDelayMs);
  };

  /** An event says more than the timer, but a file that is written in thousands of pieces is not read a thousand times. */
  const lookSoon = (charge: Charge): void => {
    charge.again = false;
    charge.delayMs = firstDelayMs;
    clearTimeout(charge.timer);
    const restMs = charge.gapMs - (clock.monotonic() - charge.checkedAt);
    if (restMs <= 0) {
      enqueue(charge);
    } else {
      charge.state = "waiting";
      charge.timer = setTimeout(() => enqueue(charge), restMs);
    }
  };

  const add = (candidate: Candidate): void => {
    if (stopped) return;
    const known = charges.get(candidate.path);
    if (known && known.cameraId === candidate.cameraId) {
      if (candidate.foundBy === "scan") return;
      if (known.state === "checking") known.again = true;
      else if (known.state === "waiting") lookSoon(known);
      return;
    }
    if (known) clearTimeout(known.timer);
    const now = clock.now();
    const monotonic = clock.monotonic();
    const changedAtMs = candidate.listed?.changedAtMs;
    const isLive =
      candidate.foundBy === "watch" ||
      (changedAtMs !== undefined && changedAtMs >= startedAtMs && now.getTime() - changedAtMs < liveWithinMs);
    const charge: Charge = {
      ...candidate,
      listed: candidate.listed,
      ...{ share: shareOf(dirname(candidate.path)), state: "queued", again: false, live: isLive, arrivedAt: now, version: undefined },
      ...{
        changedAt: monotonic,
        unchangedUntil: monotonic,
        checkedAt: Number.NEGATIVE_INFINITY,
        gapMs: minGapMs,
        delayMs: firstDelayMs,
        detail: "",
        timer: undefined,
      },
    };
    charges.set(candidate.path, charge);
    enqueue(charge);
  };

  return {
    add,
    room: (folder) => queue.room(shareOf(folder)),
    drop: (cameraId) => {
      for (const charge of charges.values()) {
        if (charge.cameraId !== cameraId) continue;
        clearTimeout(charge.timer);
        charges.delete(charge.path);
      }
    },
    get size() {
      return charges.size;
    },
    get progress() {
      return progress;
    },
    stuck: () => {
      const now = clock.now().getTime();
      const monotonic = clock.monotonic();
      return [...charges.values()]
        .filter((charge) => charge.detail !== "" && monotonic - charge.changedAt > timings.stuckAfterMs)
        .map((charge) => ({ path: charge.path, reason: charge.detail, since: new Date(now - (monotonic - charge.changedAt)) }));
    },
    stop: async () => {
      stopped = true;
      for (const charge of charges.values()) clearTimeout(charge.timer);
      await queue.stop();
      charges.clear();
    },
  };
}

const emptyDetail =
  "The file stayed empty. Is the disk full, or was the camera's upload broken off? When it is filled, it is taken up by itself.";

const noFfmpegDetail = `${noFfmpeg}, and restart homesec; it is then taken up by itself.`;

const isVideo = (mediaType: string): boolean => mediaType.startsWith("video/");

function incompleteDetail(what: string): string {
  return `The upload stopped half-way: ${what}. Check the camera's connection; when the file is completed, it is taken up by itself.`;
}

function unlessSilent(error: unknown): void {
  if (error instanceof NoAnswer) throw error;
}
