import type { z } from "zod";
import type { Entity, entityRoutes } from "../routes/entities.ts";
import { cameraId } from "./cameras.ts";
import { person } from "./detections.ts";
import type { ExamplesOf } from "./example.ts";
import { entityId } from "./ids.ts";
import { listOf } from "./page.ts";

const entity = {
  id: entityId,
  object_type: "person",
  first_seen_at: person.detected_at,
  last_seen_at: person.detected_at,
  detection_count: 1,
  camera_ids: [cameraId],
  representative_detection_id: person.id,
  thumbnail_url: `/api/detections/${person.id}/thumbnail`,
  discovered_at: "2026-01-31T22:15:00.930Z",
} satisfies z.input<typeof Entity>;

const visit = { camera_id: cameraId, first_seen_at: entity.first_seen_at, last_seen_at: entity.last_seen_at, detection_count: 1 };

export const entityExamples = {
  listEntities: { reply: listOf(entity) },
  getEntity: { reply: { ...entity, cameras: [visit], detections: [person] } },
} satisfies ExamplesOf<typeof entityRoutes>;
