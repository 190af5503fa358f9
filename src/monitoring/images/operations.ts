import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import type { imageRoutes } from "../../contract/routes/images.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { countImages, listImages } from "./ledger-repository.ts";
import { requireImage } from "./required.ts";

const listName = "images";
const Key = z.tuple([KeyInstant, z.int()]);

/** The use cases of the ledger. */
export const imageOperations: Pick<Operations, keyof typeof imageRoutes> = {
  listImages: async ({ query }, { db }) => {
    const { limit, cursor, offset } = query;
    const after = decodeCursor(cursor, listName, Key);
    const filter = { cameraIds: query.camera_id, statuses: query.status, from: query.start_date, to: query.end_date };
    const [rows, total] = await db.query((sql) =>
      Promise.all([listImages(sql, { filter, after, offset: offset ?? 0, limit: limit + 1 }), countImages(sql, filter)]),
    );
    const { items, ...page } = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
    return { items: items.map((row) => row.record), ...page };
  },

  getImage: async ({ params }, { db }) => await db.query((sql) => requireImage(sql, params.image_id)),
};
