import { basename } from "node:path";
import { type Clock, minuteMs } from "../base/clock/clock.ts";
import type { Log } from "../base/log/log.ts";
import { lockBatchesOf } from "../monitoring/batches/batches-repository.ts";
import { enrichmentOf, storedEnrichment } from "../monitoring/detections/enrichment.ts";
import { type Subject, storeEnrichments, subjectsOnImage } from "../monitoring/detections/enrichment-repository.ts";
import type { Recognised, Recognition } from "../monitoring/entities/recognition.ts";
import { announceEnriched, releaseAnalyses } from "../monitoring/events/enrichment.ts";
import { eventsOfImage, lockEvents } from "../monitoring/events/enrichment-repository.ts";
import { imagesForJobs, type LedgerImage } from "../monitoring/images/images-repository.ts";
import { outgoing } from "../monitoring/images/outgoing.ts";
import type { Picture } from "../monitoring/upstream/multipart.ts";
import type { Settings } from "../platform/config/settings.ts";
import type { Database } from "../platform/database/database.ts";
import { type ClaimedJob, finishJob, releaseJob } from "../work/jobs/jobs-repository.ts";
import { type Answers, callServices, combine, type EnrichmentServices, type Found, skipped, type Wanted } from "./enrich-detection.ts";
import { readUnchanged, type Unread } from "./read-picture.ts";
import { readFrames } from "./read-video.ts";
import { type Stage, StageAborted } from "./stage.ts";

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
const maxPerPicture = 32;
/** Delays before the retries while a service does not answer. After the last one the enrichment stays incomplete. */
const retryDelaysMs = [5_000, 30_000, 120_000, 480_000];
/** Pictures whose newest detection is older than this are not enriched any more, so that the queue stays bounded. */
const expiresAfterMs = 15 * minuteMs;

/**
 * Creates the stage that enriches the detections on a picture with vision, embedder and enrichment service. It only adds
 * data: if a service fails, its part is missing, the record says why, and nothing goes to the dead letters.
 */
export function createEnrichStage(context: EnrichStageContext): Stage {
  return new EnrichStage(context);
}

class EnrichStage implements Stage {
  readonly #context: EnrichStageContext;

  constructor(context: EnrichStageContext) {
    this.#context = context;
  }

  async run(job: ClaimedJob, signal: AbortSignal): Promise<void> {
    const { db, clock, log } = this.#context;
    const { image, subjects } = await this.#load(job);
    if (!image || subjects.length === 0) {
      await db.query((sql) => finishJob(sql, job));
      return;
    }
    const startedAt = clock.now();
    const wanted = this.#wanted();
    const found = wanted.vision || wanted.reid ? await this.#enrich(job, image, subjects, wanted, signal) : new Map<number, Found>();
    if (signal.aborted) throw new StageAborted(`the enrichment of ${image.path} was aborted`);
    const status = await this.#store(job, image, found);
    const took_ms = clock.now().getTime() - startedAt.getTime();
    const fields = { stage: "enrich", trace: subjects[0]?.batchId ?? undefined, image: image.imageId, camera: image.cameraId };
    log.debug({ ...fields, detections: subjects.length, status, took_ms }, "the detections on a picture were enriched");
  }

  async stopRetrying(job: ClaimedJob, error: string): Promise<void> {
    const { db, log } = this.#context;
    const { image, subjects } = await this.#load(job);
    const fields = { stage: "enrich", trace: subjects[0]?.batchId ?? undefined, image: Number(job.subject), error };
    log.warn(fields, "the enrichment of a picture failed");
    if (image) await this.#store(job, image, new Map(this.#without(subjects, this.#wanted(), error)));
    else await db.query((sql) => finishJob(sql, job));
  }

  #load(job: ClaimedJob): Promise<{ readonly image: LedgerImage | undefined; readonly subjects: readonly Subject[] }> {
    const imageId = Number(job.subject);
    return this.#context.db.query(async (sql) => ({
      image: (await imagesForJobs(sql, [imageId]))[0],
      subjects: await subjectsOnImage(sql, imageId),
    }));
  }

  #wanted(): Wanted {
    const { visionExtractionEnabled, reidEnabled } = this.#context.settings.current();
    return { vision: visionExtractionEnabled, reid: reidEnabled };
  }

  /** Returns the results for detections that no service processes, with the reason. */
  #without(subjects: readonly Subject[], wanted: Wanted, reason: string): [number, Found][] {
    return subjects.map((subject) => [subject.id, skipped(priorOf(subject), wanted, reason, this.#context.clock.now())]);
  }

  async #enrich(
    job: ClaimedJob,
    image: LedgerImage,
    subjects: readonly Subject[],
    wanted: Wanted,
    signal: AbortSignal,
  ): Promise<ReadonlyMap<number, Found>> {
    const { clock, services } = this.#context;
    // A version of a file that grows has detections of earlier ones too.
    const newest = Math.max(...subjects.map(({ createdAt }) => createdAt.getTime()));
    if (job.deferrals === 0 && clock.now().getTime() - newest > expiresAfterMs) {
      return new Map(this.#without(subjects, wanted, "it waited too long in the queue"));
    }
    const pictures = await picturesOf(image, subjects, signal);
    if (typeof pictures === "string") return new Map(this.#without(subjects, wanted, pictures));
    const [chosen, others] = [subjects.slice(0, maxPerPicture), subjects.slice(maxPerPicture)];
    const answers = new Map<Subject, Answers>();
    for (const subject of chosen) {
      const picture = pictures.get(subject.videoOffsetSeconds);
      if (picture) answers.set(subject, await callServices(subject, picture, { services, wanted, prior: priorOf(subject) }, signal));
    }
    const recognised = await this.#recognise(image, answers);
    const found = new Map(this.#without(others, wanted, "the picture has too many detections to enrich all of them"));
    for (const subject of chosen) {
      const [own, prior, now] = [answers.get(subject), priorOf(subject), clock.now()];
      const result = own
        ? await combine(subject, { answers: own, recognised: recognised.get(subject.id), prior }, { services, wanted, now }, signal)
        : skipped(prior, wanted, "its frame of the video could not be read", now);
      found.set(subject.id, result);
    }
    return found;
  }

  async #recognise(image: LedgerImage, answers: ReadonlyMap<Subject, Answers>): Promise<ReadonlyMap<number, Recognised>> {
    const seen = [...answers].flatMap(([subject, { embedding, source }]) => {
      if (embedding?.kind !== "answered") return [];
      const { id, cameraId, objectType, confidence, detectedAt } = subject;
      const frame = `${image.imageId} ${subject.videoOffsetSeconds}`;
      return [{ detectionId: id, cameraId, objectType, confidence, seenAt: detectedAt, frame, source, vector: embedding.value }];
    });
    const recognised = new Map<number, Recognised>();
    for (const objectType of new Set(seen.map((one) => one.objectType))) {
      const ofType = seen.filter((one) => one.objectType === objectType);
      for (const [id, who] of await this.#context.recognition.recognise(objectType, ofType)) recognised.set(id, who);
    }
    return recognised;
  }

  async #store(job: ClaimedJob, image: LedgerImage, found: ReadonlyMap<number, Found>): Promise<"done" | "deferred"> {
    const { db, clock } = this.#context;
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
      await releaseAnalyses(sql, eventIds, now);
      await lockEvents(sql, eventIds);
      await storeEnrichments(
        sql,
        [...found].map(([detectionId, { enrichment }]) => ({
          detectionId,
          entityId: enrichment.entity_id,
          enrichment: storedEnrichment(enrichment),
        })),
      );
      if (!again) await announceEnriched(sql, eventIds, now);
    });
    return again ? "deferred" : "done";
  }
}

/** Why a picture stays here whose private zones cannot be blacked out. */
const undecodable = "not_an_image: the picture cannot be decoded, so its private zones cannot be blacked out";

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
    const sent = await outgoing({ bytes: read.bytes, mediaType: image.mediaType ?? "image/jpeg" }, image.privateParts).catch(
      () => undefined,
    );
    return sent ? new Map([[null, { ...sent, fileName: basename(image.path) }]]) : undecodable;
  }
  const wanted = [...new Set(subjects.flatMap(({ videoOffsetSeconds: at }) => at ?? []))];
  const frames = new Map<number | null, Picture>();
  for await (const frame of readFrames(image, { signal, isEnough: () => frames.size === wanted.length })) {
    if (frame.kind !== "frame") return reasonOf(image, frame);
    // The stored offset has fewer digits.
    const offset = wanted.find((at) => Math.abs(at - frame.offsetSeconds) < 0.01);
    if (offset === undefined) continue;
    frames.set(offset, { ...(await outgoing({ bytes: frame.bytes, mediaType: "image/jpeg" }, image.privateParts)), fileName: "frame.jpg" });
  }
  return frames;
}

/** Returns why the picture is lost for good. Throws for an error that may pass, so that the job is retried. */
function reasonOf(image: LedgerImage, why: Unread): string {
  if (why.kind === "trouble" && why.reason === "unreadable") throw new Error(`${image.path}: ${why.detail}`);
  return `${why.reason}: ${why.detail}`;
}
