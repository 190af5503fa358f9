import { z } from "zod";
import { analysisStatuses, eventKinds, longestShareSeconds, riskLevels, shareStatuses } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { EnumText, IdText, Instant, IntText } from "../values.ts";
import { videoTypes } from "./detections.ts";

const route = routesOf("shares");

/** Validity of a share without another wish, in seconds. */
export const usualShareSeconds = 7 * 86_400;

/** Why a share no longer works: the beginning of the message of 410, by which the page translates it. */
export const shareEnds = {
  revoked: "The person who shared this has revoked the link",
  expired: "This link has ended",
  deleted: "What this link showed was deleted",
} as const;

/** An address that shows one event. The token itself is not stored. */
export const Share = z
  .object({
    id: z.uuid().meta({ description: "Id of the share", example: "7d1f5a0c-4f0b-4a8e-9c39-2f1be8c9a4d6" }),
    event_id: z.int().nullable().meta({ description: "Id of the shared event; null once the event is deleted for good", example: 1207 }),
    status: z.enum(shareStatuses).meta({ description: "`active` while its address shows the event", example: "active" }),
    created_by: z.string().nullable().meta({ description: "Name of the key that shared it; null without one", example: "anna" }),
    created_at: Instant.meta({ description: "When it was shared", example: "2026-02-01T08:00:00.000Z" }),
    expires_at: Instant.meta({ description: "When its address ends", example: "2026-02-08T08:00:00.000Z" }),
    ended_at: Instant.nullable().meta({ description: "When it was revoked; null if it was not", example: null }),
    view_count: z.int().meta({ description: "How many times its page was opened", example: 2 }),
    last_viewed_at: Instant.nullable().meta({ description: "When its page was last opened; null if it never was", example: null }),
  })
  .meta({ id: "Share", description: "An address that shows one event to anyone who has it" });

const SharedPicture = z
  .object({
    taken_at: Instant.meta({ description: "Time of the picture", example: "2026-01-31T22:15:00.120Z" }),
    image_url: z.string().meta({ description: "Path of the picture", example: "/api/shared/hs_J9oQ/pictures/1" }),
    thumbnail_url: z.string().meta({ description: "Path of a small copy", example: "/api/shared/hs_J9oQ/pictures/1/thumbnail" }),
    video_url: z.string().nullable().meta({ description: "Path of the video; null for a picture", example: null }),
    objects: z
      .array(
        z.object({
          object_type: z.string().meta({ description: "Class of the object", example: "person" }),
          confidence: z.number().meta({ description: "Confidence, 0 to 1", example: 0.89 }),
          bbox_x: z.int().nullable().meta({ description: "Left edge of the box in pixels; null without a box", example: 412 }),
          bbox_y: z.int().nullable().meta({ description: "Top edge of the box in pixels; null without a box", example: 120 }),
          bbox_width: z.int().nullable().meta({ description: "Width of the box in pixels; null without a box", example: 164 }),
          bbox_height: z.int().nullable().meta({ description: "Height of the box in pixels; null without a box", example: 402 }),
        }),
      )
      .meta({ description: "What was detected in it" }),
  })
  .meta({ id: "SharedPicture", description: "A picture of a shared event" });

/** What a share shows: the event without ids, reasons and notes. */
const SharedEvent = z
  .object({
    kind: z.enum(eventKinds).meta({ description: "Kind of event", example: "event" }),
    camera: z.string().meta({ description: "Name of the camera", example: "Front door" }),
    started_at: Instant.meta({ description: "Time of its first picture", example: "2026-01-31T22:15:00.120Z" }),
    ended_at: Instant.meta({ description: "Time of its last picture", example: "2026-01-31T22:15:40.370Z" }),
    risk_score: z.int().nullable().meta({ description: "Risk score, 0 to 100; null until scored", example: 72 }),
    risk_level: z.enum(riskLevels).nullable().meta({ description: "Level of the score", example: "high" }),
    analysis_status: z.enum(analysisStatuses).meta({ description: "Status of the analysis", example: "completed" }),
    summary: z.string().meta({ description: "Summary in one sentence", example: "1 person at Front door, for 40 s." }),
    object_types: z.array(z.string()).meta({ description: "Detected classes", example: ["person"] }),
    pictures: z.array(SharedPicture).meta({ description: "Its pictures, oldest first" }),
    time_zone: z.string().meta({ description: "Time zone of the home, in which the page shows times", example: "Europe/Berlin" }),
    expires_at: Instant.meta({ description: "When this address ends", example: "2026-02-08T08:00:00.000Z" }),
  })
  .meta({ id: "SharedEvent", description: "A shared event, without anything else of the home" });

// Any text is accepted; one that is no token is 404 in any format.
const Token = z.string().meta({ description: "Token of the share", example: "hs_J9oQ" });
const picture = z.object({ token: Token, number: IntText(1, 1_000_000).meta({ description: "Number of the picture, from 1" }) });
const noSuchShare = "No share has this token";
const ended = "The share has ended or was revoked, or its event was deleted";
const refusals = { 404: `${noSuchShare}, or there is no such picture`, 410: ended };

export const shareRoutes = {
  createShare: route.post("/api/events/{event_id}/shares", "Share an event by an address that ends; the reply shows it once", {
    params: z.object({ event_id: IdText }),
    body: z.strictObject({
      expires_in_seconds: z
        .int()
        .min(60)
        .max(longestShareSeconds)
        .optional()
        .meta({ description: "Validity in seconds, at most a year (default 7 days)" }),
    }),
    status: 201,
    reply: Share.extend({
      token: z.string().meta({ description: "The token; it cannot be shown again", example: "hs_J9oQ" }),
      path: z.string().meta({ description: "Path of the page that shows the event", example: "/shared/hs_J9oQ" }),
      url: z.string().nullable().meta({
        description: "Its address, below `PUBLIC_URL` or else the address of this request; null with `--direct`",
        example: "https://home.example.net/shared/hs_J9oQ",
      }),
    }),
    refusals: { 404: "No event has this id, or it is deleted", 409: "The web page is off: nothing would show the event" },
    example: { body: { expires_in_seconds: 604_800 }, reply: {} },
  }),
  listShares: route.get("/api/shares", "List shares, newest first", {
    query: z.object({
      status: EnumText(shareStatuses).optional().meta({ description: "Only active, or only ended shares" }),
      event_id: IntText(-Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER).optional().meta({ description: "Only of this event" }),
      ...pageQuery,
    }),
    reply: listOf(Share),
  }),
  revokeShare: route.delete("/api/shares/{id}", "Revoke a share: its address stops working at once", {
    params: z.object({ id: z.string().meta({ description: "Share id, a UUID" }) }),
    status: 204,
    refusals: { 404: "No share has this id", 409: "The share has already ended" },
  }),
  getShared: route.get("/api/shared/{token}", "Get a shared event; each request counts as a view", {
    auth: "none",
    params: z.object({ token: Token }),
    reply: SharedEvent,
    refusals: { 404: noSuchShare, 410: ended },
  }),
  getSharedPicture: route.get("/api/shared/{token}/pictures/{number}", "Get a picture of a shared event, without its metadata", {
    auth: "none",
    tier: "media",
    params: picture,
    reply: { mediaTypes: ["image/jpeg"] },
    refusals,
  }),
  getSharedThumbnail: route.get("/api/shared/{token}/pictures/{number}/thumbnail", "Get a 320x240 JPEG of a picture of a shared event", {
    auth: "none",
    tier: "media",
    params: picture,
    reply: { mediaTypes: ["image/jpeg"] },
    refusals,
  }),
  getSharedVideo: route.get("/api/shared/{token}/pictures/{number}/video", "Get the video of a shared event, whole or in parts", {
    auth: "none",
    tier: "media",
    params: picture,
    reply: { mediaTypes: videoTypes, ranges: true },
    refusals: { ...refusals, 400: "It is a picture, not a video" },
  }),
};
