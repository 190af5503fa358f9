import { z } from "zod";
import { mostCorners, mostZones, polygonFault } from "../polygon.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, Instant } from "../values.ts";

const route = routesOf("cameras");

/** The name of a zone: no commas, since lists of names on the command line are separated by them. */
export const ZoneName = z
  .string()
  .regex(
    /^[\p{L}\p{N}](?:[\p{L}\p{N} _-]{0,38}[\p{L}\p{N}])?$/u,
    "Must have 1 to 40 letters, digits, spaces, hyphens or underscores, and begin and end with a letter or digit",
  )
  .meta({ description: "Name of the zone, in any case", example: "driveway" });

const Corner = z.object({
  x: z.number().meta({ description: "Distance from the left edge, as a share of the width", example: 0.1 }),
  y: z.number().meta({ description: "Distance from the top edge, as a share of the height", example: 0.4 }),
});

const cornersExample = [
  { x: 0.1, y: 0.4 },
  { x: 0.5, y: 0.4 },
  { x: 0.6, y: 1 },
  { x: 0, y: 1 },
];

/** The zones of a record. Optional, because messages and replies of older versions do not have them. */
export const zonesField = (which: string) =>
  z
    .array(z.string())
    .optional()
    .meta({ description: `Names of the zones that ${which}, as the zones are now`, example: ["driveway"] });

/** A named area of a camera's picture. */
export const Zone = z
  .object({
    camera_id: CameraIdText,
    name: z.string().meta({ description: "Name of the zone", example: "driveway" }),
    points: z.array(Corner).meta({ description: "Corners in their order around the zone", example: cornersExample }),
    private: z.boolean().meta({ description: "Whether homesec blacks it out in every picture that it sends or serves", example: false }),
    doubtful_since: Instant.nullable().meta({
      description: "Since when the zone may lie elsewhere, because the camera was moved; null if it is certain",
      example: null,
    }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change" }),
  })
  .meta({ id: "Zone", description: "A named area of a camera's picture" });

const Points = z
  .array(z.strictObject(Corner.shape))
  .superRefine((points, context) => {
    const fault = polygonFault(points);
    if (fault !== undefined) context.addIssue({ code: "custom", message: fault });
  })
  .meta({ description: `3 to ${mostCorners} corners in their order around the zone, in shares of the picture; edges must not cross` });

const camera = z.object({ camera_id: CameraIdText });
const zone = z.object({ camera_id: CameraIdText, name: ZoneName });
const noSuchCamera = "No camera has this id";

const ZoneList = z.object({
  camera_id: CameraIdText,
  zones: z.array(Zone).meta({ description: "In order of their names" }),
});

export const zoneRoutes = {
  listAllZones: route.get("/api/zones", "List the zones of all cameras", {
    reply: z.object({ zones: z.array(Zone).meta({ description: "In order of their cameras and names" }) }),
  }),
  listZones: route.get("/api/cameras/{camera_id}/zones", "List the zones of a camera", {
    params: camera,
    reply: ZoneList,
    refusals: { 404: noSuchCamera },
  }),
  setZone: route.put("/api/cameras/{camera_id}/zones/{name}", "Create a zone of a camera, or replace its corners", {
    params: zone,
    body: z.strictObject({
      points: Points,
      private: z.boolean().optional().meta({ description: "Whether homesec blacks it out; absent: as before, and false for a new zone" }),
    }),
    reply: Zone,
    refusals: { 404: noSuchCamera, 409: `The camera has ${mostZones} zones already` },
    example: { body: { points: cornersExample } },
  }),
  deleteZone: route.delete("/api/cameras/{camera_id}/zones/{name}", "Delete a zone of a camera", {
    params: z.object({ camera_id: CameraIdText, name: z.string().meta({ description: "Name of the zone", example: "driveway" }) }),
    status: 204,
    refusals: { 404: "No camera has this id, or it has no such zone" },
  }),
  confirmZones: route.post("/api/cameras/{camera_id}/zones/confirm", "Confirm the zones and masks of a camera after it was moved", {
    params: camera,
    reply: ZoneList,
    refusals: { 404: noSuchCamera },
  }),
};
