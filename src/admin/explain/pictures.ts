import { findImages, type Image } from "../../monitoring/images/ledger-repository.ts";
import { notesOfImages } from "../../monitoring/receivers/notes-repository.ts";
import type { Sql } from "../../platform/database/database.ts";
import { jobsOf } from "./jobs-repository.ts";
import type { PictureFacts } from "./picture-steps.ts";
import { detectionsOfImages } from "./pictures-repository.ts";

/** Maximum number of detections for each picture; a video has hundreds. */
const maxDetections = 100;

/** Reads all facts about these pictures, ordered by time. */
export async function picturesOf(sql: Sql, ids: readonly number[]): Promise<readonly PictureFacts[]> {
  if (ids.length === 0) return [];
  const [images, jobs, detections, notes] = await Promise.all([
    findImages(sql, ids),
    jobsOf(sql, "detect", ids.map(String)),
    detectionsOfImages(sql, ids, maxDetections),
    notesOfImages(sql, ids),
  ]);
  const originalIds = images.flatMap(({ same_content_as }) => same_content_as ?? []);
  const originals = new Map<number, Image>(
    originalIds.length === 0 ? [] : (await findImages(sql, originalIds)).map((image) => [image.id, image]),
  );
  return images.map((image) => ({
    image,
    job: jobs.find(({ subject }) => subject === String(image.id)),
    detections: detections.filter(({ image_id }) => image_id === image.id),
    original: image.same_content_as === null ? undefined : originals.get(image.same_content_as),
    note: notes.find(({ image_id }) => image_id === image.id),
  }));
}
