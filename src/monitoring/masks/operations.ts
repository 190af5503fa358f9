import { dayMs } from "../../base/clock/clock.ts";
import { notFound, Problem } from "../../contract/problem.ts";
import { maskDays, type maskRoutes, mostMasks } from "../../contract/routes/masks.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockCamera, requireCamera } from "../cameras/cameras-repository.ts";
import { confirmZones, zonesOf } from "../zones/zones-repository.ts";
import { confirmMasks, deleteMask, findSpot, insertMask, listMasks, type Spot, wouldHide } from "./masks-repository.ts";

const mostExamples = 6;

/** The use cases of ignoring a place, and of confirming masks and zones together. */
export const maskOperations: Pick<Operations, keyof typeof maskRoutes | "confirmZones"> = {
  listMasks: async ({ query }, { db }) => ({ masks: await db.query((sql) => listMasks(sql, query.camera_id)) }),

  tryMask: async ({ params }, { db, clock }) => {
    const since = new Date(clock.now().getTime() - maskDays * dayMs);
    return await db.query(async (sql) => {
      const spot = await requireSpot(sql, params.detection_id);
      const { detections, events, examples } = await wouldHide(sql, spot, { since, limit: mostExamples });
      return {
        ...{ camera_id: spot.cameraId, object_type: spot.objectType, box: spot.box, days: maskDays },
        ...{ detection_count: detections, event_count: events, examples: [...examples] },
      };
    });
  },

  createMask: async ({ params }, { db, clock }) =>
    await db.transaction(async (sql) => {
      const spot = await requireSpot(sql, params.detection_id);
      await requireCamera(sql, spot.cameraId);
      await lockCamera(sql, spot.cameraId);
      const known = await listMasks(sql, spot.cameraId);
      const same = known.find(({ detection_id }) => detection_id === spot.detectionId);
      if (same) return same;
      if (known.length >= mostMasks) {
        throw new Problem("conflict", `Camera ${spot.cameraId} has ${known.length} masks, which is the maximum; delete some first`);
      }
      return await insertMask(sql, spot, clock.now());
    }),

  confirmZones: async ({ params: { camera_id } }, { db, clock }) => {
    const now = clock.now();
    return await db.transaction(async (sql) => {
      await requireCamera(sql, camera_id);
      await confirmZones(sql, camera_id, now);
      await confirmMasks(sql, camera_id);
      return { camera_id, zones: await zonesOf(sql, camera_id) };
    });
  },

  deleteMask: async ({ params }, { db }) => {
    if (!(await db.query((sql) => deleteMask(sql, params.id)))) throw notFound("Mask", params.id);
    return undefined;
  },
};

/** Returns class and place of a detection. Throws `Problem` if there is no such detection, or its place is unknown. */
async function requireSpot(sql: Sql, detectionId: number): Promise<Spot> {
  const spot = await findSpot(sql, detectionId);
  if (!spot) throw notFound("Detection", detectionId);
  const { box } = spot;
  if (box) return { ...spot, box };
  throw new Problem(
    "conflict",
    `Detection ${detectionId} has no box, or the size of its picture is unknown; look at its picture on the event's page, then try again`,
  );
}
