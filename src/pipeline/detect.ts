import { basename, dirname } from "node:path";
import { createBatcher } from "../base/async/batcher.ts";
import { createSemaphore } from "../base/async/semaphore.ts";
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
import { enteredAgainAs, seenBefore } from "../monitoring/images/same-file.ts";
import { frameEverySeconds, mostFrames } from "../monitoring/images/video.ts";
import type { Detected, Detector } from "../monitoring/upstream/detector.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database } from "../platform/database/database.ts";
import { confirmDeleted } from "../platform/disk/confirm-deleted.ts";
import { buryJob, type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { StageAborted } from "../work/jobs/stage-aborted.ts";
import { readUnchanged, type Unread, whyGone } from "./read-picture.ts";
import { readFrames } from "./read-video.ts";
import { afterNoAnswer, type Stage } from "./stage.ts";
import { type Finding, type SeenPicture, type Stored, storeFindings } from "./store-findings.ts";

/** Pictures that are stored in one transaction at most. */
const mostTogether = 64;
/** After the file system failed a picture waits so long, and longer each time; so does one that is missing, once. */
const retryReadMs = 1_000;
/** Where ffmpeg is missing another machine may take the video up, for which it soon comes again a few times; or a person has to install it. */
const firstRetryVideoMs = 2_000;
const retryVideoMs = 60_000;
/** A file that is at the detector as it was before its time or name was set waits so long to hear what came of it. */
const sameFileMs = 200;
/** Of a picture that is missing with all around it: nothing that a person has to do with each of many. */
const diskAway =
  "The file was not there when it was to be looked at, nor anything else in its folder: is its disk away? It is looked at when it is there again.";
/** Under load pictures wait so long for company. */
const storeEveryMs = 25;

/** What the detect stage works with. */
export interface DetectStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly batchMaxDetections: number;
  /** How long the analysis of an event may wait now for the enrichment of its detections. */
  readonly enrichmentWaitMs: () => number;
  readonly detector: Detector;
  /** Pictures that may be at the detector at a time. */
  readonly atDetector: number;
  /** What was read of pictures that have just arrived. */
  readonly fresh?: FreshContent;
  /** Outcomes that can wait to be written down at a time: where each keeps its place at the detector until then, no more come. */
  readonly mostUnstored: number;
  /** When the detector last gave a good answer, to this or another picture. */
  readonly detectorAnsweredAt: () => Date | null;
  /** Batches were closed, since a camera got another one. */
  readonly onClosed: (closed: Stored["closed"]) => void;
  /** The stage is done with a picture, for now if it is deferred. */
  readonly onOutcome: (outcome: DetectOutcome) => void;
}

/** What became of the picture, before it is written down. */
type Result =
  | { readonly kind: "processed"; readonly findings: readonly Finding[]; readonly seen: Detected; readonly detail: string | null }
  | { readonly kind: "skipped"; readonly reason: string; readonly detail: string; readonly bury: boolean }
  | { readonly kind: "deferred"; readonly reason: string; readonly detail: string; readonly retryAt: Date };

/** What the ledger says of a picture once the stage is done with it. */
export type DetectOutcome = Exclude<ImageStatus, "pending">;

const sentences = {
  processed: "a picture was looked at",
  skipped: "a picture is skipped",
  deferred: "a picture waits for another look",
  failed: "a picture is given up; it is in the dead letters",
} as const satisfies Readonly<Record<DetectOutcome, string>>;

/** Makes the stage that has the detector look at a picture (or at the frames of a video) and stores what was found. */
export function createDetectStage(context: DetectStageContext): Stage {
  const { db, clock } = context;
  const turns = createSemaphore({ max: context.atDetector });

  // many pictures at once cost one statement and one commit together; one alone waits for nobody
  const finding = createBatcher({ most: mostTogether, work: (ids: readonly number[]) => db.query((sql) => imagesForJobs(sql, ids)) });
  const storing = createBatcher({
    most: Math.min(mostTogether, context.mostUnstored),
    everyMs: storeEveryMs,
    work: async (pictures: readonly SeenPicture[]) => {
      const { batchMaxDetections } = context;
      const settings = context.settings.current();
      const enrichmentWaitMs = context.enrichmentWaitMs();
      const stored = await db.transaction((sql) =>
        storeFindings(sql, pictures, { settings, batchMaxDetections, enrichmentWaitMs, now: clock.now() }),
      );
      if (stored.closed.length > 0) context.onClosed(stored.closed);
      return stored.batchIds;
    },
  });

  const run = async (job: ClaimedJob, signal: AbortSignal, freePlace: () => void): Promise<void> => {
    const image = await finding.add(Number(job.subject));
    if (!image || !["pending", "deferred"].includes(image.status)) {
      await db.query((sql) => finishJob(sql, job));
      return;
    }
    const before = await seenBefore(db, image);
    if (before === "at_detector") {
      const availableAt = new Date(clock.now().getTime() + sameFileMs);
      await db.query((sql) => releaseJob(sql, job, { availableAt, error: null, attempt: "free" }));
      return;
    }
    const startedAt = clock.now();
    const looked = before ? ({ kind: "skipped", ...before, bury: false } as const) : await lookAt(job, image, signal);
    if (signal.aborted) throw new StageAborted(`the look at ${image.path} was broken off`);
    freePlace();
    const result = await giveWay(job, image, looked);
    const { status, trace } = await store(job, image, result, startedAt);
    context.onOutcome(status);
    const fields = { stage: "detect", image: image.imageId, camera: image.cameraId, path: image.path };
    if (result.kind === "processed") {
      const found = { found_by: image.foundBy, found_at: image.foundAt, found: result.findings.length, detector: result.seen.detector };
      context.log.debug({ ...fields, trace, ...found, took_ms: clock.now().getTime() - startedAt.getTime() }, sentences[status]);
    } else if (status !== image.status) {
      context.log.info({ ...fields, reason: result.reason, detail: result.detail }, sentences[status]);
    }
  };

  const deferred = (job: ClaimedJob, reason: string, detail: string): Result => {
    const waitMs = reason === "no_ffmpeg" ? Math.min(firstRetryVideoMs * 4 ** job.deferrals, retryVideoMs) : retryReadMs;
    return { kind: "deferred", reason, detail, retryAt: new Date(clock.now().getTime() + waitMs) };
  };

  const unread = (job: ClaimedJob, why: Unread): Result => (why.kind === "skipped" ? why : deferred(job, why.reason, why.detail));

  /** A file whose time or name was set while it waited or was looked at is left to the entry that it has by now, so that it is looked at once. */
  const giveWay = async (job: ClaimedJob, image: LedgerImage, result: Result): Promise<Result> => {
    const isMissing = result.kind === "skipped" && result.reason === "missing";
    // of a file that is sent again and again only the first entry gives way, so that it is looked at
    const why = result.kind === "processed" && image.sameContentAs === null ? await whyGone(image) : isMissing ? result : undefined;
    if (why?.kind !== "skipped" || (why.reason !== "missing" && why.reason !== "overwritten")) return result;
    const path = await enteredAgainAs(db, image);
    if (path !== undefined) return { ...why, detail: `By now it is ${path}, which has an entry of its own.`, bury: false };
    if (!isMissing) return result;
    // one that was renamed just now is entered in a moment
    if (job.deferrals === 0) return deferred(job, why.reason, why.detail);
    return (await isTakenAway(image)) ? result : { ...why, detail: diskAway, bury: false };
  };

  const isTakenAway = async (image: LedgerImage): Promise<boolean> => {
    const camera = await db.query((sql) => findCamera(sql, image.cameraId));
    return await confirmDeleted(image, camera?.folder_path ?? dirname(image.path));
  };

  const lookAt = (job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> =>
    image.mediaType?.startsWith("video/") ? turns.run(() => lookAtVideo(job, image, signal)) : lookAtPicture(job, image, signal);

  const lookAtPicture = async (job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> => {
    const fresh = image.sameContentAs === null ? context.fresh?.take(image.path, image) : undefined;
    const read = fresh ? ({ kind: "bytes", bytes: fresh } as const) : await readUnchanged(image);
    if (read.kind !== "bytes") return unread(job, read);
    const picture = { bytes: read.bytes, fileName: basename(image.path), mediaType: image.mediaType ?? "image/jpeg" };
    const answer = await turns.run(() => context.detector.detect(picture, signal));
    switch (answer.kind) {
      case "detected":
        return { kind: "processed", seen: answer, findings: answer.detections.map((found) => ({ found, frame: null })), detail: null };
      case "refused":
        return { kind: "skipped", reason: answer.reason, detail: answer.detail, bury: true };
      case "unavailable":
        return { kind: "deferred", reason: answer.reason, detail: answer.detail, retryAt: answer.retryAt };
    }
  };

  const lookAtVideo = async (job: ClaimedJob, image: LedgerImage, signal: AbortSignal): Promise<Result> => {
    const findings: { readonly found: Finding["found"]; readonly offsetSeconds: number }[] = [];
    let seen: Detected | undefined;
    let refusal: string | undefined;
    let inferenceMs = 0;
    let [videoSeconds, lookedSeconds] = [0, 0];
    const lasts = (seconds: number): void => {
      videoSeconds = Math.max(videoSeconds, seconds);
    };
    for await (const frame of readFrames(image, { signal, onLength: lasts })) {
      if (frame.kind !== "frame") return unread(job, frame);
      // one that does not say how long it is lasts until the last frame that is looked at
      lasts(frame.offsetSeconds);
      lookedSeconds = frame.offsetSeconds + frameEverySeconds;
      const answer = await context.detector.detect({ bytes: frame.bytes, fileName: "frame.jpg", mediaType: "image/jpeg" }, signal);
      if (answer.kind === "unavailable") {
        return { kind: "deferred", reason: answer.reason, detail: answer.detail, retryAt: answer.retryAt };
      }
      if (answer.kind === "refused") {
        refusal = answer.detail;
        continue;
      }
      inferenceMs += answer.inferenceMs ?? 0;
      seen = { ...answer, inferenceMs };
      findings.push(...answer.detections.map((found) => ({ found, offsetSeconds: frame.offsetSeconds })));
    }
    if (!seen && refusal !== undefined) return { kind: "skipped", reason: "refused", detail: refusal, bury: true };
    if (!seen) {
      return { kind: "skipped", reason: "video_unreadable", detail: "No frame of this video could be read. Is it complete?", bury: true };
    }
    const inTime = findings.map(({ found, offsetSeconds }) => ({
      found,
      frame: { offsetSeconds, secondsAfter: videoSeconds - offsetSeconds },
    }));
    return { kind: "processed", seen, findings: inTime, detail: leftOut(videoSeconds, lookedSeconds) };
  };

  const store = async (
    job: ClaimedJob,
    image: LedgerImage,
    result: Result,
    startedAt: Date,
  ): Promise<{ readonly status: DetectOutcome; readonly trace?: string | undefined }> => {
    if (result.kind === "processed") {
      const trace = await storing.add({ job, image, findings: result.findings, seen: result.seen, detail: result.detail, startedAt });
      return { status: "processed", trace };
    }
    const now = clock.now();
    const status = await db.transaction(async (sql): Promise<DetectOutcome> => {
      if (result.kind === "skipped") {
        const { reason, detail } = result;
        // of one that was missing nothing was seen: it is taken up when it is found again
        await markSkipped(sql, image.imageId, { reason, detail, startedAt: reason === "missing" ? null : startedAt, finishedAt: now });
        if (result.bury) await buryJob(sql, job, `${result.reason}: ${result.detail}`);
        else await finishJob(sql, job);
        return "skipped";
      }
      const next = afterNoAnswer(job, result, { lastSuccess: context.detectorAnsweredAt(), now });
      if (next.giveUp) {
        await markFailed(sql, image.imageId, { reason: "failed_repeatedly", detail: result.detail, finishedAt: now });
        await buryJob(sql, job, result.detail);
        return "failed";
      }
      await markDeferred(sql, image.imageId, { reason: result.reason, detail: result.detail });
      await releaseJob(sql, job, { availableAt: next.availableAt, error: result.detail, attempt: next.attempt });
      return "deferred";
    });
    return { status };
  };

  const giveUp = async (job: ClaimedJob, error: string): Promise<void> => {
    await db.transaction(async (sql) => {
      await markFailed(sql, Number(job.subject), { reason: "failed_repeatedly", detail: error, finishedAt: clock.now() });
      await buryJob(sql, job, error);
    });
    context.onOutcome("failed");
    context.log.info({ stage: "detect", image: Number(job.subject), reason: "failed_repeatedly", detail: error }, sentences.failed);
  };

  return { run, giveUp };
}

/** What of a video was not looked at; null when all was. */
function leftOut(videoSeconds: number, lookedSeconds: number): string | null {
  if (videoSeconds <= lookedSeconds + frameEverySeconds) return null;
  const why =
    lookedSeconds >= mostFrames * frameEverySeconds
      ? "homesec looks at so much of each video. Have the camera make clips that are no longer."
      : "no further picture could be read. Is it damaged, is its sound longer, or is this machine too slow for it?";
  return `Of this video of ${Math.round(videoSeconds)} s the first ${lookedSeconds} s were looked at: ${why}`;
}
