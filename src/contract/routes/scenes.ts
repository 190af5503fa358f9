import { z } from "zod";
import { sceneChangeTypes } from "../constants.ts";
import { Pagination, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { BoolText, CameraIdText, IdText, Instant } from "../values.ts";

const route = routesOf("cameras");

const ChangeId = z.int().meta({ description: "Id of the change", example: 3 });
const Acknowledged = z.boolean().meta({ description: "Whether the new view was acknowledged as normal" });

/** A change of a camera's view. */
export const SceneChange = z
  .object({
    id: ChangeId,
    camera_id: CameraIdText,
    detected_at: Instant.meta({ description: "Time of the picture that confirmed it" }),
    change_type: z.enum(sceneChangeTypes).meta({ description: "Kind of change", example: "view_moved" }),
    similarity_score: z.number().meta({ description: "Structural similarity to the previous view, up to 1", example: 0.31 }),
    acknowledged: Acknowledged,
    acknowledged_at: Instant.nullable().meta({ description: "Time of the acknowledgement, or null" }),
    file_path: z.string().nullable().meta({ description: "Path of the picture on the daemon's disk" }),
  })
  .meta({
    id: "SceneChange",
    description: "A change of a camera's view",
    example: { file_path: "/var/lib/homesec/cameras/front-door/2026-01-29_14-05-12.jpg" },
  });

export const sceneRoutes = {
  listSceneChanges: route.get("/api/cameras/{camera_id}/scene-changes", "List changes of a camera's view, newest first", {
    params: z.object({ camera_id: CameraIdText }),
    query: z.object({
      acknowledged: BoolText.optional().meta({ description: "Only acknowledged, or only unacknowledged changes" }),
      limit: pageQuery.limit,
      cursor: pageQuery.cursor,
    }),
    reply: z.object({
      camera_id: CameraIdText,
      scene_changes: z.array(SceneChange).meta({ description: "Changes of this page" }),
      total_changes: z.int().meta({ description: "Exact number of matching changes", example: 1 }),
      next_cursor: Pagination.shape.next_cursor,
      has_more: Pagination.shape.has_more,
    }),
    refusals: { 404: "No camera has this id" },
  }),
  acknowledgeSceneChange: route.post(
    "/api/cameras/{camera_id}/scene-changes/{id}/acknowledge",
    "Acknowledge a change, so that the new view counts as normal",
    {
      params: z.object({ camera_id: CameraIdText, id: IdText }),
      reply: z.object({
        id: ChangeId,
        acknowledged: Acknowledged,
        acknowledged_at: Instant.meta({ description: "Time of the first acknowledgement" }),
      }),
      refusals: { 404: "No camera has this id, or the change does not exist" },
      example: { reply: { acknowledged: true } },
    },
  ),
};
