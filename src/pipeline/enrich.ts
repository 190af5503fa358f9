import { basename } from "node:path";
import type { Clock } from "../base/clock/clock.ts";
import { minuteMs } from "../base/clock/durations.ts";
import type { Log } from "../base/log/log.ts";
import { lockBatchesOf } from "../monitoring/batches/batches-repository.ts";
import { enrichmentOf, storedEnrichment } from "../monitoring/detections/enrichment.ts";
import { type Subject, storeEnrichments, subjectsOnImage } from "../monitoring/detections/enrichment-repository.ts";
import type { Recognised, Recognition } from "../monitoring/entities/recognition.ts";
import { hastenAnalyses, tellEnriched } from "../monitoring/events/enrichment.ts";
import { eventsOfImage, lockEvents } from "../monitoring/events/enrichment-repository.ts";
import { imagesForJobs, type LedgerImage } from "../monitoring/images/images-repository.ts";
import type { Picture } from "../monitoring/upstream/multipart.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database } from "../platform/database/database.ts";
import { type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { StageAborted } from "../work/jobs/stage-aborted.ts";
import { type EnrichmentServices, type Found, gather, type Look, lookAt, skipped, type Wanted } from "./enrich-detection.ts";
import { readUnchanged, type Unread } from "./read-picture.ts";
import { readFrames } from "./read-video.ts";
import type { Stage } from "./stage.ts";

/** Dependencies of the enrich stage. */
export interface EnrichStageContext {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly settings: Settings;
  readonly services: EnrichmentServices;
  readonly recognition: Recognition;
}

/** Maximum number of enriched detections on one picture: those with the highest confidence. */
const mostOnOnePicture = 32;
/** Delays before the retries while a service does not answer. After the last one the enrichment stays incomplete. */
const retryDelaysMs = [5_000, 30_000, 120_000, 480_000];
/** Detections older than this are not enriched any more, so that the queue stays bounded. */
const expiresAfterMs = 15 * minuteMs;

/**
 * Creates the stage that enriches the detections on a picture with vision, embedder and enrichment service. It only adds
 * data: if a service fails, its part is missing, the record says why, and nothing goes to the dead letters.
 */
export function createEnrichStage(context: EnrichStageContext): Stage {
  const { db, clock, services } = context;

  const run = async (job: ClaimedJob, signal: AbortSignal): Promise<void> => {
    const imageId = Number(job.subject);
    const [image, subjects] = await db.query(async (sql) => [
      (await imagesForJobs(sql, [imageId]))[0],
      await subjectsOnImage(sql, imageId),
    ]);
    if (!image || subjects.length === 0) {
      await db.query((sql) => finishJob(sql, job));
      return;
    }
    const startedAt = clock.now();
    const settings = context.settings.current();
    const wanted = { vision: settings.visionExtractionEnabled, reid: settings.reidEnabled };
    const found = wanted.vision || wanted.reid ? await enrich(job, image, subjects, wanted, signal) : new Map<number, Found>();
    if (signal.aborted) throw new StageAborted(`the enrichment of ${image.path} was aborted`);
    const status = await store(job, image, found);
    const took_ms = clock.now().getTime() - startedAt.getTime();
    const fields = { stage: "enrich", trace: subjects[0]?.batchId ?? undefined, image: imageId, camera: image.cameraId };
    context.log.debug({ ...fields, detections: subjects.length, status, took_ms }, "the detections on a picture were enriched");
  };

  const enrich = async (
    job: ClaimedJob,
    image: LedgerImage,
    subjects: readonly Subject[],
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Found>> => {
    const none = (all: readonly Subject[], reason: string): [number, Found][] =>
      all.map((subject) => [subject.id, { enrichment: skipped(priorOf(subject), wanted, reason, clock.now()), retryAt: undefined }]);
    const oldest = Math.min(...subjects.map(({ createdAt }) => createdAt.getTime()));
    if (job.deferrals === 0 && clock.now().getTime() - oldest > expiresAfterMs) {
      return new Map(none(subjects, "it waited too long in the queue"));
    }
    const pictures = await picturesOf(image, subjects, signal);
    if (typeof pictures === "string") return new Map(none(subjects, pictures));
    const chosen = subjects.slice(0, mostOnOnePicture);
    const looks = new Map<Subject, Look>();
    for (const subject of chosen) {
      const picture = pictures.get(subject.videoOffsetSeconds);
      if (picture) looks.set(subject, await lookAt(subject, picture, { services, wanted, prior: priorOf(subject) }, signal));
    }
    const recognised = await recognise(image, looks);
    const found = new Map<number, Found>(
      none(subjects.slice(mostOnOnePicture), "the picture has too many detections to enrich all of them"),
    );
    for (const subject of chosen) {
      const look = looks.get(subject);
      if (!look) {
        for (const [id, result] of none([subject], "its frame of the video could not be read")) found.set(id, result);
        continue;
      }
      const known = { look, recognised: recognised.get(subject.id), prior: priorOf(subject) };
      found.set(subject.id, await gather(subject, known, { services, wanted, now: clock.now() }, signal));
    }
    return found;
  };

  const recognise = async (image: LedgerImage, looks: ReadonlyMap<Subject, Look>): Promise<ReadonlyMap<number, Recognised>> => {
    const seen = [...looks].flatMap(([subject, { embedding, source }]) => {
      if (embedding?.kind !== "answered") return [];
      const { id, cameraId, objectType, confidence, detectedAt } = subject;
      const frame = `${image.imageId} ${subject.videoOffsetSeconds}`;
      return [{ detectionId: id, cameraId, objectType, confidence, seenAt: detectedAt, frame, source, vector: embedding.value }];
    });
    const recognised = new Map<number, Recognised>();
    for (const objectType of new Set(seen.map((one) => one.objectType))) {
      const ofType = seen.filter((one) => one.objectType === objectType);
      for (const [id, who] of await context.recognition.recognise(objectType, ofType)) recognised.set(id, who);
    }
    return recognised;
  };

  const store = async (job: ClaimedJob, image: LedgerImage, found: ReadonlyMap<number, Found>): Promise<"done" | "deferred"> => {
    const now = clock.now();
    const delayMs = retryDelaysMs[job.deferrals];
    const retryAt = Math.max(...[...found.values()].map((one) => one.retryAt?.getTime() ?? 0));
    const again = retryAt > 0 && delayMs !== undefined ? new Date(Math.max(retryAt, now.getTime() + delayMs)) : undefined;
    await db.transaction(async (sql) => {
      if (again) {
        const error = [...found.values()].find((one) => one.retryAt)?.enrichment.errors[0] ?? null;
        await releaseJob(sql, job, { availableAt: again, error, attempt: "deferred" });
      } else {
        await finishJob(sql, job);
      }
      // Jobs for other pictures of the event, and the one that closes its batch, wait for this lock. So one of them is the last.
      await lockBatchesOf(sql, [image.cameraId]);
      const eventIds = await eventsOfImage(sql, image.imageId);
      await hastenAnalyses(sql, eventIds, now);
      await lockEvents(sql, eventIds);
      await storeEnrichments(
        sql,
        [...found].map(([detectionId, { enrichment }]) => ({
          detectionId,
          entityId: enrichment.entity_id,
          enrichment: storedEnrichment(enrichment),
        })),
      );
      if (!again) await tellEnriched(sql, eventIds, now);
    });
    return again ? "deferred" : "done";
  };

  const giveUp = async (job: ClaimedJob, error: string): Promise<void> => {
    const imageId = Number(job.subject);
    const [image, subjects] = await db.query(async (sql) => [
      (await imagesForJobs(sql, [imageId]))[0],
      await subjectsOnImage(sql, imageId),
    ]);
    context.log.warn(
      { stage: "enrich", trace: subjects[0]?.batchId ?? undefined, image: imageId, error },
      "the enrichment of a picture failed",
    );
    if (!image) {
      await db.query((sql) => finishJob(sql, job));
      return;
    }
    const settings = context.settings.current();
    const wanted = { vision: settings.visionExtractionEnabled, reid: settings.reidEnabled };
    const found = subjects.map(
      (subject) => [subject.id, { enrichment: skipped(priorOf(subject), wanted, error, clock.now()), retryAt: undefined }] as const,
    );
    await store(job, image, new Map(found));
  };

  return { run, giveUp };
}

const priorOf = (subject: Subject) => enrichmentOf(subject.id, subject.enrichment);

/** Returns the pictures to process by their offset in a video (null: the file itself), or why there are none. */
async function picturesOf(
  image: LedgerImage,
  subjects: readonly Subject[],
  signal: AbortSignal,
): Promise<ReadonlyMap<number | null, Picture> | string> {
  if (!image.mediaType?.startsWith("video/")) {
    const read = await readUnchanged(image);
    if (read.kind !== "bytes") return reasonOf(image, read);
    return new Map([[null, { bytes: read.bytes, fileName: basename(image.path), mediaType: image.mediaType ?? "image/jpeg" }]]);
  }
  const wanted = [...new Set(subjects.flatMap(({ videoOffsetSeconds: at }) => at ?? []))];
  const frames = new Map<number | null, Picture>();
  for await (const frame of readFrames(image, { signal, isEnough: () => frames.size === wanted.length })) {
    if (frame.kind !== "frame") return reasonOf(image, frame);
    // The stored offset has fewer digits.
    const offset = wanted.find((at) => Math.abs(at - frame.offsetSeconds) < 0.01);
    if (offset !== undefined) frames.set(offset, { bytes: frame.bytes, fileName: "frame.jpg", mediaType: "image/jpeg" });
  }
  return frames;
}

/** Returns why the picture is lost for good. Throws for an error that may pass, so that the job is retried. */
function reasonOf(image: LedgerImage, why: Unread): string {
  if (why.kind === "trouble" && why.reason === "unreadable") throw new Error(`${image.path}: ${why.detail}`);
  return `${why.reason}: ${why.detail}`;
}
