import { z } from "zod";
import { longestSilenceSeconds, silenceStatuses } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { routesOf } from "../route.ts";
import { EnumText, Instant, StorableInstant } from "../values.ts";

const route = routesOf("alerts");

/** An alert silence: until it ends, homesec mutes the alerts of its camera and rule. */
export const Silence = z
  .object({
    id: z.uuid().meta({ description: "Id of the silence", example: "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11" }),
    camera_id: z.string().nullable().meta({ description: "Camera whose alerts are muted; null for every camera" }),
    camera_name: z.string().nullable().meta({ description: "Name of the camera", example: "Front door" }),
    rule_id: z.uuid().nullable().meta({ description: "Rule whose alerts are muted; null for every rule" }),
    rule_name: z.string().nullable().meta({ description: "Name of the rule when the silence began" }),
    reason: z.string().meta({ description: "Reason", example: "The painters are here" }),
    status: z.enum(silenceStatuses).meta({ description: "`active` while it mutes alerts" }),
    created_at: Instant.meta({ description: "Start of the silence", example: "2026-02-01T08:00:00.000Z" }),
    ends_at: Instant.meta({ description: "Planned end", example: "2026-02-01T10:00:00.000Z" }),
    ended_at: Instant.nullable().meta({ description: "Actual end; null while it is active" }),
    created_by: z.string().nullable().meta({ description: "Key or session that began it; null without one", example: "anna" }),
    ended_by: z.string().nullable().meta({ description: "Key or session that ended it early; null without one", example: null }),
    held_back: z.int().meta({ description: "Muted alerts", example: 3 }),
  })
  .meta({
    id: "Silence",
    description: "A silence mutes the alerts of a camera and rule until it ends",
    example: { camera_id: "front-door" },
  });

// Any text is accepted; an id that does not exist is 404 in any format
const params = z.object({ id: z.string().meta({ description: "Silence id, a UUID" }) });
const noSuchSilence = "No silence has this id";

export const silenceRoutes = {
  listSilences: route.get("/api/silences", "List alert silences, newest first; ended ones are kept for LOG_RETENTION_DAYS", {
    query: z.object({
      status: EnumText(silenceStatuses).optional().meta({ description: "Only active, or only ended silences" }),
      ...pageQuery,
    }),
    reply: listOf(Silence),
  }),
  createSilence: route.post("/api/silences", "Mute the alerts of a camera, of a rule, of both, or all alerts, for at most 30 days", {
    body: z.strictObject({
      camera_id: z.string().nullable().optional().meta({ description: "Only alerts of this camera" }),
      rule_id: z.guid().nullable().optional().meta({ description: "Only alerts of this rule" }),
      all: z.boolean().optional().meta({ description: "True for all alerts; requires that neither a camera nor a rule is given" }),
      duration_seconds: z
        .int()
        .min(1)
        .max(longestSilenceSeconds)
        .optional()
        .meta({ description: "Duration in seconds; either this or `ends_at`" }),
      ends_at: StorableInstant.optional().meta({ description: "End; either this or `duration_seconds`" }),
      reason: z.string().min(1).max(500).regex(/\S/, "Must give a reason").meta({ description: "Reason, shown in lists" }),
    }),
    status: 201,
    reply: Silence,
    refusals: { 404: "The camera or rule does not exist" },
    example: { body: { camera_id: "front-door", duration_seconds: 7200, reason: "The painters are here" }, reply: { held_back: 0 } },
  }),
  getSilence: route.get("/api/silences/{id}", "Get an alert silence", { params, reply: Silence, refusals: { 404: noSuchSilence } }),
  endSilence: route.post("/api/silences/{id}/end", "End a silence now; recipients get a summary of the muted alerts", {
    params,
    reply: Silence,
    refusals: { 404: noSuchSilence, 409: "The silence has already ended" },
    example: { reply: { status: "ended", ended_at: "2026-02-01T08:30:00.000Z" } },
  }),
};
