import type { Request } from "../../contract/route.ts";
import type { detectionRoutes } from "../../contract/routes/detections.ts";
import type { DetectionFilter } from "./detections-repository.ts";

/** Returns the filter of a list or search query. */
export function filterOf(query: Omit<Request<(typeof detectionRoutes)["listDetections"]>["query"], "limit">): DetectionFilter {
  return {
    cameraIds: query.camera_id,
    objectTypes: query.object_type,
    from: query.start_date,
    to: query.end_date,
    minConfidence: query.min_confidence,
    eventId: query.event_id,
  };
}
