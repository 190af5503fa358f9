import { notFound, Problem } from "../../contract/problem.ts";
import type { Sql } from "../../platform/database/database.ts";
import { type Camera, howToRestore } from "./camera.ts";
import { findCamera } from "./cameras-repository.ts";

/** A camera that is not deleted. Throws `Problem("not_found")` naming its id. */
export async function requireCamera(sql: Sql, cameraId: string): Promise<Camera> {
  const camera = await findCamera(sql, cameraId);
  if (!camera || camera.deleted_at) throw noSuchCamera(cameraId, camera);
  return camera;
}

/** The refusal of an id that names no camera, or a deleted one. */
export function noSuchCamera(cameraId: string, deleted: Camera | undefined): Problem {
  return deleted ? new Problem("not_found", `Camera ${cameraId} is deleted; ${howToRestore(cameraId)}`) : notFound("Camera", cameraId);
}
