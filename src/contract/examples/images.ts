import type { z } from "zod";
import type { Image, imageRoutes } from "../routes/images.ts";
import { cameraId } from "./cameras.ts";
import { person } from "./detections.ts";
import type { ExamplesOf } from "./example.ts";
import { imageId, picturePath } from "./ids.ts";
import { listOf } from "./page.ts";

export const image = {
  id: imageId,
  camera_id: cameraId,
  path: picturePath,
  size_bytes: 184_226,
  modified_at: "2026-01-31T22:15:00.104Z",
  media_type: "image/jpeg",
  width: 768,
  height: 576,
  sha256: "5b1f6c0e8a94d7723f0c2b6de1458a9f70c3d29e41b85f67a2d0e9138c7b46fa",
  found_by: "watch",
  found_at: "2026-01-31T22:15:00.134Z",
  taken_at: person.detected_at,
  status: "processed",
  reason: null,
  detail: null,
  same_content_as: null,
  detection_count: 1,
  detector: "built-in",
  inference_ms: 331.4,
  started_at: "2026-01-31T22:15:00.141Z",
  finished_at: person.created_at,
} satisfies z.input<typeof Image>;

const duplicate = {
  ...image,
  id: 55_831,
  path: picturePath.replace(".jpg", "_copy.jpg"),
  modified_at: "2026-01-31T22:15:04.260Z",
  found_at: "2026-01-31T22:15:04.301Z",
  taken_at: "2026-01-31T22:15:04.288Z",
  status: "skipped",
  reason: "reupload",
  detail: "The camera sent the same file again",
  same_content_as: imageId,
  detection_count: 0,
  detector: null,
  inference_ms: null,
  started_at: null,
  finished_at: "2026-01-31T22:15:04.301Z",
} satisfies z.input<typeof Image>;

export const imageExamples = {
  listImages: { reply: listOf(duplicate, image) },
  getImage: { reply: image },
} satisfies ExamplesOf<typeof imageRoutes>;
