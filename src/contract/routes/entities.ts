import { z } from "zod";
import { listOf, pageQuery } from "../page.ts";
import { boxedPictureFields } from "../preview.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, ClassText, EndInstant, Instant, StartInstant } from "../values.ts";
import { Detection } from "./detections.ts";

const route = routesOf("entities");

const entityExample = {
  representative_detection_id: 90211,
  thumbnail_url: "/api/detections/90211/thumbnail",
  preview_url: "/api/detections/90211/preview?v=8c1d4b0e9f2a7365",
  blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY",
  preview_box: { x: 0.2146, y: 0.1111, width: 0.0854, height: 0.3722 },
};

/** A person or object that cameras recognise. The API never returns the vectors used for recognition. */
export const Entity = z
  .object({
    id: z.uuid().meta({ description: "Id of the entity", example: "9c1f7a34-5b20-4d6e-8e13-b7a90d42f6c8" }),
    object_type: z.string().meta({ description: "Class of the object", example: "person" }),
    first_seen_at: Instant.meta({ description: "Time of the first picture that shows it" }),
    last_seen_at: Instant.meta({ description: "Time of the last picture that shows it" }),
    detection_count: z.int().meta({ description: "Number of sightings, including deleted pictures", example: 1 }),
    camera_ids: z.array(z.string()).meta({ description: "Cameras that saw it, in order of id", example: ["front-door"] }),
    representative_detection_id: z.int().nullable().meta({ description: "Best detection; null when it was deleted" }),
    thumbnail_url: z.string().nullable().meta({ description: "URL path of its thumbnail; null when that detection was deleted" }),
    discovered_at: Instant.meta({ description: "Time it was first recognised" }),
    ...boxedPictureFields("of its best picture"),
  })
  .meta({ id: "Entity", description: "A person or object that cameras recognise", example: entityExample });

const Visit = z.object({
  camera_id: CameraIdText,
  first_seen_at: Instant.meta({ description: "Time of the first picture there" }),
  last_seen_at: Instant.meta({ description: "Time of the last picture there" }),
  detection_count: z.int().meta({ description: "Number of sightings at this camera" }),
});

/** An entity with its cameras and newest detections. */
export const EntityDetails = Entity.extend({
  cameras: z.array(Visit).meta({ description: "Cameras that saw it" }),
  detections: z.array(Detection).meta({ description: "Newest detections, 50 at most" }),
}).meta({
  id: "EntityDetails",
  description: "An entity with its cameras and newest detections",
  example: {
    ...entityExample,
    cameras: [
      { camera_id: "front-door", first_seen_at: "2026-01-31T22:15:00.120Z", last_seen_at: "2026-01-31T22:15:00.120Z", detection_count: 1 },
    ],
  },
});

export const entityRoutes = {
  listEntities: route.get("/api/entities", "List people and objects seen before, newest first", {
    query: z.object({
      object_type: z.array(ClassText).optional().meta({ description: "Only of these classes; may be given several times" }),
      camera_id: z.array(z.string()).optional().meta({ description: "Seen by one of these cameras" }),
      start_date: StartInstant.optional().meta({ description: "Last seen at this time or later" }),
      end_date: EndInstant.optional().meta({ description: "First seen at this time or before" }),
      ...pageQuery,
    }),
    reply: listOf(Entity),
  }),
  getEntity: route.get("/api/entities/{entity_id}", "Get an entity with its cameras and newest detections", {
    // Any text is accepted; an id that does not exist is 404 in any format
    params: z.object({ entity_id: z.string().meta({ description: "Entity id, a UUID" }) }),
    reply: EntityDetails,
    refusals: { 404: "No entity has this id" },
  }),
};
