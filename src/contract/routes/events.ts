import { z } from "zod";
import { BulkReply, bulkItems } from "../bulk.ts";
import { analysisStatuses, csvSeparators, eventKindFilters, eventKinds, exportFormats, ranges, riskLevels } from "../constants.ts";
import { listOf, pageQuery } from "../page.ts";
import { boxedPictureFields } from "../preview.ts";
import { routesOf } from "../route.ts";
import {
  BoolText,
  CameraIdText,
  ClassText,
  EndInstant,
  EnumText,
  IdText,
  Instant,
  IntBetween,
  IntText,
  orElse,
  readOnly,
  StartInstant,
  StorableInstant,
  TimeZoneText,
} from "../values.ts";
import { Detection } from "./detections.ts";
import { zonesField } from "./zones.ts";

const route = routesOf("events");

/** One reason behind a score; `contribution` is in points of the score. */
export const RiskFactor = z
  .object({
    name: z.string().meta({ description: "Name of the risk factor" }),
    contribution: z.number().meta({ description: "Points added to the score; negative when it lowers the score" }),
    detail: z.string().optional().meta({ description: "Evidence for the factor" }),
  })
  .meta({
    id: "RiskFactor",
    description: "One reason for a score",
    example: { name: "person present", contribution: 32, detail: "confidence 89 %" },
  });

const eventExample = {
  batch_id: "3d5a2c61-0f4e-4b87-9a2d-6c1e8f70b5d3",
  risk_level: "high",
  summary: "1 person at Front door, for 40 s.",
  reasoning:
    "The built-in scorer adds points for the facts and does not see the pictures: person present +32, at night +40; total 72 of 100.",
  thumbnail_url: "/api/detections/90211/thumbnail",
  preview_url: "/api/detections/90211/preview?v=8c1d4b0e9f2a7365",
  blur_hash: "HPkJFYRSaHivh4egeXiEiV5zb/iY",
  preview_box: { x: 0.2146, y: 0.1111, width: 0.0854, height: 0.3722 },
  risk_factors: [
    { name: "person present", contribution: 32, detail: "confidence 89 %" },
    { name: "at night", contribution: 40, detail: "Saturday, 23:15 Europe/Berlin" },
  ],
  analyzed_by: "built-in scorer",
};

/** Who pinned an event, and when. Optional, because messages of older versions do not have them. */
const pinFields = {
  pinned: z.boolean().optional().meta({ description: "Whether it is pinned: no cleanup deletes it" }),
  pinned_at: Instant.nullable().optional().meta({ description: "Time it was pinned; null unless pinned" }),
  pinned_by: z.string().nullable().optional().meta({ description: "Name of the key or session that pinned it; null without one" }),
};

export const Event = z
  .object({
    id: z.int().meta({ description: "Id of the event", example: 1207 }),
    kind: z
      .enum(eventKinds)
      .meta({ description: "Kind of event; `camera_health`: an incident of the camera, without detections and score" }),
    batch_id: z.string().nullable().meta({ description: "Batch of the event; null without one" }),
    camera_id: CameraIdText,
    started_at: Instant.meta({ description: "Time of its first picture", example: "2026-01-31T22:15:00.120Z" }),
    ended_at: Instant.meta({ description: "Time of its last picture, so far while it is ongoing", example: "2026-01-31T22:15:40.370Z" }),
    ongoing: z.boolean().meta({ description: "Whether its visit goes on: an immediate rule alerted before the end", example: false }),
    risk_score: z
      .int()
      .nullable()
      .meta({ description: "Risk score, 0 to 100; null until scored and when the analysis failed", example: 72 }),
    risk_level: z.enum(riskLevels).nullable().meta({ description: "Level of the score by the configured lower bounds" }),
    summary: z.string().meta({ description: "Summary in one sentence; empty until scored" }),
    reasoning: z.string().meta({
      description: "Reasoning behind the score; empty until the event is scored",
    }),
    reviewed: z.boolean().meta({ description: "Whether someone has reviewed it" }),
    notes: z.string().meta({ description: "Notes", example: "" }),
    ...pinFields,
    detection_count: z.int().meta({ description: "Number of detections when it was stored", example: 1 }),
    detection_ids: z.array(z.int()).meta({ description: "Ids of its detections", example: [90211] }),
    object_types: z.array(z.string()).meta({ description: "Detected classes", example: ["person"] }),
    thumbnail_url: z.string().nullable().meta({ description: "URL path of its thumbnail; null without detections" }),
    analysis_status: z.enum(analysisStatuses).meta({ description: "Status of the analysis", example: "completed" }),
    risk_factors: z.array(RiskFactor).meta({ description: "Reasons for the score" }),
    analyzed_by: z.string().nullable().meta({ description: "Name of the model, or `built-in scorer`" }),
    created_at: Instant.meta({ description: "Time it was stored", example: "2026-01-31T22:16:10.901Z" }),
    deleted_at: Instant.nullable().meta({ description: "Time of deletion; null unless deleted" }),
    ...boxedPictureFields("of its best picture"),
    zones: zonesField("any of its detections is in"),
  })
  .meta({ id: "Event", description: "Something that happened at a camera", example: eventExample });

export const EventWithDetections = Event.extend({
  detections: z.array(Detection).meta({ description: "Detections, oldest first" }),
  shown_detection_ids: z
    .array(z.int())
    .meta({ description: "Detections whose pictures the model `analyzed_by` saw; empty if it saw none", example: [90211] }),
}).meta({ id: "EventWithDetections", description: "An event with its detections", example: eventExample });

/** A search result. */
const FoundEvent = Event.extend({
  relevance_score: z.number().meta({ description: "Relevance for this query, 0 to 1", example: 0.61 }),
  highlight: z.string().nullable().meta({
    description: "Matching text as escaped HTML with the words in <mark>; null when no text contains them",
  }),
}).meta({
  id: "FoundEvent",
  description: "A search result",
  example: { ...eventExample, highlight: "1 <mark>person</mark> at Front door, for 40 s." },
});

/** Filters of lists, searches and exports. */
const filterQuery = {
  camera_id: z.array(z.string()).optional().meta({ description: "Only of these cameras; may be given several times" }),
  risk_level: z.array(EnumText(riskLevels)).optional().meta({ description: "Only of these levels; may be given several times" }),
  object_type: z.array(ClassText).optional().meta({ description: "Only with one of these classes; may be given several times" }),
  start_date: StartInstant.optional(),
  end_date: EndInstant.optional(),
  reviewed: BoolText.optional().meta({ description: "Only reviewed, or only unreviewed events" }),
  pinned: BoolText.optional().meta({ description: "Only pinned, or only unpinned events" }),
  min_risk_score: IntText(...ranges.riskScore)
    .optional()
    .meta({ description: "Minimum risk score; leaves out events without a score" }),
  kind: EnumText(eventKindFilters)
    .optional()
    .meta({ description: "Kind of event (default `event`); `camera_health` is an incident of a camera" }),
};

const searchText = z.string().min(1).max(1000).meta({
  description:
    'Words that must all occur, `"words side by side"`, `this OR that`, `-without` or `NOT without`, and `beginning*`, in summary, reasoning, notes, camera name and classes; case and accents are ignored',
});

export const exportMediaTypes = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** The fields of an event that a user may change; all other fields are accepted and ignored. */
const review = {
  reviewed: z.boolean().optional().meta({ description: "Whether someone has reviewed it" }),
  notes: z.string().max(4000).optional().meta({ description: "Notes; they replace the previous notes" }),
  pinned: z.boolean().optional().meta({ description: "Whether to keep it, with its pictures and alerts, however old it becomes" }),
  ...readOnly(EventWithDetections, ["reviewed", "notes", "pinned"]),
};

export const EventId = z.int().meta({ description: "Id of the event", example: 1207 });
export const EventReview = z.strictObject({ ...review, id: EventId });

/** An event from another source. */
export const NewEvent = z
  .strictObject({
    camera_id: z.string().meta({ description: "Id of a camera that is not deleted" }),
    started_at: StorableInstant.meta({ description: "Start of the event" }),
    ended_at: StorableInstant.nullish().meta({ description: "End of the event (default: its start)" }),
    risk_score: IntBetween(...ranges.riskScore)
      .nullable()
      .optional()
      .meta({ description: "Risk score; without it homesec scores the event" }),
    risk_level: EnumText(riskLevels).nullable().optional().meta({ description: "Ignored; computed from the score" }),
    summary: orElse(z.string().max(4000), "").meta({ description: "Summary in one sentence (default: the one of the analysis)" }),
    reasoning: orElse(z.string().max(40_000), "").meta({ description: "Reasoning behind the score (default: the one of the analysis)" }),
    batch_id: z.string().min(1).max(200).nullable().optional().meta({ description: "Any unique text" }),
    detection_ids: orElse(z.array(z.int()).max(1000), []).meta({ description: "Ids of detections of this camera without an event" }),
  })
  .refine(({ started_at, ended_at }) => !ended_at || ended_at >= started_at, {
    error: "Must not be before started_at",
    path: ["ended_at"],
  });

const params = z.object({ event_id: IdText });
const noSuchEvent = "No event has this id, or it is deleted";

export const eventRoutes = {
  listEvents: route.get("/api/events", "List events, newest first", {
    query: z.object({
      ...filterQuery,
      created_since: StartInstant.optional().meta({
        description: "Only events stored at this time or later: a date (YYYY-MM-DD) or an ISO 8601 timestamp",
      }),
      ...pageQuery,
    }),
    reply: listOf(Event),
  }),
  searchEvents: route.get("/api/events/search", "Search events by words, most relevant of the newest first", {
    tier: "search",
    query: z.object({ q: searchText, ...filterQuery, ...pageQuery }),
    reply: listOf(FoundEvent),
  }),
  exportEvents: route.get("/api/events/export", "Export the matching events to a spreadsheet file, newest first", {
    tier: "export",
    query: z.object({
      format: EnumText(exportFormats).optional().meta({ description: "File format; overrides the Accept header (default `csv`)" }),
      excel: BoolText.optional().meta({
        description: "CSV that Excel opens by a double click: byte order mark, and times such as `2026-01-31 23:15:00` (default false)",
      }),
      separator: z.enum(csvSeparators).optional().meta({ description: "Separator of CSV for Excel (default `,`)" }),
      timezone: TimeZoneText.default("UTC").meta({ description: "Time zone of CSV for Excel, named in its titles (default UTC)" }),
      ...filterQuery,
    }),
    reply: { mediaTypes: [exportMediaTypes.csv, exportMediaTypes.xlsx], streamed: true },
  }),
  listDeletedEvents: route.get("/api/events/deleted", "List deleted events, last deleted first", {
    query: z.object(pageQuery),
    reply: listOf(Event),
  }),
  createEvents: route.post("/api/events/bulk", "Create events", {
    tier: "bulk",
    body: z.strictObject({ events: bulkItems(NewEvent, "Events to store") }),
    reply: BulkReply,
    status: 207,
    example: {
      body: {
        events: [
          { camera_id: "front-door", started_at: "2026-01-31T22:15:00.120Z", risk_score: 72, summary: "The neighbour with her dog" },
          { camera_id: "garden", started_at: "2026-01-31T22:15:00.120Z", risk_score: 72, summary: "The neighbour with her dog" },
        ],
      },
      reply: {
        results: [
          { index: 0, status: "success", id: 1207, error: null },
          { index: 1, status: "failed", id: null, error: "camera_id: Camera garden does not exist" },
        ],
      },
    },
  }),
  updateEvents: route.patch("/api/events/bulk", "Review or pin events, or set their notes", {
    tier: "bulk",
    body: z.strictObject({ events: bulkItems(EventReview, "Changes to events") }),
    reply: BulkReply,
    status: 207,
    example: {
      body: {
        events: [
          { id: 1207, reviewed: true, notes: "The neighbour with her dog." },
          { id: 1193, reviewed: true },
        ],
      },
      reply: {
        results: [
          { index: 0, status: "success", id: 1207, error: null },
          { index: 1, status: "failed", id: 1193, error: "id: Event 1193 is deleted" },
        ],
      },
    },
  }),
  deleteEvents: route.delete("/api/events/bulk", "Soft-delete events", {
    tier: "bulk",
    body: z.strictObject({ event_ids: bulkItems(EventId, "Ids of events") }),
    reply: BulkReply,
    status: 207,
    example: { body: { event_ids: [1207, 1193] } },
  }),
  getEvent: route.get("/api/events/{event_id}", "Get an event with its detections", {
    params,
    reply: EventWithDetections,
    refusals: { 404: noSuchEvent },
  }),
  updateEvent: route.patch("/api/events/{event_id}", "Review or pin an event, or set its notes", {
    params,
    body: z.strictObject(review),
    reply: EventWithDetections,
    refusals: { 404: noSuchEvent },
    example: {
      body: { reviewed: true, notes: "The neighbour with her dog." },
      reply: { reviewed: true, notes: "The neighbour with her dog." },
    },
  }),
  deleteEvent: route.delete("/api/events/{event_id}", "Soft-delete an event", {
    params,
    status: 204,
    refusals: { 404: "No event has this id", 409: "The event is pinned, or already deleted" },
  }),
  restoreEvent: route.post("/api/events/{event_id}/restore", "Restore a soft-deleted event", {
    params,
    reply: EventWithDetections,
    refusals: { 404: "No event has this id", 409: "The event is not deleted" },
  }),
  reanalyzeEvent: route.post("/api/events/{event_id}/reanalyze", "Analyse an event again; it keeps its score until the new one is ready", {
    tier: "ai_inference",
    params,
    reply: z.object({ event_id: EventId, status: z.literal("queued").meta({ description: "The analysis is queued" }) }),
    status: 202,
    refusals: { 404: noSuchEvent, 409: "The event is an incident of a camera and has no score" },
  }),
};
