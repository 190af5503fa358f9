import type { z } from "zod";
import type { CameraParking, parkingRoutes } from "../../contract/routes/parking.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { Operations } from "../../work/operations/operation.ts";
import { lockBatchesOf } from "../batches/batches-repository.ts";
import { requireCamera } from "../cameras/cameras-repository.ts";
import { parkingOf, setParking } from "./parked-repository.ts";
import { countsOf, isParked } from "./place.ts";

/** The use cases of parked objects. */
export const parkingOperations: Pick<Operations, keyof typeof parkingRoutes> = {
  getCameraParking: async ({ params }, { db }) => await db.query((sql) => readParking(sql, params.camera_id)),

  setCameraParking: async ({ params, body }, { db }) =>
    await db.transaction(async (sql) => {
      const { camera_id } = await requireCamera(sql, params.camera_id);
      await lockBatchesOf(sql, [camera_id]);
      await setParking(sql, camera_id, body.enabled);
      return await readParking(sql, camera_id);
    }),
};

async function readParking(sql: Sql, cameraId: string): Promise<z.output<typeof CameraParking>> {
  const [{ camera_id }, { enabled, memory }] = await Promise.all([requireCamera(sql, cameraId), parkingOf(sql, cameraId)]);
  const parked = memory.places
    .filter(isParked)
    .toSorted((a, b) => a.since - b.since || a.id - b.id)
    .map((place) => {
      const { seen, pictures } = countsOf(place);
      return {
        object_type: place.objectType,
        parked_since: new Date(place.since),
        last_seen_at: new Date(place.lastSeenAt),
        seen_count: seen,
        picture_count: pictures,
        box: place.box,
        detection_id: place.detectionId,
      };
    });
  return { camera_id, enabled, parked: enabled ? parked : [] };
}
