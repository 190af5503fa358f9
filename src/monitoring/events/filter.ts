import type { Request } from "../../contract/route.ts";
import type { Routes } from "../../contract/routes/index.ts";
import type { EventFilter } from "./events-repository.ts";

/** Returns the filter of a list, search or export query. */
export function filterOf(query: Omit<Request<Routes["listEvents"]>["query"], "limit" | "cursor" | "offset">): EventFilter {
  return {
    cameraIds: query.camera_id,
    riskLevels: query.risk_level,
    objectTypes: query.object_type,
    from: query.start_date,
    to: query.end_date,
    createdSince: query.created_since,
    reviewed: query.reviewed,
    minRiskScore: query.min_risk_score,
    kind: query.kind === "all" ? undefined : (query.kind ?? "event"),
  };
}
