import type { z } from "zod";
import type { SceneChange, sceneRoutes } from "../routes/scenes.ts";
import { cameraId, cameraRoot } from "./cameras.ts";
import type { ExamplesOf } from "./example.ts";

const change = {
  id: 3,
  camera_id: cameraId,
  detected_at: "2026-01-29T14:05:12.660Z",
  change_type: "view_moved",
  similarity_score: 0.31,
  acknowledged: false,
  acknowledged_at: null,
  file_path: `${cameraRoot}/${cameraId}/2026-01-29_14-05-12.jpg`,
} satisfies z.input<typeof SceneChange>;

export const sceneExamples = {
  listSceneChanges: { reply: { camera_id: cameraId, scene_changes: [change], total_changes: 1, next_cursor: null, has_more: false } },
  acknowledgeSceneChange: { reply: { id: change.id, acknowledged: true, acknowledged_at: "2026-01-29T18:20:00.000Z" } },
} satisfies ExamplesOf<typeof sceneRoutes>;
