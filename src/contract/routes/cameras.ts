import { z } from "zod";
import { Pagination, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { CameraIdText, CameraSlug, EnumText, Instant, readOnly } from "../values.ts";

export const cameraStatuses = ["unknown", "online", "offline", "error"] as const;

/** A camera as clients see it. */
export const Camera = z
  .object({
    camera_id: z.string(),
    name: z.string(),
    folder_path: z.string().meta({ description: "The folder into which this camera uploads" }),
    status: z.enum(cameraStatuses),
    last_seen_at: Instant.nullable().meta({ description: "Arrival of its newest picture" }),
    created_at: Instant,
    updated_at: Instant,
    deleted_at: Instant.nullable(),
  })
  .meta({ id: "Camera" });

const params = z.object({ camera_id: CameraIdText });
const noSuchCamera = "No camera has this id";
const Name = z.string().min(1).max(255);
const FolderPath = z.string().min(1).max(4096).meta({ description: "Absolute, or relative to CAMERA_ROOT" });

export const cameraRoutes = {
  listCameras: route("/api/cameras", {
    method: "get",
    summary: "List cameras",
    tag: "cameras",
    query: z.object({ status: EnumText(cameraStatuses).optional(), ...pageQuery }),
    reply: z.object({
      cameras: z.array(Camera),
      count: z.int(),
      pagination: Pagination,
      deprecation_warning: z.string().optional(),
    }),
  }),
  createCamera: route("/api/cameras", {
    method: "post",
    summary: "Create a camera",
    tag: "cameras",
    body: z.strictObject({ name: Name, folder_path: FolderPath.optional(), camera_id: CameraSlug.optional() }),
    status: 201,
    reply: Camera,
    refusals: { 409: "Another camera, possibly a deleted one, has this id, name or folder" },
  }),
  listDeletedCameras: route("/api/cameras/deleted", {
    method: "get",
    summary: "List soft-deleted cameras",
    tag: "cameras",
    query: z.object({ ...pageQuery }),
    reply: z.object({ items: z.array(Camera), pagination: Pagination, deprecation_warning: z.string().optional() }),
  }),
  validateCameraPaths: route("/api/cameras/validation/paths", {
    method: "get",
    summary: "Validate the folders of all cameras",
    tag: "cameras",
    reply: z.object({
      base_path: z.string(),
      total_cameras: z.int(),
      valid_count: z.int(),
      invalid_count: z.int(),
      valid_cameras: z.array(z.lazy(() => CameraPath)),
      invalid_cameras: z.array(z.lazy(() => CameraPath)),
    }),
  }),
  getCamera: route("/api/cameras/{camera_id}", {
    method: "get",
    summary: "One camera",
    tag: "cameras",
    params,
    reply: Camera,
    refusals: { 404: noSuchCamera },
  }),
  updateCamera: route("/api/cameras/{camera_id}", {
    method: "patch",
    summary: "Update a camera",
    tag: "cameras",
    params,
    body: z.strictObject({
      name: Name.optional(),
      folder_path: FolderPath.optional(),
      status: EnumText(["online", "offline"]).optional(),
      ...readOnly(Camera, ["name", "folder_path", "status"]),
    }),
    reply: Camera,
    refusals: { 404: noSuchCamera, 409: "Another camera has this name or folder" },
  }),
  deleteCamera: route("/api/cameras/{camera_id}", {
    method: "delete",
    summary: "Soft-delete a camera",
    tag: "cameras",
    params,
    status: 204,
    refusals: { 404: noSuchCamera, 409: "The camera is deleted already" },
  }),
  restoreCamera: route("/api/cameras/{camera_id}/restore", {
    method: "post",
    summary: "Restore a soft-deleted camera",
    tag: "cameras",
    params,
    reply: Camera,
    refusals: { 404: noSuchCamera, 409: "The camera is not deleted" },
  }),
  getCameraSnapshot: route("/api/cameras/{camera_id}/snapshot", {
    method: "get",
    summary: "The newest picture of a camera",
    tag: "cameras",
    params,
    reply: { mediaTypes: ["image/jpeg", "image/png", "image/webp"] },
    refusals: { 404: "No camera has this id, or it has no picture yet" },
    tier: "media",
    auth: "none",
  }),
};

export const CameraPath = z
  .object({
    camera_id: z.string(),
    name: z.string(),
    folder_path: z.string(),
    resolved_path: z.string().nullable(),
    issues: z.array(z.string()),
  })
  .meta({ id: "CameraPath" });
