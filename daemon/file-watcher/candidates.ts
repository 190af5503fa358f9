import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import type { TimedFile } from "../../src/monitoring/camera-times/captured-at.ts";
import type { WallTime } from "../../src/monitoring/camera-times/wall-time.ts";
import { type FileInspection, inspectFile, isSame, type Version } from "../../src/monitoring/images/inspect-file.ts";
import { retriedReasons } from "../../src/monitoring/images/reasons.ts";
import type { FoundFile } from "../../src/monitoring/images/register.ts";
import { goesOn } from "../../src/monitoring/images/samples.ts";
import { settledAfterMs } from "../../src/monitoring/images/structure.ts";
import { noFfmpeg } from "../../src/monitoring/images/video.ts";
import { mayCallDirectly } from "../../src/platform/disk/direct-calls.ts";
import { NoAnswer } from "../../src/platform/disk/files.ts";
import { shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { runOnShare } from "../../src/platform/disk/share-threads.ts";
import { InspectionQueue } from "./inspection-queue.ts";
import {
  type Candidate,
  firstDelayMs,
  gapAfter,
  isUndated,
  isVideo,
  type PendingFile,
  pendingFile,
  plausible,
  quietMs,
  takenAt,
} from "./pending-file.ts";
import type { Timings } from "./timings.ts";

const longestDelayMs = 1_000;
const longestStuckDelayMs = 5_000;
/** Files remembered with their last version, so that a late event about one costs only a check of its size. */
const mostRecent = 5_000;

/** Dependencies of the candidates. */
export interface CandidatesOptions {
  readonly clock: Clock;
  readonly log: Log;
  readonly timings: Timings;
  /** Real paths of the folders that may be read. */
  readonly roots: () => readonly string[];
  /** Whether videos are skipped because this daemon should process them and cannot. */
  readonly refuseVideos: () => boolean;
  /** Returns the time of a file by the clock of its camera. */
  readonly capturedAt: (cameraId: string, file: TimedFile) => Date | null;
  /** The file has its outcome and can be registered. `content`: the whole file, where it was read whole. */
  readonly onFound: (cameraId: string, file: FoundFile, content: Buffer | undefined) => void;
  /** The candidate is a folder. */
  readonly onFolder: (candidate: Candidate) => void;
  /** The candidate, found by its content, is no picture or video. */
  readonly onNotMedia: (candidate: Candidate, version: Version) => void;
  /** The candidate, found by its content, is a picture or video, and its folder has no camera yet. */
  readonly onUnassigned: (candidate: Candidate) => void;
}

/**
 * Files that were found and have no outcome yet. Each is inspected until its format says that it is complete: at once, at each event, and by a
 * timer that starts at 20 ms and doubles up to 1 s. A file leaves with its outcome, or without one when it vanished.
 */
export class Candidates {
  readonly #options: CandidatesOptions;
  readonly #startedAtMs: number;
  readonly #files = new Map<string, PendingFile>();
  readonly #recent = new Map<string, Recent>();
  readonly #queue = new InspectionQueue<PendingFile>((file) => this.#inspect(file));
  #progress = 0;
  #stopped = false;

  constructor(options: CandidatesOptions) {
    this.#options = options;
    this.#startedAtMs = options.clock.now().getTime();
  }

  /** Adds a file after an event or a scan. Cheap; may be called for the same file at any time. */
  add(candidate: Candidate): void {
    if (this.#stopped) return;
    const known = this.#files.get(candidate.path);
    if (known && known.cameraId === candidate.cameraId) {
      if (candidate.foundBy === "scan") return;
      if (known.state === "checking") known.isDirty = true;
      else if (known.state === "waiting") this.#inspectSoon(known);
      return;
    }
    if (known) clearTimeout(known.timer);
    const file = pendingFile(candidate, this.#options.clock, this.#startedAtMs);
    this.#files.set(candidate.path, file);
    this.#enqueue(file);
  }

  /** Resolves when there is room for more backlog of this folder. */
  waitForRoom(folder: string): Promise<void> {
    return this.#queue.waitForRoom(shareOf(folder));
  }

  /** Drops all files of a camera that is no longer watched. */
  drop(cameraId: string): void {
    for (const file of this.#files.values()) {
      if (file.cameraId !== cameraId) continue;
      clearTimeout(file.timer);
      this.#files.delete(file.path);
    }
  }

  get size(): number {
    return this.#files.size;
  }

  /** Grows while inspections finish or advance in a large file; a sign of life. */
  get progress(): number {
    return this.#progress;
  }

  /** Files that have been waiting for longer than `stuckAfterMs`, with the reason. */
  stuck(): readonly { readonly path: string; readonly reason: string; readonly since: Date }[] {
    const { clock, timings } = this.#options;
    const now = clock.now().getTime();
    const monotonic = clock.monotonic();
    return [...this.#files.values()]
      .filter((file) => file.detail !== "" && monotonic - file.changedAt > timings.stuckAfterMs)
      .map((file) => ({ path: file.path, reason: file.detail, since: new Date(now - (monotonic - file.changedAt)) }));
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    for (const file of this.#files.values()) clearTimeout(file.timer);
    await this.#queue.stop();
    this.#files.clear();
  }

  #enqueue(file: PendingFile): void {
    clearTimeout(file.timer);
    file.state = "queued";
    this.#queue.push(file);
  }

  #enqueueLater(file: PendingFile, ms: number): void {
    file.state = "waiting";
    file.timer = setTimeout(() => this.#enqueue(file), ms);
  }

  async #inspect(file: PendingFile): Promise<void> {
    // it may have been dropped while it was queued
    if (this.#files.get(file.path) !== file) return;
    try {
      await this.#check(file);
    } catch (error) {
      this.#options.log.error({ path: file.path, error: String(error) }, "a file could not be inspected; trying again");
      this.#wait(file, "the inspection failed");
    }
    this.#progress += 1;
  }

  async #check(file: PendingFile): Promise<void> {
    const { clock } = this.#options;
    file.state = "checking";
    file.isDirty = false;
    const startedAt = clock.monotonic();
    const result = await this.#inspectWithTimeout(file);
    file.checkedAt = clock.monotonic();
    file.gapMs = gapAfter(file, file.checkedAt - startedAt);
    if (this.#files.get(file.path) === file) this.#settle(file, result);
  }

  async #inspectWithTimeout(file: PendingFile): Promise<FileInspection> {
    const directly = file.foundBy === "watch" && mayCallDirectly(dirname(file.path));
    // other work gets its turn between a few files
    if (directly) await setImmediate();
    const inspectNow = (): Promise<FileInspection> =>
      inspectFile(file.path, {
        roots: this.#options.roots(),
        raw: file.raw,
        byContent: file.byContent === true,
        directly,
        // a listed file is not in the ledger, even if this version was seen before
        known: file.foundBy === "watch" ? this.#recent.get(file.path) : undefined,
        quietMs: (version) => quietMs(file, version, this.#options.clock),
        onPart: () => {
          this.#progress += 1;
        },
      });
    return file.share === undefined ? await inspectNow() : await inspectOnShare(file.share, dirname(file.path), inspectNow);
  }

  #settle(file: PendingFile, result: FileInspection): void {
    const { clock, timings, onFolder } = this.#options;
    if (result.kind === "folder") onFolder(file);
    if (result.kind === "gone" || result.kind === "known" || result.kind === "folder") this.#forget(file);
    else if (result.kind === "trouble") this.#wait(file, result.detail);
    else if (result.kind === "not_media") this.#passOver(file, result.version);
    else if (result.kind === "undecided") {
      if (quietMs(file, result.version, clock) < timings.emptyAfterMs) this.#wait(file, "the beginning is not there yet");
      else this.#passOver(file, result.version);
    } else if (file.cameraId === undefined) this.#settleUnassigned(file, result);
    else if (result.kind === "inspected") this.#settleInspected(file, result);
    else if (result.kind === "refused") this.#finish(file, result.version, { reason: result.reason, detail: result.detail });
    else if (quietMs(file, result.version, clock) < timings.emptyAfterMs) this.#wait(file, "the file is empty");
    else this.#finish(file, result.version, { reason: "empty", detail: emptyDetail });
  }

  /** Forgets a file that is no picture. */
  #passOver(file: PendingFile, version: Version): void {
    this.#options.onNotMedia(file, version);
    this.#forget(file);
  }

  /** A picture gets its folder a camera, and is found again with it. A file that cannot be read must not. */
  #settleUnassigned(file: PendingFile, result: FileInspection): void {
    if (result.kind === "refused") {
      this.#wait(file, result.detail);
      return;
    }
    this.#options.onUnassigned(file);
    this.#forget(file);
  }

  #settleInspected(
    file: PendingFile,
    { version, inspection, sha256, samples, exif, content }: Extract<FileInspection, { kind: "inspected" }>,
  ): void {
    if (inspection.state === "incomplete") {
      if (quietMs(file, version, this.#options.clock) < this.#options.timings.giveUpAfterMs) this.#wait(file, inspection.detail);
      else this.#finish(file, version, { reason: "incomplete", detail: incompleteDetail(inspection.detail) });
    } else if (inspection.state === "refused") {
      this.#finish(file, version, inspection, { mediaType: inspection.mediaType });
    } else if (file.byContent && quietMs(file, version, this.#options.clock) < settledAfterMs) {
      // a name without a known ending may be a temporary one, and the file must not be processed under both
      this.#wait(file, "it may get another name");
    } else {
      const { state: _, ...facts } = inspection;
      const isRefused = isVideo(facts.mediaType) && this.#options.refuseVideos();
      this.#finish(file, version, isRefused ? { reason: "no_ffmpeg", detail: noFfmpegDetail } : null, {
        ...facts,
        sha256,
        samples,
        exif,
        content,
      });
    }
  }

  #finish(file: PendingFile, version: Version, refusal: FoundFile["refusal"], { content, exif = null, ...facts }: Facts = {}): void {
    const { clock, capturedAt } = this.#options;
    const earlier = earlierVersion(this.#recent.get(file.path), version, facts);
    if (!refusal || !retriedReasons.includes(refusal.reason)) this.#remember(file.path, { ...version, ...facts });
    const { path, foundBy, live, cameraId } = file;
    const arrivedOrModified = takenAt(file, version, facts.mediaType ?? null, clock);
    const captured = cameraId === undefined ? null : capturedAt(cameraId, { path, exif, near: arrivedOrModified });
    const taken = isUndated(file, version) ? (plausible(captured, clock) ?? arrivedOrModified) : arrivedOrModified;
    const found: FoundFile = {
      ...{ path, foundBy, live, takenAt: taken, capturedAt: captured, ...version },
      ...{ mediaType: null, width: null, height: null, sha256: null, ...facts, earlier },
      refusal: refusal && { reason: refusal.reason, detail: refusal.detail },
    };
    if (cameraId !== undefined) this.#options.onFound(cameraId, found, content);
    this.#forget(file);
  }

  #remember(path: string, { sizeBytes, modifiedNs, mediaType = null, samples = null }: Version & Facts): void {
    this.#recent.delete(path);
    this.#recent.set(path, { sizeBytes, modifiedNs, mediaType, samples });
    if (this.#recent.size > mostRecent) this.#recent.delete(this.#recent.keys().next().value as string);
  }

  /** Forgets the file, unless something happened to it during the inspection. */
  #forget(file: PendingFile): void {
    clearTimeout(file.timer);
    this.#files.delete(file.path);
    const { cameraId, path, raw, byContent = false } = file;
    if (file.isDirty) this.add({ cameraId, path, raw, foundBy: "watch", byContent });
  }

  #wait(file: PendingFile, detail: string): void {
    if (this.#stopped || this.#files.get(file.path) !== file) return;
    file.detail = detail;
    if (file.isDirty) {
      this.#inspectSoon(file);
      return;
    }
    const isStuck = this.#options.clock.monotonic() - file.changedAt > this.#options.timings.stuckAfterMs;
    this.#enqueueLater(file, Math.max(file.delayMs, file.gapMs));
    file.delayMs = Math.min(file.delayMs * 2, isStuck ? longestStuckDelayMs : longestDelayMs);
  }

  /** Inspects the file before its timer ends, after a gap: a file written in thousands of pieces is not read a thousand times. */
  #inspectSoon(file: PendingFile): void {
    file.isDirty = false;
    file.delayMs = firstDelayMs;
    clearTimeout(file.timer);
    const restMs = file.gapMs - (this.#options.clock.monotonic() - file.checkedAt);
    if (restMs <= 0) this.#enqueue(file);
    else this.#enqueueLater(file, restMs);
  }
}

/** What an inspection found out about a complete file. */
type Facts = Partial<Pick<FoundFile, "mediaType" | "width" | "height" | "sha256" | "samples">> & {
  readonly content?: Buffer | undefined;
  readonly exif?: WallTime | null;
};

/** The last version of a file. */
type Recent = Version & { readonly mediaType: string | null; readonly samples: Buffer | null };

/** Returns the last version of a file if the new one goes on from it. */
function earlierVersion(last: Recent | undefined, version: Version, { mediaType = null, samples = null }: Facts): Version | undefined {
  if (!last?.samples || !samples || isSame(last, version)) return undefined;
  if (!goesOn({ ...last, samples: last.samples }, { mediaType, samples })) return undefined;
  return { sizeBytes: last.sizeBytes, modifiedNs: last.modifiedNs };
}

/** Inspects a file on a share. Nothing starts while the share does not answer: an inspection takes several requests, and each would hold a thread. */
async function inspectOnShare(share: string, folder: string, inspectNow: () => Promise<FileInspection>): Promise<FileInspection> {
  try {
    // the inspection itself reports other problems of the folder
    await statWithTimeout(folder, () => stat(folder)).catch(unlessSilent);
    return await runOnShare(share, inspectNow);
  } catch (error) {
    if (error instanceof NoAnswer) return { kind: "trouble", detail: error.message };
    throw error;
  }
}

function unlessSilent(error: unknown): void {
  if (error instanceof NoAnswer) throw error;
}

const emptyDetail =
  "The file stayed empty. Is the disk full, or did the camera's upload break off? homesec processes the file when it has content.";

const noFfmpegDetail = `${noFfmpeg}, and restart homesec; it then processes the video.`;

function incompleteDetail(what: string): string {
  return `The upload stopped half-way: ${what}. Check the camera's connection; homesec processes the file when it is complete.`;
}
