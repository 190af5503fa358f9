import type { z } from "zod";
import type {
  Detection,
  DetectionChangeItem,
  detectionBulkRoutes,
  detectionRoutes,
  Enrichment,
  NewDetectionItem,
} from "../routes/detections.ts";
import { cameraId } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { batchId, entityId, eventId, picturePath } from "./ids.ts";
import { halfDone, listOf } from "./page.ts";

const attributes = {
  colors: ["blue", "black"],
  upper_color: "blue",
  lower_color: "black",
  brightness: "dim",
  size: "medium",
  position: "center",
};

/** Somebody comes to the door. */
export const person = {
  id: 90_211,
  camera_id: cameraId,
  file_path: picturePath,
  file_type: "image/jpeg",
  detected_at: "2026-01-31T22:15:00.120Z",
  object_type: "person",
  confidence: 0.89,
  bbox_x: 412,
  bbox_y: 120,
  bbox_width: 164,
  bbox_height: 402,
  thumbnail_path: "thumbnails/000/090/90211-3f9c1e07ab42d586.jpg",
  event_id: eventId,
  batch_id: batchId,
  enrichment: { attributes, has_embedding: true },
  created_at: "2026-01-31T22:15:00.512Z",
} satisfies z.input<typeof Detection>;

/** A dog comes along. */
export const dog = {
  ...person,
  id: 90_212,
  file_path: picturePath.replace("22-15-00", "22-15-40"),
  detected_at: "2026-01-31T22:15:40.370Z",
  object_type: "dog",
  confidence: 0.74,
  bbox_x: 230,
  bbox_y: 430,
  bbox_width: 148,
  bbox_height: 120,
  thumbnail_path: null,
  enrichment: null,
  created_at: "2026-01-31T22:15:40.744Z",
} satisfies z.input<typeof Detection>;

const enrichment = {
  detection_id: person.id,
  enriched_at: "2026-01-31T22:15:00.930Z",
  attributes,
  ocr: [{ text: "PARCEL", confidence: 0.82 }],
  caption: "A person in a blue jacket carries a parcel to the door.",
  entity_id: entityId,
  has_embedding: true,
  services: { vision: "completed", embedder: "completed", enrichment: "completed" },
  errors: [],
} satisfies z.input<typeof Enrichment>;

const newDetection = {
  camera_id: cameraId,
  file_path: picturePath,
  file_type: "image/jpeg",
  detected_at: person.detected_at,
  object_type: "person",
  confidence: 0.89,
  bbox_x: 412,
  bbox_y: 120,
  bbox_width: 164,
  bbox_height: 402,
} satisfies z.input<typeof NewDetectionItem>;

export const detectionExamples = {
  listDetections: { reply: listOf(dog, person) },
  searchDetections: { reply: listOf({ ...person, relevance_score: 0.9 }) },
  getDetection: { reply: person },
  getDetectionEnrichment: { reply: enrichment },
  createDetections: {
    body: { detections: [newDetection, { ...newDetection, camera_id: "garden" }] satisfies z.input<typeof NewDetectionItem>[] },
    reply: halfDone(person.id, { id: null, error: "Camera garden does not exist" }),
  },
  updateDetections: {
    body: {
      detections: [
        { id: dog.id, object_type: "cat" },
        { id: 4_711, confidence: 0.6 },
      ] satisfies z.input<typeof DetectionChangeItem>[],
    },
    reply: halfDone(dog.id, { id: 4_711, error: "Detection 4711 does not exist" }),
  },
  deleteDetections: {
    body: { detection_ids: [dog.id, 4_711] },
    reply: halfDone(dog.id, { id: 4_711, error: "Detection 4711 does not exist" }),
  },
} satisfies ExamplesOf<typeof detectionRoutes & typeof detectionBulkRoutes>;
