import { z } from "zod";
import { pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { BoolText, CameraIdText, IdText, Instant } from "../values.ts";

export const sceneChangeTypes = ["view_blocked", "view_moved", "view_blurred", "unknown"] as const;

/** A camera sees something else than before. */
export const SceneChange = z
  .object({
    id: z.int(),
    camera_id: z.string(),
    detected_at: Instant,
    change_type: z.enum(sceneChangeTypes),
    similarity_score: z.number().meta({ description: "Structural similarity to the view before, up to 1" }),
    acknowledged: z.boolean(),
    acknowledged_at: Instant.nullable(),
    file_path: z.string().nullable().meta({ description: "The picture that showed it, on the disk of the daemon" }),
  })
  .meta({ id: "SceneChange" });

export const sceneRoutes = {
  listSceneChanges: route("/api/cameras/{camera_id}/scene-changes", {
    method: "get",
    summary: "Changes of a camera's view, newest first",
    tag: "cameras",
    params: z.object({ camera_id: CameraIdText }),
    query: z.object({ acknowledged: BoolText.optional(), limit: pageQuery.limit, cursor: pageQuery.cursor }),
    reply: z.object({
      camera_id: z.string(),
      scene_changes: z.array(SceneChange),
      total_changes: z.int().meta({ description: "Exact number of changes that match" }),
      next_cursor: z.string().nullable(),
      has_more: z.boolean(),
    }),
    refusals: { 404: "No camera has this id" },
  }),
  acknowledgeSceneChange: route("/api/cameras/{camera_id}/scene-changes/{id}/acknowledge", {
    method: "post",
    summary: "Acknowledge a change: the new view is the usual one from now on",
    tag: "cameras",
    params: z.object({ camera_id: CameraIdText, id: IdText }),
    reply: z.object({ id: z.int(), acknowledged: z.boolean(), acknowledged_at: Instant }),
    refusals: { 404: "No camera has this id, or it has no such change" },
  }),
};
