import type { Need } from "../../src/contract/access.ts";
import { notFound } from "../../src/contract/problem.ts";
import { noSuchCamera } from "../../src/monitoring/cameras/camera.ts";
import { findDetection } from "../../src/monitoring/detections/detections-repository.ts";
import { findEvents } from "../../src/monitoring/events/events-repository.ts";
import type { Database } from "../../src/platform/database/database.ts";

/** The parts of a decoded request that select cameras. */
interface Decoded {
  readonly params?: Readonly<Record<string, unknown>>;
  readonly query?: { readonly camera_id?: readonly string[] | undefined };
}

/**
 * Limits a decoded request to the cameras of a guest. Throws `Problem("not_found")`, as if it did not exist, for anything of another
 * camera.
 */
export async function limitToCameras(need: Need, decoded: unknown, cameraIds: readonly string[], db: Database): Promise<unknown> {
  const { params = {}, query } = decoded as Decoded;
  if (need.role !== "guest") throw new Error("a guest may not use this route");
  switch (need.cameras) {
    case "none":
    case "list":
      return decoded;
    case "query": {
      const wanted = query?.camera_id?.filter((id) => cameraIds.includes(id)) ?? cameraIds;
      return { ...(decoded as object), query: { ...query, camera_id: [...wanted] } };
    }
    case "camera": {
      const id = String(params["camera_id"]);
      if (!cameraIds.includes(id)) throw noSuchCamera(id, undefined);
      return decoded;
    }
    case "event": {
      const id = Number(params["event_id"]);
      const [event] = await db.query((sql) => findEvents(sql, [id]));
      if (!event || !cameraIds.includes(event.camera_id)) throw notFound("Event", id);
      return decoded;
    }
    case "detection": {
      const id = Number(params["detection_id"]);
      const detection = await db.query((sql) => findDetection(sql, id));
      if (!detection || !cameraIds.includes(detection.camera_id)) throw notFound("Detection", id);
      return decoded;
    }
    default:
      return need.cameras satisfies never;
  }
}
