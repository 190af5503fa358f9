import { z } from "zod";
import { pullStates, ranges } from "../constants.ts";
import { routesOf } from "../route.ts";
import { CameraIdText, Instant, NumberBetween, readOnly } from "../values.ts";

const route = routesOf("cameras");

const params = z.object({ camera_id: CameraIdText });
const noPull = "No camera has this id, or homesec fetches no pictures from it";

/** From where homesec fetches the pictures of a camera. */
export const CameraPull = z
  .object({
    camera_id: CameraIdText,
    url: z.string().meta({
      description: "Address of a picture or a stream, without user name and password; `{password}` stands for the password",
      example: "http://192.168.1.64/snap.jpg",
    }),
    username: z.string().nullable().meta({ description: "User name at the camera; null without one", example: "homesec" }),
    has_password: z.boolean().meta({ description: "Whether a password is stored; it is never shown", example: true }),
    every_seconds: z.number().meta({ description: "Seconds between two pictures", example: 2 }),
    threshold_percent: z.number().meta({
      description: "A picture is kept if at least this share of it has changed; 0 keeps all pictures",
      example: 0.3,
    }),
    state: z.enum(pullStates).meta({ description: "`waiting`: for the first picture", example: "working" }),
    fault: z.string().nullable().meta({ description: "Why no picture comes, and the fix; null unless failing", example: null }),
    failing_since: Instant.nullable().meta({ description: "Since when no picture comes; null unless failing", example: null }),
    last_picture_at: Instant.nullable().meta({ description: "When the last picture came; null before the first" }),
    seen_count: z.int().meta({ description: "Pictures that came", example: 43_200 }),
    kept_count: z
      .int()
      .meta({ description: "Pictures that were kept, because something had changed or as a sign of life", example: 1_520 }),
    cpu_percent: z.number().nullable().meta({
      description: "Processor time for this camera in the last minute, in percent of one core; null until it is measured",
      example: 0.4,
    }),
    memory_bytes: z
      .int()
      .nullable()
      .meta({ description: "Memory of the process that reads the stream; null for an address of pictures", example: null }),
    created_at: Instant.meta({ description: "Time of creation" }),
    updated_at: Instant.meta({ description: "Time of the last change of the settings" }),
  })
  .meta({ id: "CameraPull", description: "From where homesec fetches the pictures of a camera, and how it goes" });

/** The result of one attempt to get a picture. */
export const PullTest = z
  .object({
    works: z.boolean().meta({ description: "Whether a picture came", example: true }),
    fault: z.string().nullable().meta({ description: "Why not, and the fix; null if it works", example: null }),
    media_type: z.string().nullable().meta({ description: "Format of the picture; null without one", example: "image/jpeg" }),
    width: z.int().nullable().meta({ description: "Width in pixels; null without a picture", example: 1920 }),
    height: z.int().nullable().meta({ description: "Height in pixels; null without a picture", example: 1080 }),
    bytes: z.int().nullable().meta({ description: "Size in bytes; null without a picture", example: 184_320 }),
    ms: z.int().meta({ description: "Duration in milliseconds", example: 92 }),
  })
  .meta({ id: "PullTest", description: "The result of fetching one picture" });

export const pullRoutes = {
  listPulls: route.get("/api/pulls", "List the addresses that pictures are fetched from", {
    reply: z.object({ pulls: z.array(CameraPull).meta({ description: "In order of the camera's id" }) }),
  }),
  getCameraPull: route.get("/api/cameras/{camera_id}/pull", "Get the address that pictures are fetched from", {
    params,
    reply: CameraPull,
    refusals: { 404: noPull },
  }),
  setCameraPull: route.put("/api/cameras/{camera_id}/pull", "Fetch the pictures of a camera from an address", {
    params,
    body: z.strictObject({
      url: z
        .string()
        .min(1)
        .max(2_048)
        .meta({ description: "http, https, rtsp or rtsps address; a user name and password in it are stored separately" }),
      username: z
        .string()
        .max(255)
        .nullable()
        .optional()
        .meta({ description: "User name at the camera (default: as before, or that in the address)" }),
      password: z
        .string()
        .max(255)
        .nullable()
        .optional()
        .meta({ description: "Password (default: as before, if host and user name stay the same); null removes it" }),
      every_seconds: NumberBetween(...ranges.pullSeconds)
        .optional()
        .meta({ description: "Seconds between two pictures (default: as before, or 2)" }),
      threshold_percent: NumberBetween(...ranges.pullThresholdPercent)
        .optional()
        .meta({ description: "Share of the picture that must change, in percent (default: as before, or 0.3)" }),
      ...readOnly(CameraPull, ["url", "username", "every_seconds", "threshold_percent"]),
    }),
    reply: CameraPull,
    refusals: { 404: "No camera has this id" },
    example: { body: { url: "http://homesec:PASSWORD@192.168.1.64/snap.jpg" }, reply: { state: "waiting", last_picture_at: null } },
  }),
  deleteCameraPull: route.delete("/api/cameras/{camera_id}/pull", "Stop fetching the pictures of a camera", {
    params,
    status: 204,
    refusals: { 404: noPull },
  }),
  testCameraPull: route.post("/api/cameras/{camera_id}/pull/test", "Fetch one picture of a camera now, and do not keep it", {
    params,
    reply: PullTest,
    refusals: { 404: noPull },
    slow: true,
  }),
};
