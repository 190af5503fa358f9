import { notFound, Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type Camera, howToRestore } from "./camera.ts";
import { findCamera } from "./cameras-repository.ts";

/** Returns a camera that is not deleted. Throws `Problem("not_found")` naming its id. */
export async function requireCamera(sql: Sql, cameraId: string): Promise<Camera> {
  const camera = await findCamera(sql, cameraId);
  if (!camera || camera.deleted_at) throw noSuchCamera(cameraId, camera);
  return camera;
}

/** Returns the problem for an unknown or deleted camera. */
export function noSuchCamera(cameraId: string, deleted: Camera | undefined): Problem {
  return deleted ? new Problem("not_found", `Camera ${cameraId} is deleted; ${howToRestore(cameraId)}`) : notFound("Camera", cameraId);
}
