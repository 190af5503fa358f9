import { z } from "zod";
import { BulkReply, bulkItems } from "../bulk.ts";
import { listOf, pageQuery } from "../page.ts";
import { route } from "../route.ts";
import { BoolText, EndInstant, EnumText, IdText, Instant, IntText, readOnly, StartInstant, StorableInstant } from "../values.ts";
import { Detection } from "./detections.ts";

export const riskLevels = ["low", "medium", "high", "critical"] as const;
/** What an event is: something that a camera saw, or something that is wrong with a camera. */
export const eventKinds = ["event", "camera_health"] as const;
export const analysisStatuses = ["pending", "completed", "failed"] as const;

/** One reason behind a score; `contribution` is in points of the score. */
export const RiskFactor = z
  .object({ name: z.string(), contribution: z.number(), detail: z.string().optional() })
  .meta({ id: "RiskFactor" });

export const Event = z
  .object({
    id: z.int(),
    kind: z.enum(eventKinds).meta({ description: "`camera_health`: an incident of the camera, without detections and never judged" }),
    batch_id: z.string().nullable(),
    camera_id: z.string(),
    started_at: Instant,
    ended_at: Instant,
    risk_score: z.int().nullable().meta({ description: "0 to 100; null until judged, and when the analysis failed" }),
    risk_level: z.enum(riskLevels).nullable().meta({ description: "From the configured lower bounds, always computed from the score" }),
    summary: z.string(),
    reasoning: z.string(),
    reviewed: z.boolean(),
    notes: z.string(),
    detection_count: z.int(),
    detection_ids: z.array(z.int()),
    object_types: z.array(z.string()),
    thumbnail_url: z.string().nullable(),
    analysis_status: z.enum(analysisStatuses),
    risk_factors: z.array(RiskFactor),
    analyzed_by: z.string().nullable().meta({ description: "Who judged: the model's name, or built-in scorer" }),
    created_at: Instant,
    deleted_at: Instant.nullable(),
  })
  .meta({ id: "Event" });

export const EventWithDetections = Event.extend({ detections: z.array(Detection) }).meta({ id: "EventWithDetections" });

/** An event that a search found. */
export const FoundEvent = Event.extend({
  relevance_score: z.number().meta({ description: "From 0 to 1, for this query" }),
  highlight: z.string().nullable().meta({
    description:
      "Where the words occur: HTML in which <mark> surrounds them and everything else is escaped; null when they occur in no text",
  }),
}).meta({ id: "FoundEvent" });

/** What lists, searches and exports are narrowed by. */
const filterQuery = {
  camera_id: z.array(z.string()).optional(),
  risk_level: z.array(EnumText(riskLevels)).optional(),
  object_type: z.array(z.string()).optional(),
  start_date: StartInstant.optional(),
  end_date: EndInstant.optional(),
  reviewed: BoolText.optional(),
  min_risk_score: IntText(0, 100).optional(),
  kind: EnumText([...eventKinds, "all"])
    .optional()
    .meta({ description: "Default: `event`, what cameras saw. `camera_health` is what was wrong with cameras" }),
};

const searchText = z.string().min(1).max(1000).meta({
  description:
    'Words that all occur, `"words side by side"`, `this OR that`, `-without` or `NOT without`, and `beginning*`, in summary, reasoning, notes, camera name and classes; neither case nor accents count',
});

/** The files that events can be exported to. */
export const exportFormats = ["csv", "xlsx"] as const;
export const exportMediaTypes = {
  csv: "text/csv; charset=utf-8",
  xlsx: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
} as const;

/** What a person says about an event; the rest of its record is accepted and ignored. */
const review = {
  reviewed: z.boolean().optional(),
  notes: z.string().max(4000).optional(),
  ...readOnly(Event, ["reviewed", "notes"]),
  detections: z.unknown().optional(),
};

export const EventId = z.int().meta({ description: "Id of an event" });
export const EventReview = z.strictObject({ ...review, id: EventId });

/** An event to store that came from elsewhere. */
export const NewEvent = z
  .strictObject({
    camera_id: z.string(),
    started_at: StorableInstant,
    ended_at: StorableInstant.optional().meta({ description: "Default: when it started" }),
    risk_score: z.int().min(0).max(100).nullable().optional().meta({ description: "Without one the event is judged like any other" }),
    risk_level: EnumText(riskLevels).nullable().optional().meta({ description: "Not looked at: it is computed from the score" }),
    summary: z.string().max(4000).default(""),
    reasoning: z.string().max(40_000).default(""),
    batch_id: z.string().min(1).max(200).nullable().optional(),
    detection_ids: z.array(z.int()).max(1000).default([]).meta({ description: "Detections of this camera that belong to no event yet" }),
  })
  .refine(({ started_at, ended_at }) => ended_at === undefined || ended_at >= started_at, {
    error: "Must not be before started_at",
    path: ["ended_at"],
  });

const params = z.object({ event_id: IdText });
const noSuchEvent = "No event has this id, or it is deleted";

export const eventRoutes = {
  listEvents: route("/api/events", {
    method: "get",
    summary: "List events, newest first",
    tag: "events",
    query: z.object({ ...filterQuery, ...pageQuery }),
    reply: listOf(Event),
  }),
  searchEvents: route("/api/events/search", {
    method: "get",
    summary: "Search the events by words, the most relevant of the newest first",
    tag: "events",
    tier: "search",
    query: z.object({ q: searchText, ...filterQuery, ...pageQuery }),
    reply: listOf(FoundEvent),
  }),
  exportEvents: route("/api/events/export", {
    method: "get",
    summary: "All events that match, newest first, as a file for a spreadsheet",
    tag: "events",
    tier: "export",
    query: z.object({
      format: EnumText(exportFormats).optional().meta({ description: "Beats the Accept header; without either it is csv" }),
      ...filterQuery,
    }),
    reply: { mediaTypes: [exportMediaTypes.csv, exportMediaTypes.xlsx], streamed: true },
  }),
  listDeletedEvents: route("/api/events/deleted", {
    method: "get",
    summary: "List the deleted events, last deleted first",
    tag: "events",
    query: z.object(pageQuery),
    reply: listOf(Event),
  }),
  createEvents: route("/api/events/bulk", {
    method: "post",
    summary: "Store events, each by itself",
    tag: "events",
    tier: "bulk",
    body: z.strictObject({ events: bulkItems(NewEvent) }),
    reply: BulkReply,
    status: 207,
  }),
  updateEvents: route("/api/events/bulk", {
    method: "patch",
    summary: "Mark events as reviewed, or note something on them, each by itself",
    tag: "events",
    tier: "bulk",
    body: z.strictObject({ events: bulkItems(EventReview) }),
    reply: BulkReply,
    status: 207,
  }),
  deleteEvents: route("/api/events/bulk", {
    method: "delete",
    summary: "Delete events, each by itself; they can be restored",
    tag: "events",
    tier: "bulk",
    body: z.strictObject({ event_ids: bulkItems(EventId) }),
    reply: BulkReply,
    status: 207,
  }),
  getEvent: route("/api/events/{event_id}", {
    method: "get",
    summary: "One event with its detections",
    tag: "events",
    params,
    reply: EventWithDetections,
    refusals: { 404: noSuchEvent },
  }),
  updateEvent: route("/api/events/{event_id}", {
    method: "patch",
    summary: "Mark an event as reviewed, or note something on it",
    tag: "events",
    params,
    body: z.strictObject(review),
    reply: EventWithDetections,
    refusals: { 404: noSuchEvent },
  }),
  deleteEvent: route("/api/events/{event_id}", {
    method: "delete",
    summary: "Delete an event; it can be restored",
    tag: "events",
    params,
    status: 204,
    refusals: { 404: "No event has this id", 409: "It is deleted already" },
  }),
  restoreEvent: route("/api/events/{event_id}/restore", {
    method: "post",
    summary: "Bring a deleted event back",
    tag: "events",
    params,
    reply: EventWithDetections,
    refusals: { 404: "No event has this id", 409: "It is not deleted" },
  }),
  reanalyzeEvent: route("/api/events/{event_id}/reanalyze", {
    method: "post",
    summary: "Have an event judged again; it keeps its score until the new one is there",
    tag: "events",
    tier: "ai_inference",
    params,
    reply: z.object({ event_id: z.int(), status: z.literal("queued") }),
    status: 202,
    refusals: { 404: noSuchEvent, 409: "It is an incident of a camera, which is not judged" },
  }),
};
