import { z } from "zod";
import { BulkReply, bulkItems } from "../bulk.ts";
import { objectTypes, ranges } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { boxedPictureFields, VersionText } from "../preview.ts";
import { routesOf } from "../route.ts";
import {
  BoolText,
  CameraIdText,
  ClassText,
  EndInstant,
  EnumText,
  FloatText,
  IdText,
  Instant,
  IntText,
  NumberBetween,
  readOnly,
  StartInstant,
  StorableInstant,
} from "../values.ts";
import { zonesField } from "./zones.ts";

const route = routesOf("detections");

const detectionExample = {
  file_path: "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg",
  detected_at: "2026-01-31T22:15:00.120Z",
  captured_at: "2026-01-31T22:14:59.000Z",
  thumbnail_path: "thumbnails/000/090/90211-3f9c1e07ab42d586.jpg",
  preview_url: "/api/detections/90211/preview?v=8c1d4b0e9f2a7365",
  blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY",
  preview_box: { x: 0.2146, y: 0.1111, width: 0.0854, height: 0.3722 },
  batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3",
  enrichment: { attributes: { upper_color: "blue", lower_color: "black", size: "medium" }, has_embedding: true },
};

export const Detection = z
  .object({
    id: z.int().meta({ description: "Id of the detection", example: 90211 }),
    camera_id: CameraIdText,
    file_path: z.string().meta({ description: "Path of the picture on the daemon's disk" }),
    file_type: z.string().nullable().meta({ description: "MIME type of the picture", example: "image/jpeg" }),
    detected_at: Instant.meta({
      description:
        "Time of the picture: its arrival, or the file time when a scan found it. For a video, the time of the frame, counted back from the last analysed frame",
    }),
    object_type: z.string().meta({ description: "Class of the object", example: "person" }),
    confidence: z.number().meta({ description: "Confidence, 0 to 1", example: 0.89 }),
    bbox_x: z.int().nullable().meta({ description: "Left edge of the box, in pixels of the picture; null without a box", example: 412 }),
    bbox_y: z.int().nullable().meta({ description: "Top edge of the box, in pixels of the picture; null without a box", example: 120 }),
    bbox_width: z.int().nullable().meta({ description: "Width of the box in pixels; null without a box", example: 164 }),
    bbox_height: z.int().nullable().meta({ description: "Height of the box in pixels; null without a box", example: 402 }),
    thumbnail_path: z.string().nullable().meta({ description: "Path of the thumbnail in the data folder; null until its first request" }),
    event_id: z.int().nullable().meta({ description: "Event of the detection; null while its batch is open", example: 1207 }),
    batch_id: z.string().nullable().meta({ description: "Batch of the detection; null without one" }),
    enrichment: z
      .looseObject({
        attributes: z.record(z.string(), z.unknown()).optional().meta({ description: "Attributes by name" }),
        has_embedding: z
          .boolean()
          .meta({ description: "Whether an embedding is stored for re-identification; the vector is never returned" }),
      })
      .nullable()
      .meta({ description: "Results of the enrichment services; null until they ran" }),
    created_at: Instant.meta({ description: "Time it was stored", example: "2026-01-31T22:15:00.512Z" }),
    ...boxedPictureFields("of its picture"),
    parked_since: Instant.nullable().meta({
      description: "Since when the object is parked at this place, so that it opens no event; null unless parked",
      example: null,
    }),
    zones: zonesField("it is in by the middle of the lower edge of its box"),
    mask_id: z
      .int()
      .nullable()
      .optional()
      .meta({ description: "Mask that hides it, so that it is in no event; null unless hidden", example: null }),
    captured_at: Instant.nullable().meta({
      description: "Time of the file by the camera's clock, from EXIF or its name, however wrong that clock is; null if it states none",
    }),
  })
  .meta({ id: "Detection", description: "An object that the detector found in a picture", example: detectionExample });

/** A search result. */
const FoundDetection = Detection.extend({
  relevance_score: z.number().meta({
    description: "Relevance, 0 to 1: a matching class counts more than a camera name, and that more than text from enrichment",
  }),
}).meta({ id: "FoundDetection", description: "A search result", example: { ...detectionExample, relevance_score: 0.9 } });

/** Status of an enrichment service; null when homesec did not call it. */
const EnrichmentOutcome = z
  .enum(["completed", "failed", "skipped"])
  .nullable()
  .meta({ description: "Outcome; null when the service was not called" });

/** Results of the enrichment services for a detection. Empty until they have answered. */
export const Enrichment = z
  .object({
    detection_id: z.int().meta({ description: "Id of the detection", example: 90211 }),
    enriched_at: Instant.nullable().meta({ description: "Time the services ran; null until then" }),
    attributes: z.record(z.string(), z.unknown()).meta({ description: "Attributes by name, such as colours, size and position" }),
    ocr: z
      .array(
        z.object({
          text: z.string().meta({ description: "Recognised text" }),
          confidence: z.number().meta({ description: "Confidence, 0 to 1" }),
        }),
      )
      .meta({ description: "Text in the picture" }),
    caption: z.string().nullable().meta({ description: "Caption of the picture; null when no service creates one" }),
    entity_id: z.string().nullable().meta({ description: "Entity it was recognised as" }),
    has_embedding: z.boolean().meta({ description: "Whether an embedding is stored for re-identification; the vector is never returned" }),
    services: z
      .object({ vision: EnrichmentOutcome, embedder: EnrichmentOutcome, enrichment: EnrichmentOutcome })
      .meta({ description: "Outcome per service" }),
    errors: z.array(z.string()).meta({ description: "Errors per service" }),
  })
  .meta({
    id: "Enrichment",
    description: "Enrichment of a detection",
    example: {
      enriched_at: "2026-01-31T22:15:00.930Z",
      attributes: { upper_color: "blue", lower_color: "black", size: "medium" },
      ocr: [{ text: "PARCEL", confidence: 0.82 }],
      caption: "A person in a blue jacket carries a parcel to the door.",
      entity_id: "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8",
      has_embedding: true,
      services: { vision: "completed", embedder: "completed", enrichment: "completed" },
    },
  });

const params = z.object({ detection_id: IdText });
const noSuchDetection = "No detection has this id";
const notFromVideo = "The detection is not from a video";

/** Filters of a list of detections. */
const filters = {
  camera_id: z.array(z.string()).optional().meta({ description: "Only of these cameras; may be given several times" }),
  object_type: z.array(ClassText).optional().meta({ description: "Only of these classes; may be given several times" }),
  start_date: StartInstant.optional(),
  end_date: EndInstant.optional(),
  min_confidence: FloatText(...ranges.confidence)
    .optional()
    .meta({ description: "Minimum confidence, 0 to 1" }),
  event_id: IntText(...ranges.id)
    .optional()
    .meta({ description: "Only of this event" }),
  hidden: BoolText.optional().meta({ description: "Only those that masks hide, or only the others" }),
};

/** Media types that the detector accepts. */
const pictureTypes = ["image/jpeg", "image/png", "image/webp"] as const;
export const videoTypes = [
  ...(["video/mp4", "video/quicktime", "video/x-matroska", "video/webm", "video/x-msvideo", "video/x-flv", "video/x-dav"] as const),
  ...(["video/mpeg", "video/mp2t", "video/h264", "video/h265"] as const),
] as const;

const ObjectType = EnumText(objectTypes).meta({ description: "Class of the object" });
const Confidence = NumberBetween(...ranges.confidence).meta({ description: "Confidence, 0 to 1" });
const Pixels = (what: string) =>
  z
    .int()
    .min(0)
    .max(1_000_000)
    .nullable()
    .optional()
    .meta({ description: `${what} of the box, in pixels; all four or none` });

/** An item of a bulk create. */
export const NewDetectionItem = z
  .strictObject({
    camera_id: z.string().min(1).meta({ description: "Id of a camera that is not deleted" }),
    file_path: z.string().min(1).max(4096).meta({ description: "Path of the picture on the daemon's disk" }),
    file_type: EnumText([...pictureTypes, ...videoTypes])
      .nullable()
      .optional()
      .meta({ description: "MIME type of the picture" }),
    detected_at: StorableInstant.meta({ description: "Time of the picture" }),
    object_type: ObjectType,
    confidence: Confidence,
    bbox_x: Pixels("Left edge"),
    bbox_y: Pixels("Top edge"),
    bbox_width: Pixels("Width"),
    bbox_height: Pixels("Height"),
    event_id: z.int().nullable().optional().meta({ description: "Event of the same camera that contains it" }),
    ...readOnly(
      Detection.pick({
        id: true,
        captured_at: true,
        thumbnail_path: true,
        preview_url: true,
        blur_hash: true,
        preview_box: true,
        zones: true,
        mask_id: true,
        batch_id: true,
        enrichment: true,
        created_at: true,
        parked_since: true,
      }),
      [],
    ),
  })
  .refine(
    ({ bbox_x, bbox_y, bbox_width, bbox_height }) =>
      new Set([bbox_x, bbox_y, bbox_width, bbox_height].map((side) => (side ?? null) === null)).size === 1,
    "bbox_x, bbox_y, bbox_width and bbox_height must be given together",
  );

/** An item of a bulk update. */
export const DetectionChangeItem = z.strictObject({
  id: z.int().meta({ description: "Id of the detection to correct" }),
  object_type: ObjectType.optional(),
  confidence: Confidence.optional(),
  ...readOnly(Detection, ["id", "object_type", "confidence"]),
});

export const detectionRoutes = {
  listDetections: route.get("/api/detections", "List detections, newest first", {
    query: z.object({ ...filters, ...pageQuery }),
    reply: listOf(Detection),
  }),
  searchDetections: route.get(
    "/api/detections/search",
    "Search detections by class, camera name, attributes, text in the picture and caption; most relevant first, then newest",
    {
      query: z.object({
        q: z
          .string()
          .min(1)
          .max(500)
          .meta({ description: 'Words that must all occur, `"words side by side"`, `this OR that`, `-without` or `NOT without`' }),
        ...filters,
        ...pageQuery,
      }),
      reply: listOf(FoundDetection),
      tier: "search",
    },
  ),
  getDetection: route.get("/api/detections/{detection_id}", "Get a detection", {
    params,
    reply: Detection,
    refusals: { 404: noSuchDetection },
  }),
  getDetectionImage: route.get("/api/detections/{detection_id}/image", "Get the original picture of a detection", {
    params,
    query: z.object({
      boxes: BoolText.optional().meta({
        description:
          "`true`: a JPEG for messages instead, with the boxes of all detections of the picture, at most 960 pixels wide or high",
      }),
    }),
    reply: { mediaTypes: ["image/jpeg", "image/png", "image/webp"] },
    refusals: { 404: "No detection has this id, or its picture was deleted" },
    tier: "media",
    auth: "media",
  }),
  getDetectionThumbnail: route.get("/api/detections/{detection_id}/thumbnail", "Get a 320x240 JPEG of the picture with box and label", {
    params,
    reply: { mediaTypes: ["image/jpeg"] },
    refusals: { 404: "No detection has this id, or its picture was deleted" },
    tier: "media",
    auth: "media",
  }),
  getDetectionPreview: route.get(
    "/api/detections/{detection_id}/preview",
    "Get a WebP of the picture without box and label, at most 320 pixels wide",
    {
      params,
      query: z.object({ v: VersionText.optional() }),
      reply: { mediaTypes: ["image/webp"] },
      refusals: { 404: "No detection has this id, or its picture was deleted" },
      tier: "media",
      auth: "media",
    },
  ),
  getDetectionEnrichment: route.get("/api/detections/{detection_id}/enrichment", "Get the enrichment of a detection", {
    params,
    reply: Enrichment,
    refusals: { 404: noSuchDetection },
  }),
  getDetectionVideo: route.get("/api/detections/{detection_id}/video", "Get the video of a detection, whole or in parts", {
    params,
    reply: { mediaTypes: videoTypes, ranges: true },
    refusals: { 400: notFromVideo, 404: "No detection has this id, or its video was deleted" },
    tier: "media",
    auth: "media",
  }),
  getDetectionVideoThumbnail: route.get(
    "/api/detections/{detection_id}/video/thumbnail",
    "Get a 320x240 JPEG of the video at the time of the detection, with box and label",
    {
      params,
      reply: { mediaTypes: ["image/jpeg"] },
      refusals: { 400: notFromVideo, 404: "No detection has this id, or its video was deleted" },
      tier: "media",
    },
  ),
};

/** The reply when the second of two detections does not exist. */
const halfDone = {
  results: [
    { index: 0, status: "success", id: 90212, error: null },
    { index: 1, status: "failed", id: 4711, error: "Detection 4711 does not exist" },
  ],
};

export const detectionBulkRoutes = {
  createDetections: route.post("/api/detections/bulk", "Create detections", {
    body: z.strictObject({ detections: bulkItems(NewDetectionItem, "Detections to store") }),
    status: 207,
    reply: BulkReply,
    tier: "bulk",
    example: {
      body: {
        detections: [
          {
            camera_id: "front-door",
            file_path: "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg",
            detected_at: "2026-01-31T22:15:00.120Z",
            object_type: "person",
            confidence: 0.89,
          },
          {
            camera_id: "garden",
            file_path: "/var/lib/homesec/cameras/front-door/2026-01-31_22-15-00.jpg",
            detected_at: "2026-01-31T22:15:00.120Z",
            object_type: "person",
            confidence: 0.89,
          },
        ],
      },
    },
  }),
  updateDetections: route.patch("/api/detections/bulk", "Correct class or confidence of detections", {
    body: z.strictObject({ detections: bulkItems(DetectionChangeItem, "Corrections of detections") }),
    status: 207,
    reply: BulkReply,
    tier: "bulk",
    example: {
      body: {
        detections: [
          { id: 90212, object_type: "cat" },
          { id: 4711, confidence: 0.6 },
        ],
      },
      reply: halfDone,
    },
  }),
  deleteDetections: route.delete("/api/detections/bulk", "Delete detections with their thumbnails; the original pictures stay", {
    body: z.strictObject({ detection_ids: bulkItems(z.int(), "Ids of detections") }),
    status: 207,
    reply: BulkReply,
    tier: "bulk",
    example: {
      body: { detection_ids: [90212, 4711] },
      reply: halfDone,
    },
  }),
};
