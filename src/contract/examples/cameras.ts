import type { z } from "zod";
import type { Camera, CameraPath, cameraRoutes } from "../routes/cameras.ts";
import type { ExamplesOf } from "./example.ts";
import { listOf, onePage } from "./page.ts";

/** The camera of which all examples tell. */
export const cameraId = "front-door";
export const cameraName = "Front door";

export const cameraRoot = "/var/lib/homesec/cameras";
const folder = `${cameraRoot}/${cameraId}`;

export const camera = {
  camera_id: cameraId,
  name: cameraName,
  folder_path: folder,
  status: "online",
  last_seen_at: "2026-01-31T22:15:40.370Z",
  created_at: "2026-01-10T09:12:44.018Z",
  updated_at: "2026-01-10T09:12:44.018Z",
  deleted_at: null,
} satisfies z.input<typeof Camera>;

/** A second one, which was deleted. */
const garage = {
  ...camera,
  camera_id: "garage",
  name: "Garage",
  folder_path: `${cameraRoot}/garage`,
  status: "offline",
  last_seen_at: "2026-01-20T06:40:02.551Z",
  updated_at: "2026-01-25T17:03:10.400Z",
  deleted_at: "2026-01-25T17:03:10.400Z",
} satisfies z.input<typeof Camera>;

const path = {
  camera_id: cameraId,
  name: cameraName,
  folder_path: folder,
  resolved_path: folder,
  issues: [],
} satisfies z.input<typeof CameraPath>;

export const cameraExamples = {
  listCameras: { reply: { cameras: [camera], count: 1, pagination: onePage(1) } },
  createCamera: {
    body: { name: cameraName, camera_id: cameraId },
    reply: { ...camera, status: "unknown", last_seen_at: null },
  },
  listDeletedCameras: { reply: listOf(garage) },
  validateCameraPaths: {
    reply: {
      base_path: cameraRoot,
      total_cameras: 2,
      valid_count: 1,
      invalid_count: 1,
      valid_cameras: [path],
      invalid_cameras: [
        {
          camera_id: garage.camera_id,
          name: garage.name,
          folder_path: garage.folder_path,
          resolved_path: null,
          issues: ["The folder does not exist; create it or correct folder_path"],
        },
      ],
    },
  },
  getCamera: { reply: camera },
  updateCamera: {
    body: { name: "Front gate" },
    reply: { ...camera, name: "Front gate", updated_at: "2026-02-01T08:30:00.000Z" },
  },
  restoreCamera: { reply: { ...garage, updated_at: "2026-02-01T08:30:00.000Z", deleted_at: null } },
} satisfies ExamplesOf<typeof cameraRoutes>;
