import { z } from "zod";
import { latestPast } from "../../base/clock/clock.ts";
import type { Bytes } from "../../contract/answer.ts";
import { Problem } from "../../contract/problem.ts";
import type { imageRoutes } from "../../contract/routes/images.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireCamera } from "../cameras/cameras-repository.ts";
import { resolveInside, rootsOf } from "../cameras/roots.ts";
import { newestPictures } from "../cameras/snapshots-repository.ts";
import { compareOnPicture } from "./compare.ts";
import { pictureGaps, requireShortRange } from "./gaps.ts";
import { countImages, listImages, requireImage } from "./ledger-repository.ts";
import { outgoingFile } from "./preview.ts";
import { snapshotPreview } from "./snapshot.ts";

/** If this many of a camera's newest pictures are deleted from disk, the search stops. */
const mostGonePictures = 1_000;

/** The use cases of the ledger and of a camera's newest picture. */
export const imageOperations: Pick<Operations, keyof typeof imageRoutes | "getCameraSnapshot"> = {
  listPictureGaps: async ({ query }, { db, config, clock }) => {
    const range = { from: query.start_date, to: query.end_date };
    requireShortRange(range);
    const settings = { now: clock.now(), offlineAfterSeconds: config.cameraOfflineAfterSeconds };
    return { cameras: await db.query((sql) => pictureGaps(sql, range, query.camera_id, settings)) };
  },

  listImages: async ({ query }, { db }) => {
    const filter = { cameraIds: query.camera_id, statuses: query.status, from: query.start_date, to: query.end_date };
    return await readPage(db, query, {
      name: "images",
      key: timeKey(z.int()),
      rows: (sql, slice) => listImages(sql, { filter, ...slice }),
      count: (sql) => countImages(sql, filter),
    });
  },

  getImage: async ({ params }, { db }) => await db.query((sql) => requireImage(sql, params.image_id)),

  compareDetectors: compareOnPicture,

  getCameraSnapshot: async ({ params, query }, context) => {
    const { db, config, clock } = context;
    const cameraId = params.camera_id;
    const roots = rootsOf(config);
    const until = latestPast(clock.now());
    let newest: string | undefined;
    // The newest picture nearly always exists; if not, the search goes on to older ones, and finally to pictures with a time in the future,
    // which a clock that was set back has left.
    for (const [limit, latest] of [[1, until], [mostGonePictures, until], [mostGonePictures]] as const) {
      const pictures = await db.query(async (sql) => {
        await requireCamera(sql, cameraId);
        return await newestPictures(sql, cameraId, limit, latest);
      });
      newest = pictures[0]?.path;
      for (const picture of pictures) {
        const resolved = await resolveInside(roots, picture.path);
        if (resolved.state !== "inside") continue;
        const { mediaType, privateParts } = picture;
        if (query.width === undefined) {
          if (privateParts.length === 0) return { mediaType, content: { file: resolved.path, isReal: true } } satisfies Bytes;
          const sent = await outgoingFile(resolved.path, mediaType, privateParts);
          if (sent) return { mediaType: sent.mediaType, content: { buffer: sent.bytes } } satisfies Bytes;
          continue;
        }
        const asked = { width: Number(query.width), asked: query.v };
        const preview = await snapshotPreview(context, { cameraId, picture, path: resolved.path }, asked);
        if (preview) return preview;
      }
    }
    throw new Problem(
      "not_found",
      newest === undefined
        ? `Camera ${cameraId} has no picture yet`
        : `The newest pictures of camera ${cameraId} are gone from the disk; the last one was ${newest}`,
    );
  },
};
