import type { z } from "zod";
import type { Event, EventReview, eventRoutes, NewEvent } from "../routes/events.ts";
import { cameraId, cameraName } from "./cameras.ts";
import { dog, person } from "./detections.ts";
import type { ExamplesOf } from "./example.ts";
import { batchId, eventId, incidentId } from "./ids.ts";
import { halfDone, listOf } from "./page.ts";

/** A person with a dog at the front door, as judged by the built-in scorer. */
export const event = {
  id: eventId,
  kind: "event",
  batch_id: batchId,
  camera_id: cameraId,
  started_at: person.detected_at,
  ended_at: dog.detected_at,
  risk_score: 72,
  risk_level: "high",
  summary: `1 person and 1 dog at ${cameraName}, 23:15, for 40 s.`,
  reasoning:
    "Judged by the built-in scorer of homesec, which adds up points for the facts and has not seen the pictures: person present +32, at night +36, long stay +4; together 72 of 100.",
  reviewed: false,
  notes: "",
  detection_count: 2,
  detection_ids: [person.id, dog.id],
  object_types: ["dog", "person"],
  thumbnail_url: `/api/detections/${person.id}/thumbnail`,
  analysis_status: "completed",
  risk_factors: [
    { name: "person present", contribution: 32, detail: "the detector is 89 % sure" },
    { name: "at night", contribution: 36, detail: "Saturday, 23:15 Europe/Berlin" },
    { name: "long stay", contribution: 4, detail: "40 s" },
  ],
  analyzed_by: "built-in scorer",
  created_at: "2026-01-31T22:16:10.901Z",
  deleted_at: null,
} satisfies z.input<typeof Event>;

/** An incident of the same camera, which was deleted. */
const incident = {
  ...event,
  id: incidentId,
  kind: "camera_health",
  batch_id: null,
  started_at: "2026-01-29T11:02:00.000Z",
  ended_at: "2026-01-29T13:47:31.220Z",
  risk_score: null,
  risk_level: null,
  summary: `Camera ${cameraName} was silent for 3 h: no picture came, and one every 5 minutes is usual.`,
  reasoning: "",
  reviewed: true,
  notes: "Its power supply was pulled out.",
  detection_count: 0,
  detection_ids: [],
  object_types: [],
  thumbnail_url: null,
  analysis_status: "completed",
  risk_factors: [],
  analyzed_by: null,
  created_at: "2026-01-29T11:40:00.118Z",
  deleted_at: "2026-01-30T07:15:22.004Z",
} satisfies z.input<typeof Event>;

const withDetections = { ...event, detections: [person, dog] };
const review = { reviewed: true, notes: "The neighbour with her dog." };

const newEvent = {
  camera_id: cameraId,
  started_at: person.detected_at,
  ended_at: dog.detected_at,
  risk_score: 72,
  summary: "The neighbour with her dog",
  detection_ids: [person.id, dog.id],
} satisfies z.input<typeof NewEvent>;

export const eventExamples = {
  listEvents: { reply: listOf(event) },
  searchEvents: {
    reply: listOf({
      ...event,
      relevance_score: 0.61,
      highlight: `1 person and 1 <mark>dog</mark> at ${cameraName}, 23:15, for 40 s.`,
    }),
  },
  listDeletedEvents: { reply: listOf(incident) },
  createEvents: {
    body: { events: [newEvent, { ...newEvent, camera_id: "garden", detection_ids: [] }] satisfies z.input<typeof NewEvent>[] },
    reply: halfDone(eventId, { id: null, error: "camera_id: Camera garden does not exist" }),
  },
  updateEvents: {
    body: {
      events: [
        { id: eventId, ...review },
        { id: incidentId, reviewed: true },
      ] satisfies z.input<typeof EventReview>[],
    },
    reply: halfDone(eventId, { id: incidentId, error: `id: Event ${incidentId} is deleted` }),
  },
  deleteEvents: {
    body: { event_ids: [eventId, incidentId] },
    reply: halfDone(eventId, { id: incidentId, error: `Event ${incidentId} is deleted already` }),
  },
  getEvent: { reply: withDetections },
  updateEvent: { body: review, reply: { ...withDetections, ...review } },
  restoreEvent: { reply: { ...incident, deleted_at: null, detections: [] } },
  reanalyzeEvent: { reply: { event_id: eventId, status: "queued" } },
} satisfies ExamplesOf<typeof eventRoutes>;
