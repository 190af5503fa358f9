import { z } from "zod";
import type { Bytes } from "../../contract/answer.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import type { detectionRoutes } from "../../contract/routes/detections.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { OperationContext, Operations } from "../../work/operations/operation.ts";
import { rootsOf } from "../cameras/roots.ts";
import type { DetectionSource } from "./detection.ts";
import {
  countDetections,
  detectionsBeside,
  filterOf,
  findDetection,
  findSource,
  listDetections,
  noteThumbnail,
} from "./detections-repository.ts";
import { getDetectionEnrichment } from "./enrichment.ts";
import { markedPicture } from "./marked.ts";
import { pictureOf, requireVideo, videoOf } from "./picture.ts";
import { storedPreview } from "./preview.ts";
import { searchDetections } from "./search.ts";
import { thumbnailOf } from "./thumbnail.ts";

/** The use cases of detections. */
export const detectionOperations: Pick<Operations, keyof typeof detectionRoutes> = {
  listDetections: async ({ query }, { db }) => {
    const filter = filterOf(query);
    return await readPage(db, query, {
      name: "detections",
      key: timeKey(z.int()),
      rows: (sql, slice) => listDetections(sql, { filter, ...slice }),
      count: (sql) => countDetections(sql, filter),
    });
  },

  getDetection: async ({ params }, { db }) => {
    const detection = await db.query((sql) => findDetection(sql, params.detection_id));
    if (!detection) throw notFound("Detection", params.detection_id);
    return detection;
  },

  getDetectionImage: async ({ params, query }, context) => {
    const source = await findExistingSource(context, params.detection_id);
    const roots = rootsOf(context.config);
    if (query.boxes !== true) return await pictureOf(source, roots, context.caller?.gone);
    const seen = await context.db.query((sql) => detectionsBeside(sql, source.id));
    const buffer = await markedPicture(source, seen.length > 0 ? seen : [source], roots, context.caller?.gone).catch((error: unknown) => {
      if (error instanceof Problem || context.caller?.gone.aborted) throw error;
      throw new Problem("not_found", `The picture of detection ${source.id} cannot be decoded, so no boxes can be drawn`, { cause: error });
    });
    return { mediaType: "image/jpeg", content: { buffer } };
  },

  getDetectionThumbnail: async ({ params }, context) =>
    await storedThumbnail(context, await findExistingSource(context, params.detection_id)),

  getDetectionPreview: async ({ params, query }, context) => {
    const source = await findExistingSource(context, params.detection_id);
    const preview = await storedPreview(context, source);
    return query.v === source.previewVersion ? { ...preview, isImmutable: true } : preview;
  },

  getDetectionVideo: async ({ params }, context) =>
    await videoOf(await findExistingSource(context, params.detection_id), rootsOf(context.config)),

  getDetectionVideoThumbnail: async ({ params }, context) => {
    const source = await findExistingSource(context, params.detection_id);
    requireVideo(source);
    return await storedThumbnail(context, source);
  },

  searchDetections,
  getDetectionEnrichment,
};

/** Returns the stored thumbnail of a detection, and draws it at the first request. */
export async function storedThumbnail(
  { config, db, log }: Pick<OperationContext, "config" | "db" | "log">,
  source: DetectionSource,
): Promise<Bytes> {
  const note = (path: string): Promise<boolean> => db.query((sql) => noteThumbnail(sql, source, path));
  return await thumbnailOf(source, { dataDir: config.dataDir, roots: rootsOf(config), log, note });
}

async function findExistingSource({ db }: OperationContext, id: number): Promise<DetectionSource> {
  const source = await db.query((sql) => findSource(sql, id));
  if (!source) throw notFound("Detection", id);
  return source;
}
