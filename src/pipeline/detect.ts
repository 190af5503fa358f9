import { basename, dirname } from "node:path";
import type { ImmediateRules } from "../alerting/rules/immediate.ts";
import { type Batcher, createBatcher } from "../base/async/batcher.ts";
import { createSemaphore, type Semaphore } from "../base/async/semaphore.ts";
import type { Clock } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { findCamera } from "../monitoring/cameras/cameras-repository.ts";
import type { FreshContent } from "../monitoring/images/fresh-content.ts";
import {
  type ImageStatus,
  imagesForJobs,
  type LedgerImage,
  markDeferred,
  markFailed,
  markSkipped,
} from "../monitoring/images/images-repository.ts";
import { outgoing } from "../monitoring/images/outgoing.ts";
import { mendPicture, sizeOf } from "../monitoring/images/picture.ts";
import { registeredAgainAs, seenBefore } from "../monitoring/images/same-file.ts";
import { hasLaterVersion, isEarlierAtDetector } from "../monitoring/images/versions-repository.ts";
import { frameEverySeconds, mostFrames } from "../monitoring/images/video.ts";
import { lengthOf } from "../monitoring/images/video-length.ts";
import type { ParkingRules } from "../monitoring/parked/place.ts";
import type { Detected, Detector } from "../monitoring/upstream/detector.ts";
import type { Size } from "../monitoring/upstream/detector-boxes.ts";
import { type LeftOut, LeftOutTally } from "../monitoring/upstream/left-out.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database } from "../platform/database/database.ts";
import { confirmDeleted } from "../platform/disk/confirm-deleted.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { hasGrown, readUnchanged, type Unread, whyGone } from "./read-picture.ts";
import { readFrames } from "./read-video.ts";
import { afterNoAnswer, type Stage, StageAborted } from "./stage.ts";
import { type Finding, type SeenPicture, type Stored, type StoredPicture, storeFindings } from "./store-findings.ts";

/** Maximum number of pictures stored in one transaction. */
const maxPerTransaction = 64;
/** First delay after a file-system error; it grows with each attempt. A missing picture waits for it once. */
const retryReadMs = 1_000;
/** The content of a file that was found this long ago is still in memory. */
const justFoundMs = 60_000;
/** Without ffmpeg, another machine may process the video, so the first retries are soon. Otherwise someone has to install it. */
const firstRetryVideoMs = 2_000;
const retryVideoMs = 60_000;
/** Delay of a file whose earlier version is at the detector. */
const sameFileMs = 200;
/** How long the job of a video that has grown waits for the next version: longer than the watcher waits for the end of a step. */
const nextVersionMs = 30_000;
/** Detail of a picture that is missing together with its whole folder. It does not go to the dead letters. */
const folderMissing = "The file and everything else in its folder are missing. Check the disk; homesec processes the file when it is back.";
/** Detail of a picture whose upload broke off. */
const cutOff =
  "The picture is cut off at the bottom, because its upload broke off; homesec processed what arrived. Check the camera's connection.";
/** Detail of a picture that no one may see whole. */
const undecodable =
  "The picture cannot be decoded, so the private zones of its camera cannot be blacked out. Is the camera's upload broken?";
/** Under load, pictures wait this many milliseconds to be stored together. */
const storeEveryMs = 25;

/** Dependencies of the detect stage. */
export interface DetectStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly batchMaxDetections: number;
  /** The rules that are evaluated during a visit; absent: none. */
  readonly immediateRules?: ImmediateRules;
  /** Which objects count as parked; absent: none. */
  readonly parking?: ParkingRules;
  /** How long the analysis of an event may wait for the enrichment of its detections. */
  readonly enrichmentWaitMs: () => number;
  readonly detector: Detector;
  /** Maximum number of pictures at the detector at a time. */
  readonly atDetector: number;
  /** Content of pictures that have just arrived. */
  readonly fresh?: FreshContent;
  /** Maximum number of unstored outcomes: the number of slots if each picture keeps its slot at the detector until it is stored. */
  readonly maxUnstored: number;
  /** Time of the last successful answer of the detector, for any picture. */
  readonly detectorAnsweredAt: () => Date | null;
  /** Called after batches were closed because a camera opened the next one. */
  readonly onClosed: (closed: Stored["closed"]) => void;
  /** Called with the outcome of each picture, also of a deferred one, and with the parts of the answer that were left out. */
  readonly onOutcome: (outcome: DetectOutcome, leftOut: readonly LeftOut[]) => void;
}

/** The outcome of a picture before it is stored. */
type Result =
  | { readonly kind: "processed"; readonly findings: readonly Finding[]; readonly seen: Detected; readonly detail: string | null }
  | { readonly kind: "skipped"; readonly reason: string; readonly detail: string; readonly bury: boolean }
  | { readonly kind: "deferred"; readonly reason: string; readonly detail: string; readonly retryAt: Date };

/** The status of a picture in the ledger after the stage. */
export type DetectOutcome = Exclude<ImageStatus, "pending">;

const sentences = {
  processed: "a picture was processed",
  skipped: "a picture was skipped",
  deferred: "a picture was deferred; it will be retried",
  failed: "a picture failed; it is in the dead letters",
} as const satisfies Readonly<Record<DetectOutcome, string>>;

/** Creates the stage that sends a picture or the frames of a video to the detector, and stores the detections. */
export function createDetectStage(context: DetectStageContext): Stage {
  return new DetectStage(context);
}

class DetectStage implements Stage {
  readonly #context: DetectStageContext;
  /** Slots at the detector. */
  readonly #slots: Semaphore;
  // Many pictures at once share one statement and one commit. A single picture does not wait.
  readonly #entries: Batcher<number, LedgerImage | undefined>;
  readonly #stored: Batcher<SeenPicture, StoredPicture>;

  constructor(context: DetectStageContext) {
    this.#context = context;
    this.#slots = createSemaphore({ max: context.atDetector });
    this.#entries = createBatcher({ maxSize: maxPerTransaction, work: (ids) => context.db.query((sql) => imagesForJobs(sql, ids)) });
    const maxSize = Math.min(maxPerTransaction, context.maxUnstored);
    this.#stored = createBatcher({ maxSize, everyMs: storeEveryMs, work: (pictures) => this.#storeTogether(pictures) });
  }

  async run(job: ClaimedJob, signal: AbortSignal, freeSlot: () => void): Promise<void> {
    const { db, clock, log, onOutcome } = this.#context;
    const image = await this.#entries.add(Number(job.subject));
    if (!image || !["pending", "deferred"].includes(image.status)) {
      await db.query((sql) => finishJob(sql, job));
      return;
    }
    const before = (await this.#isEarlierAtDetector(image)) ? "at_detector" : await seenBefore(db, image);
    if (before === "at_detector") {
      const availableAt = new Date(clock.now().getTime() + sameFileMs);
      await db.query((sql) => releaseJob(sql, job, { availableAt, error: null, attempt: "free" }));
      return;
    }
    const startedAt = clock.now();
    const first = before ? ({ kind: "skipped", ...before, bury: false } as const) : await this.#detect(job, image, signal);
    if (signal.aborted) throw new StageAborted(`detection on ${image.path} was aborted`);
    freeSlot();
    const result = await this.#deferToNewEntry(job, image, first);
    const { status, trace, leftOut } = await this.#store(job, image, result, startedAt);
    onOutcome(status, leftOut);
    const fields = { stage: "detect", image: image.imageId, camera: image.cameraId, path: image.path };
    if (result.kind === "processed") {
      const found = { found_by: image.foundBy, found_at: image.foundAt, found: result.findings.length, detector: result.seen.detector };
      log.debug({ ...fields, trace, ...found, took_ms: clock.now().getTime() - startedAt.getTime() }, sentences[status]);
    } else if (status !== image.status) {
      log.info({ ...fields, reason: result.reason, detail: result.detail }, sentences[status]);
    }
  }

  async #isEarlierAtDetector({ imageId, continues }: LedgerImage): Promise<boolean> {
    return continues !== null && (await this.#context.db.query((sql) => isEarlierAtDetector(sql, imageId, continues)));
  }

  async stopRetrying(job: ClaimedJob, error: string): Promise<void> {
    const { db, clock, log, onOutcome } = this.#context;
    await db.transaction(async (sql) => {
      await markFailed(sql, Number(job.subject), { reason: "failed_repeatedly", detail: error, finishedAt: clock.now() });
      await buryJob(sql, job, error);
    });
    onOutcome("failed", []);
    log.info({ stage: "detect", image: Number(job.subject), reason: "failed_repeatedly", detail: error }, sentences.failed);
  }

  #deferred(job: ClaimedJob, reason: string, detail: string): Result {
    const waitMs = reason === "no_ffmpeg" ? Math.min(firstRetryVideoMs * 4 ** job.deferrals, retryVideoMs) : retryReadMs;
    return { kind: "deferred", reason, detail, retryAt: new Date(this.#context.clock.now().getTime() + waitMs) };
  }

  #unread(job: ClaimedJob, why: Unread): Result {
    return why.kind === "skipped" ? why : this.#deferred(job, why.reason, why.detail);
  }

  /** Leaves a file whose time or name was set while it waited or was processed to its new entry, so that it is processed once. */
  async #deferToNewEntry(job: ClaimedJob, image: LedgerImage, result: Result): Promise<Result> {
    if (result.kind === "skipped" && result.reason === "overwritten" && (await this.#goesOnGrowing(job, image))) {
      const retryAt = new Date(this.#context.clock.now().getTime() + nextVersionMs);
      return { kind: "deferred", reason: result.reason, detail: result.detail, retryAt };
    }
    const isMissing = result.kind === "skipped" && result.reason === "missing";
    // If a file is sent repeatedly, only its first entry gives way, so that the file is processed.
    const why = result.kind === "processed" && image.sameContentAs === null ? await whyGone(image) : isMissing ? result : undefined;
    if (why?.kind !== "skipped" || (why.reason !== "missing" && why.reason !== "overwritten")) return result;
    const path = await registeredAgainAs(this.#context.db, image);
    if (path !== undefined) return { ...why, detail: `The file is now ${path}, which has a separate entry.`, bury: false };
    if (!isMissing) return result;
    // A file that was renamed just now gets its entry in a moment.
    if (job.deferrals === 0) return this.#deferred(job, why.reason, why.detail);
    return (await this.#wasDeleted(image)) ? result : { ...why, detail: folderMissing, bury: false };
  }

  /** Whether a video may get an entry for its later version soon, which then takes the place of this job in the queue. */
  async #goesOnGrowing(job: ClaimedJob, image: LedgerImage): Promise<boolean> {
    const { imageId, continues, mediaType } = image;
    if (job.deferrals > 0 || !mediaType?.startsWith("video/") || !(await hasGrown(image))) return false;
    return !(await this.#context.db.query((sql) => hasLaterVersion(sql, { imageId, first: continues ?? imageId })));
  }

  async #wasDeleted(image: LedgerImage): Promise<boolean> {
    const camera = await this.#context.db.query((sql) => findCamera(sql, image.cameraId));
    return await confirmDeleted(image, camera?.folder_path ?? dirname(image.path));
  }

  #detect(job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> {
    if (!image.mediaType?.startsWith("video/")) return this.#detectOnPicture(job, image, signal);
    return this.#slots.run(() => this.#detectOnVideo(job, image, signal));
  }

  async #detectOnPicture(job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> {
    const fresh = image.sameContentAs === null ? this.#context.fresh?.take(image.path, image) : undefined;
    const read = fresh ? ({ kind: "bytes", bytes: fresh } as const) : await readUnchanged(image, { isFresh: this.#isJustFound(image) });
    if (read.kind !== "bytes") return this.#unread(job, read);
    const { width, height } = image;
    const size = width === null || height === null ? undefined : { width, height };
    // Within the slot: to mend a picture may take much memory
    const seen = await this.#slots.run(async () => {
      const mended = await mendPicture(read.bytes);
      const whole = { bytes: mended.bytes, mediaType: image.mediaType ?? "image/jpeg" };
      const sent = await outgoing(whole, image.privateParts).catch(() => undefined);
      if (!sent) return undefined;
      const picture = { ...sent, fileName: basename(image.path), size };
      return { isCutOff: mended.isCutOff, answer: await this.#context.detector.detect(picture, signal) };
    });
    if (!seen) return { kind: "skipped", reason: "not_an_image", detail: undecodable, bury: true };
    const { answer, isCutOff } = seen;
    switch (answer.kind) {
      case "detected": {
        const findings = answer.detections.map((found) => ({ found, frame: null }));
        const details = [isCutOff ? cutOff : [], answer.note ?? []].flat();
        return { kind: "processed", seen: answer, findings, detail: details.join(" ") || null };
      }
      case "refused":
        return { kind: "skipped", reason: answer.reason, detail: answer.detail, bury: true };
      case "unavailable":
        return { kind: "deferred", reason: answer.reason, detail: answer.detail, retryAt: answer.retryAt };
    }
  }

  #isJustFound({ foundBy, foundAt }: LedgerImage): boolean {
    return foundBy === "watch" && this.#context.clock.now().getTime() - foundAt.getTime() < justFoundMs;
  }

  async #detectOnVideo(job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> {
    const findings: { readonly found: Finding["found"]; readonly offsetSeconds: number; readonly size: Size | undefined }[] = [];
    let seen: Detected | undefined;
    let refusal: string | undefined;
    let inferenceMs = 0;
    const leftOut = new LeftOutTally();
    let statedSeconds: number | undefined;
    let frames = 0;
    const onLength = (seconds: number): void => {
      statedSeconds = seconds;
    };
    for await (const frame of readFrames(image, { signal, onLength })) {
      if (frame.kind !== "frame") return this.#unread(job, frame);
      frames += 1;
      const sent = await outgoing({ bytes: frame.bytes, mediaType: "image/jpeg" }, image.privateParts);
      const picture = { ...sent, fileName: "frame.jpg", size: await sizeOf(sent.bytes) };
      const answer = await this.#context.detector.detect(picture, signal);
      if (answer.kind === "unavailable") {
        return { kind: "deferred", reason: answer.reason, detail: answer.detail, retryAt: answer.retryAt };
      }
      if (answer.kind === "refused") {
        refusal = answer.detail;
        continue;
      }
      inferenceMs += answer.inferenceMs ?? 0;
      leftOut.addAll(answer.leftOut);
      seen = { ...answer, inferenceMs, leftOut: leftOut.list() };
      findings.push(...answer.detections.map((found) => ({ found, offsetSeconds: frame.offsetSeconds, size: picture.size })));
    }
    if (!seen && refusal !== undefined) return { kind: "skipped", reason: "refused", detail: refusal, bury: true };
    if (!seen) {
      return {
        kind: "skipped",
        reason: "video_unreadable",
        detail: "No frame of this video could be read. Check that the file is complete.",
        bury: true,
      };
    }
    const videoSeconds = await lengthOf({ ...image, statedSeconds, frames }, signal);
    const inTime = findings.map(({ found, offsetSeconds, size }) => ({
      found,
      frame: { offsetSeconds, size, secondsAfter: videoSeconds - offsetSeconds },
    }));
    const detail = unprocessedPart(frames < mostFrames ? (statedSeconds ?? 0) : videoSeconds, frames);
    return { kind: "processed", seen, findings: inTime, detail };
  }

  async #store(
    job: ClaimedJob,
    image: LedgerImage,
    result: Result,
    startedAt: Date,
  ): Promise<{ readonly status: DetectOutcome; readonly trace?: string | undefined; readonly leftOut: readonly LeftOut[] }> {
    if (result.kind === "processed") {
      const { findings, seen, detail } = result;
      const { batchId, leftOut } = await this.#stored.add({ job, image, findings, seen, detail, startedAt });
      return { status: "processed", trace: batchId, leftOut };
    }
    const now = this.#context.clock.now();
    const status = await this.#context.db.transaction(async (sql): Promise<DetectOutcome> => {
      if (result.kind === "skipped") {
        const { reason, detail } = result;
        // A missing file was not processed. It is processed when it is back.
        await markSkipped(sql, image.imageId, { reason, detail, startedAt: reason === "missing" ? null : startedAt, finishedAt: now });
        if (result.bury) await buryJob(sql, job, `${result.reason}: ${result.detail}`);
        else await finishJob(sql, job);
        return "skipped";
      }
      const next = afterNoAnswer(job, result, { lastSuccess: this.#context.detectorAnsweredAt(), now });
      if (next.stopRetrying) {
        await markFailed(sql, image.imageId, { reason: "failed_repeatedly", detail: result.detail, finishedAt: now });
        await buryJob(sql, job, result.detail);
        return "failed";
      }
      await markDeferred(sql, image.imageId, { reason: result.reason, detail: result.detail });
      await releaseJob(sql, job, { availableAt: next.availableAt, error: result.detail, attempt: next.attempt });
      return "deferred";
    });
    return { status, leftOut: [] };
  }

  async #storeTogether(pictures: readonly SeenPicture[]): Promise<Stored["pictures"]> {
    const { db, clock, batchMaxDetections, parking, onClosed, immediateRules: rules } = this.#context;
    const settings = this.#context.settings.current();
    const enrichmentWaitMs = this.#context.enrichmentWaitMs();
    const immediateRules = (await rules?.current()) ?? [];
    const stored = await db.transaction((sql) =>
      storeFindings(sql, pictures, { settings, batchMaxDetections, enrichmentWaitMs, parking, immediateRules, now: clock.now() }),
    );
    if (stored.closed.length > 0) onClosed(stored.closed);
    return stored.pictures;
  }
}

/** Says which part of a video was not processed; null if all of it was. */
function unprocessedPart(videoSeconds: number, frames: number): string | null {
  const processedSeconds = frames * frameEverySeconds;
  if (videoSeconds <= processedSeconds + frameEverySeconds) return null;
  const why =
    frames >= mostFrames
      ? "that is the limit. Set the camera to record shorter clips."
      : "no further frame could be read. The video may be damaged, its header may state a wrong length, its sound may be longer, or this machine may be too slow.";
  return `homesec processed the first ${processedSeconds} s of this video of ${Math.round(videoSeconds)} s: ${why}`;
}
