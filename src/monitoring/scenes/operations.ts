import { z } from "zod";
import { decodeCursor, KeyInstant, makePage } from "../../contract/cursor.ts";
import { Problem } from "../../contract/problem.ts";
import type { sceneRoutes } from "../../contract/routes/scenes.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireCamera } from "../cameras/required.ts";
import { endIncidents } from "../incidents/incidents.ts";
import { openIncidents } from "../incidents/incidents-repository.ts";
import { acknowledge, countSceneChanges, listSceneChanges } from "./scene-changes-repository.ts";
import { adoptView } from "./views-repository.ts";

const listName = "scene-changes";
const Key = z.tuple([KeyInstant, z.int()]);

/** The use cases of scene changes. */
export const sceneOperations: Pick<Operations, keyof typeof sceneRoutes> = {
  listSceneChanges: async ({ params: { camera_id: cameraId }, query: { acknowledged, limit, cursor } }, { db }) => {
    const after = decodeCursor(cursor, listName, Key);
    const [rows, total] = await db.query(async (sql) => {
      await requireCamera(sql, cameraId);
      return await Promise.all([
        listSceneChanges(sql, cameraId, { acknowledged, after, limit: limit + 1 }),
        countSceneChanges(sql, cameraId, acknowledged),
      ]);
    });
    const { items, pagination } = makePage({ listName, rows, limit, after, total, key: (row) => row.key });
    return {
      camera_id: cameraId,
      scene_changes: items.map((row) => row.record),
      total_changes: total,
      next_cursor: pagination.next_cursor,
      has_more: pagination.has_more,
    };
  },

  acknowledgeSceneChange: async ({ params: { camera_id: cameraId, id } }, { db, clock }) => {
    const acknowledgedAt = await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      const now = clock.now();
      const acknowledged = await acknowledge(sql, cameraId, id, now);
      // If the view is back to normal, it is not replaced by one that has ended.
      const lasts = (await openIncidents(sql, ["view"], cameraId)).length > 0;
      if (acknowledged && lasts && (await adoptView(sql, cameraId, id, now))) await endIncidents(sql, cameraId, ["view"], now);
      return acknowledged;
    });
    if (!acknowledgedAt) throw new Problem("not_found", `Camera ${cameraId} has no scene change ${id}`);
    return { id, acknowledged: true, acknowledged_at: acknowledgedAt };
  },
};
