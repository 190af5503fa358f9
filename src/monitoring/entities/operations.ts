import { z } from "zod";
import { notFound } from "../../contract/problem.ts";
import type { entityRoutes } from "../../contract/routes/entities.ts";
import { uuidOf } from "../../contract/values.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { countEntities, detectionsOfEntity, findEntity, listEntities, visitsOf } from "./entities-repository.ts";

const mostDetections = 50;

/** The use cases of entities. */
export const entityOperations: Pick<Operations, keyof typeof entityRoutes> = {
  listEntities: async ({ query }, { db }) => {
    const filter = { objectTypes: query.object_type, cameraIds: query.camera_id, from: query.start_date, to: query.end_date };
    return await readPage(db, query, {
      name: "entities",
      key: timeKey(z.uuid()),
      rows: (sql, slice) => listEntities(sql, { filter, ...slice }),
      count: (sql) => countEntities(sql, filter),
    });
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
