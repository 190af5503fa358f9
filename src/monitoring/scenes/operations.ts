import { z } from "zod";
import { Problem } from "../../contract/problem.ts";
import type { sceneRoutes } from "../../contract/routes/scenes.ts";
import { readPage, timeKey } from "../../platform/database/keyset.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { requireCamera } from "../cameras/cameras-repository.ts";
import { endIncidents } from "../incidents/incidents.ts";
import { openIncidents } from "../incidents/incidents-repository.ts";
import { acknowledge, countSceneChanges, listSceneChanges } from "./scene-changes-repository.ts";
import { adoptView } from "./views-repository.ts";

/** The use cases of scene changes. */
export const sceneOperations: Pick<Operations, keyof typeof sceneRoutes> = {
  listSceneChanges: async ({ params: { camera_id: cameraId }, query }, { db }) => {
    const { acknowledged } = query;
    const { items, pagination } = await readPage(db, query, {
      name: "scene-changes",
      key: timeKey(z.int()),
      rows: async (sql, slice) => {
        await requireCamera(sql, cameraId);
        return await listSceneChanges(sql, cameraId, { acknowledged, ...slice });
      },
      count: (sql) => countSceneChanges(sql, cameraId, acknowledged),
    });
    const { total, next_cursor, has_more } = pagination;
    return { camera_id: cameraId, scene_changes: items, total_changes: total, next_cursor, has_more };
  },

  acknowledgeSceneChange: async ({ params: { camera_id: cameraId, id } }, { db, clock }) => {
    const acknowledgedAt = await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      const now = clock.now();
      const acknowledged = await acknowledge(sql, cameraId, id, now);
      // If the incident is over, the view is back to normal, and the reported one must not become the reference.
      const lasts = (await openIncidents(sql, ["view"], cameraId)).length > 0;
      if (acknowledged && lasts && (await adoptView(sql, cameraId, id, now))) await endIncidents(sql, cameraId, ["view"], now);
      return acknowledged;
    });
    if (!acknowledgedAt) throw new Problem("not_found", `Camera ${cameraId} has no scene change ${id}`);
    return { id, acknowledged: true, acknowledged_at: acknowledgedAt };
  },
};
