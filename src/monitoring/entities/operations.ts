import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import { notFound } from "../../contract/problem.ts";
import type { entityRoutes } from "../../contract/routes/entities.ts";
import { uuidOf } from "../../contract/values.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { countEntities, detectionsOfEntity, findEntity, listEntities, visitsOf } from "./entities-repository.ts";

const listName = "entities";
const Key = z.tuple([KeyInstant, z.uuid()]);
const mostDetections = 50;

/** The use cases of entities. */
export const entityOperations: Pick<Operations, keyof typeof entityRoutes> = {
  listEntities: async ({ query }, { db }) => {
    const { limit, cursor, offset } = query;
    const after = decodeCursor(cursor, listName, Key);
    const filter = { objectTypes: query.object_type, cameraIds: query.camera_id, from: query.start_date, to: query.end_date };
    const [rows, total] = await db.query((sql) =>
      Promise.all([listEntities(sql, { filter, after, offset: offset ?? 0, limit: limit + 1 }), countEntities(sql, filter)]),
    );
    const { items, ...page } = makePage({ listName, rows, limit, offset, after, total, key: (row) => row.key });
    return { items: items.map((row) => row.record), ...page };
  },

  getEntity: async ({ params }, { db }) => {
    const id = uuidOf(params.entity_id);
    const found = id
      ? await db.query((sql) => Promise.all([findEntity(sql, id), visitsOf(sql, id), detectionsOfEntity(sql, id, mostDetections)]))
      : undefined;
    const [entity, cameras, detections] = found ?? [];
    if (!entity) throw notFound("Entity", params.entity_id);
    return { ...entity, cameras: [...(cameras ?? [])], detections: [...(detections ?? [])] };
  },
};
