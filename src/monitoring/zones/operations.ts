import { mostZones } from "../../contract/polygon.ts";
import { Problem } from "../../contract/problem.ts";
import type { zoneRoutes } from "../../contract/routes/zones.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockCamera, requireCamera } from "../cameras/cameras-repository.ts";
import { allZones, deleteZone, storeZone, zonesOf } from "./zones-repository.ts";

/** The use cases of the zones of cameras; masks are confirmed together with them. */
export const zoneOperations: Omit<Pick<Operations, keyof typeof zoneRoutes>, "confirmZones"> = {
  listAllZones: async (_request, { db }) => ({ zones: await db.query(allZones) }),

  listZones: async ({ params: { camera_id } }, { db }) =>
    await db.query(async (sql) => {
      await requireCamera(sql, camera_id);
      return { camera_id, zones: await zonesOf(sql, camera_id) };
    }),

  setZone: async ({ params: { camera_id: cameraId, name }, body: { points, private: isPrivate } }, { db, clock }) => {
    const now = clock.now();
    return await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      await lockCamera(sql, cameraId);
      const others = (await zonesOf(sql, cameraId)).filter((zone) => zone.name.toLowerCase() !== name.toLowerCase());
      if (others.length >= mostZones) {
        throw new Problem("conflict", `Camera ${cameraId} has ${others.length} zones already, which is the maximum; delete one first`);
      }
      return await storeZone(sql, cameraId, { name, points, isPrivate }, now);
    });
  },

  deleteZone: async ({ params: { camera_id: cameraId, name } }, { db }) => {
    await db.transaction(async (sql) => {
      await requireCamera(sql, cameraId);
      if (!(await deleteZone(sql, cameraId, name))) throw new Problem("not_found", `Camera ${cameraId} has no zone ${name}`);
    });
    return undefined;
  },
};
