import { z } from "zod";
import type { imageRoutes } from "../../contract/routes/images.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { countImages, listImages, requireImage } from "./ledger-repository.ts";

/** The use cases of the ledger. */
export const imageOperations: Pick<Operations, keyof typeof imageRoutes> = {
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
};
