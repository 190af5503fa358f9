import { z } from "zod";
import { objectTypes } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, Instant } from "../values.ts";

const route = routesOf("cameras");

const params = z.object({ camera_id: CameraIdText });
const noSuchCamera = "No camera has this id";

const ParkedObject = z
  .object({
    object_type: z.enum(objectTypes).meta({ description: "Class of the object in its last picture", example: "car" }),
    parked_since: Instant.meta({ description: "Time of the first picture of its stay", example: "2026-01-31T14:02:10.000Z" }),
    last_seen_at: Instant.meta({ description: "Time of the last picture that shows it", example: "2026-01-31T22:14:59.000Z" }),
    seen_count: z.int().meta({ description: "In how many of the last pictures it was found", example: 38 }),
    picture_count: z.int().meta({ description: "Number of the last pictures, at most 40", example: 40 }),
    box: z
      .object({
        x: z.number().meta({ description: "Left edge" }),
        y: z.number().meta({ description: "Top edge" }),
        width: z.number().meta({ description: "Width" }),
        height: z.number().meta({ description: "Height" }),
      })
      .meta({ description: "Its place in shares of the picture", example: { x: 0.35, y: 0.45, width: 0.3, height: 0.25 } }),
    detection_id: z.int().nullable().meta({ description: "Its newest detection; null before the first one", example: 90211 }),
  })
  .meta({ id: "ParkedObject", description: "An object that opens no event, because it is parked" });

export const CameraParking = z
  .object({
    camera_id: CameraIdText,
    enabled: z.boolean().meta({ description: "Whether parked objects are recognised at this camera", example: true }),
    parked: z.array(ParkedObject).meta({ description: "Parked objects, the one that came first at the beginning" }),
  })
  .meta({ id: "CameraParking", description: "The parked objects in front of a camera" });

export const parkingRoutes = {
  getCameraParking: route.get("/api/cameras/{camera_id}/parked", "List the objects that are parked in front of a camera", {
    params,
    reply: CameraParking,
    refusals: { 404: noSuchCamera },
  }),
  setCameraParking: route.put("/api/cameras/{camera_id}/parked", "Turn the recognition of parked objects on or off for a camera", {
    params,
    body: z.strictObject({
      enabled: z.boolean().meta({ description: "Whether to recognise parked objects; either value forgets what is parked now" }),
    }),
    reply: CameraParking,
    refusals: { 404: noSuchCamera },
    example: { body: { enabled: true }, reply: { enabled: true, parked: [] } },
  }),
};
