import { z } from "zod";
import { cameraStatuses, settableCameraStatuses } from "../constants.ts";
import { DeprecationWarning, listOf, Pagination, pageQuery } from "../page.ts";
import { pictureFields } from "../preview.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, CameraSlug, DisplayName, EnumText, Instant, readOnly, TimeZoneText } from "../values.ts";

const route = routesOf("cameras");

/** A camera as clients receive it. */
export const Camera = z
  .object({
    camera_id: CameraIdText,
    name: z.string().meta({ description: "Display name", example: "Front door" }),
    folder_path: z.string().meta({ description: "Upload folder of the camera" }),
    status: z.enum(cameraStatuses).meta({
      description:
        "`unknown`: no picture yet or since its restore; `offline`: no picture for a long time; `error`: its folder is missing or unreadable",
    }),
    last_seen_at: Instant.nullable().meta({ description: "Arrival of its newest picture", example: "2026-01-31T22:15:40.370Z" }),
    created_at: Instant.meta({ description: "Time of creation, by a user or by its first picture" }),
    updated_at: Instant.meta({ description: "Time of the last change, deletion or restore" }),
    deleted_at: Instant.nullable().meta({ description: "Time of deletion; null unless deleted" }),
    ...pictureFields("of its newest picture"),
    file_pattern: z.string().nullable().meta({
      description: "Pattern of its files in a folder that several cameras share; null: all files that no pattern takes",
    }),
    time_zone: z
      .string()
      .nullable()
      .meta({ description: "Zone of the camera's clock; null: that of the daemon", example: "Europe/Berlin" }),
    time_template: z.string().meta({
      description: "How the names of its files state their time: `auto`, `none`, a built-in template, or a pattern",
      example: "auto",
    }),
    clock_offset_seconds: z.number().nullable().meta({
      description: "Seconds by which its clock is ahead of arrival, negative if behind; null while its pictures do not say",
      example: -0.8,
    }),
  })
  .meta({
    id: "Camera",
    description: "A camera with its upload folder",
    example: {
      folder_path: "/var/lib/homesec/cameras/front-door",
      status: "online",
      preview_url: "/api/cameras/front-door/snapshot?width=320&v=1b7e60f2c94d83a5",
      blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY",
    },
  });

/** Widths of the smaller copies of a picture. */
const snapshotWidths = ["320", "640", "1280"] as const;

const params = z.object({ camera_id: CameraIdText });
const noSuchCamera = "No camera has this id";
const Name = DisplayName(255).meta({ description: "Display name; unique among cameras" });
const FolderPath = z
  .string()
  .min(1)
  .max(4096)
  // The folder is unique, and an index of the database holds keys of at most 2,700 bytes
  .refine((path) => new TextEncoder().encode(path).length <= 2_000, "Must have at most 2000 bytes")
  .meta({ description: "Absolute path, or relative to CAMERA_ROOT" });
const fileSettings = {
  file_pattern: z.string().min(1).max(200).nullable().optional().meta({
    description:
      "Takes only these files of the folder, which other cameras may share: `ch01*` for names, `ch02/**` for paths below it; null: all files that no pattern takes",
  }),
  time_zone: TimeZoneText.nullable().optional().meta({ description: "Zone of the camera's clock; null: that of the daemon" }),
  time_template: z.string().min(1).max(200).optional().meta({
    description:
      "`auto` (default), `none`, the name of a built-in template, or a pattern such as `*_%Y%m%d_%H%M%S` for the end of the path without its ending",
  }),
};

export const cameraRoutes = {
  listCameras: route.get("/api/cameras", "List cameras", {
    query: z.object({ status: EnumText(cameraStatuses).optional().meta({ description: "Only cameras with this status" }), ...pageQuery }),
    reply: z.object({
      cameras: z.array(Camera).meta({ description: "Cameras of this page in order of id" }),
      count: z.int().meta({ description: "Cameras on this page", example: 1 }),
      pagination: Pagination,
      deprecation_warning: DeprecationWarning.optional(),
    }),
  }),
  createCamera: route.post("/api/cameras", "Create a camera", {
    body: z.strictObject({
      name: Name,
      folder_path: FolderPath.optional(),
      camera_id: CameraSlug.regex(/^(?!deleted$)/, "Must not be deleted; that path is the list of deleted cameras")
        .optional()
        .meta({ description: "Default: a slug of the name" }),
      ...fileSettings,
    }),
    status: 201,
    reply: Camera,
    refusals: { 409: "Another camera, possibly a deleted one, has this id, name or folder" },
    example: { body: { name: "Front door", camera_id: "front-door" }, reply: { status: "unknown", last_seen_at: null } },
  }),
  listDeletedCameras: route.get("/api/cameras/deleted", "List soft-deleted cameras", {
    query: z.object({ ...pageQuery }),
    reply: listOf(Camera),
  }),
  validateCameraPaths: route.get("/api/cameras/validation/paths", "Validate the folders of all cameras", {
    reply: z.object({
      base_path: z.string().meta({ description: "CAMERA_ROOT", example: "/var/lib/homesec/cameras" }),
      total_cameras: z.int().meta({ description: "Cameras that are not deleted", example: 2 }),
      valid_count: z.int().meta({ description: "Number of cameras with a readable folder", example: 1 }),
      invalid_count: z.int().meta({ description: "Number of cameras with an unreadable folder", example: 1 }),
      valid_cameras: z.array(z.lazy(() => CameraPath)).meta({ description: "Cameras with a readable folder" }),
      invalid_cameras: z.array(z.lazy(() => CameraPath)).meta({ description: "Cameras with an unreadable folder, with the reasons" }),
    }),
  }),
  getCamera: route.get("/api/cameras/{camera_id}", "Get a camera", { params, reply: Camera, refusals: { 404: noSuchCamera } }),
  updateCamera: route.patch("/api/cameras/{camera_id}", "Update a camera", {
    params,
    body: z.strictObject({
      name: Name.optional(),
      folder_path: FolderPath.optional(),
      status: EnumText(settableCameraStatuses)
        .optional()
        .meta({ description: "Status until the next picture or the next silent period changes it" }),
      ...fileSettings,
      ...readOnly(Camera, ["name", "folder_path", "status", "file_pattern", "time_zone", "time_template"]),
    }),
    reply: Camera,
    refusals: { 404: noSuchCamera, 409: "Another camera has this name or folder" },
    example: { body: { name: "Front gate" }, reply: { name: "Front gate" } },
  }),
  deleteCamera: route.delete("/api/cameras/{camera_id}", "Soft-delete a camera", {
    params,
    status: 204,
    refusals: { 404: noSuchCamera, 409: "The camera is already deleted" },
  }),
  restoreCamera: route.post("/api/cameras/{camera_id}/restore", "Restore a soft-deleted camera", {
    params,
    reply: Camera,
    refusals: { 404: noSuchCamera, 409: "The camera is not deleted" },
  }),
  getCameraSnapshot: route.get("/api/cameras/{camera_id}/snapshot", "Get the newest picture of a camera", {
    params,
    query: z.object({
      width: z
        .enum(snapshotWidths)
        .optional()
        .meta({ description: "Maximum width in pixels of a smaller copy in WebP; without it, the picture as it is" }),
      v: z.string().optional().meta({
        description:
          "Any text; a page changes it to get the newest picture instead of a cached one. With the one in `preview_url`, and while that picture is the newest, a browser keeps it for a year",
      }),
    }),
    reply: { mediaTypes: ["image/jpeg", "image/png", "image/webp"] },
    refusals: { 404: "No camera has this id, or it has no picture yet" },
    tier: "media",
    auth: "media",
  }),
};

export const CameraPath = z
  .object({
    camera_id: CameraIdText,
    name: z.string().meta({ description: "Display name", example: "Front door" }),
    folder_path: z.string().meta({ description: "Configured path of the folder", example: "/var/lib/homesec/cameras/front-door" }),
    resolved_path: z
      .string()
      .nullable()
      .meta({ description: "Real path of the folder, symbolic links resolved; null when it does not exist" }),
    issues: z.array(z.string()).meta({ description: "Problems with their fixes; empty when there are none" }),
  })
  .meta({
    id: "CameraPath",
    description: "Result of checking a camera's folder",
    example: { resolved_path: "/var/lib/homesec/cameras/front-door" },
  });
