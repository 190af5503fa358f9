import { z } from "zod";
import { routesOf } from "../route.ts";
import { CameraIdText, IdText, Instant } from "../values.ts";
import { Detection } from "./detections.ts";

const route = routesOf("cameras");

/** Days of history that a mask is tried on before it is made. */
export const maskDays = 30;

/** Maximum number of masks of a camera. */
export const mostMasks = 100;

const Share = (edge: string) => z.number().meta({ description: `${edge} as a share of the picture, 0 to 1` });

const MaskBox = z
  .object({ x: Share("Left edge"), y: Share("Top edge"), width: Share("Width"), height: Share("Height") })
  .meta({ description: "The place", example: { x: 0.21, y: 0.11, width: 0.09, height: 0.37 } });

/** A place where detections of one class are ignored. */
export const Mask = z
  .object({
    id: z.int().meta({ description: "Id of the mask", example: 3 }),
    camera_id: CameraIdText,
    object_type: z.string().meta({ description: "Class of the ignored objects", example: "person" }),
    box: MaskBox,
    detection_id: z.int().nullable().meta({ description: "Detection that it was made from", example: 90211 }),
    hidden_count: z.int().meta({ description: "Detections that it has hidden", example: 0 }),
    last_hidden_at: Instant.nullable().meta({ description: "When it last hid one; null if it never did", example: null }),
    doubtful_since: Instant.nullable().meta({
      description: "Since when it may hide another place, because the camera was moved; null if it is certain",
      example: null,
    }),
    created_at: Instant.meta({ description: "Time of creation" }),
  })
  .meta({ id: "Mask", description: "A place where detections of one class are ignored: stored and counted, but not in events" });

const params = z.object({ detection_id: IdText });
const noPlace = "The detection has no box, or the size of its picture is unknown";
const noSuchDetection = "No detection has this id";

export const maskRoutes = {
  listMasks: route.get("/api/masks", "List the masks, newest first", {
    query: z.object({ camera_id: z.string().optional().meta({ description: "Only of this camera" }) }),
    reply: z.object({ masks: z.array(Mask).meta({ description: "Newest first" }) }),
  }),
  tryMask: route.get(
    "/api/detections/{detection_id}/mask",
    "Show what a mask for a detection's place would have hidden in the last 30 days",
    {
      params,
      reply: z.object({
        camera_id: CameraIdText,
        object_type: Mask.shape.object_type,
        box: MaskBox,
        days: z.int().meta({ description: "Days that were searched", example: maskDays }),
        detection_count: z.int().meta({ description: "Detections that it would have hidden", example: 1 }),
        event_count: z.int().meta({ description: "Events that would not exist, because they have no other detections", example: 1 }),
        examples: z.array(Detection).meta({ description: "Newest of these detections, at most 6" }),
      }),
      refusals: { 404: noSuchDetection, 409: noPlace },
      slow: true,
    },
  ),
  createMask: route.post("/api/detections/{detection_id}/mask", "Ignore detections of this class at this place from now on", {
    params,
    status: 201,
    reply: Mask,
    refusals: { 404: noSuchDetection, 409: `${noPlace}, or the camera has ${mostMasks} masks` },
  }),
  deleteMask: route.delete("/api/masks/{id}", "Delete a mask; what it hid stays hidden", {
    params: z.object({ id: IdText }),
    status: 204,
    refusals: { 404: "No mask has this id" },
  }),
};
