import { z } from "zod";
import { routesOf } from "../route.ts";
import { CameraIdText, DayText, Instant } from "../values.ts";

const route = routesOf("analytics");

const Count = z.int().meta({ description: "Number", example: 9 });
const Day = z.string().meta({ format: "date", description: "The day, in the time zone of the daemon", example: "2026-01-31" });
const CameraName = z.string().meta({ description: "Display name", example: "Front door" });

/** A camera and its events of a day. */
const SeenByCamera = z
  .object({
    camera_id: CameraIdText,
    camera_name: CameraName,
    events: Count,
    classes: z
      .array(z.object({ object_type: z.string().meta({ description: "Class of the object", example: "person" }), events: Count }))
      .meta({ description: "Events by class, most frequent first; an event with several classes counts for each" }),
  })
  .meta({ description: "A camera and its events" });

const CameraProblem = z
  .object({
    camera_id: CameraIdText,
    camera_name: CameraName,
    reason: z.string().meta({ description: "What was wrong, in words", example: "no pictures for 3 hours" }),
    started_at: Instant.meta({ description: "Start of the problem, perhaps before the day" }),
    ended_at: Instant.nullable().meta({ description: "End of the problem; null while it lasts" }),
  })
  .meta({ description: "A problem of a camera" });

/** What happened in a day. */
export const DaySummary = z
  .object({
    date: Day,
    started_at: Instant.meta({ description: "Start of the day" }),
    ended_at: Instant.meta({ description: "End of the day, exclusive; now if it is not over" }),
    events: z
      .object({ total: Count, low: Count, medium: Count, high: Count, critical: Count, unscored: Count, unreviewed: Count })
      .meta({ description: "Events that started on the day, by risk level" }),
    cameras: z.array(SeenByCamera).meta({ description: "Every camera, the one with the most events first" }),
    alerts: z
      .object({ total: Count, acknowledged: Count, dismissed: Count, open: Count })
      .meta({ description: "Alerts raised on the day, by their status now" }),
    hidden: z
      .object({
        silenced: Count.meta({ description: "Alerts that silences muted" }),
        masked: Count.meta({ description: "Detections at ignored spots" }),
        parked: Count.meta({ description: "Detections of parked vehicles" }),
      })
      .meta({ description: "What raised no alert on purpose" }),
    problems: z.array(CameraProblem).meta({ description: "Problems of cameras on the day, oldest first" }),
    pending: z
      .object({
        pictures: Count.meta({ description: "Pictures that wait for the detector" }),
        judgements: Count.meta({ description: "Events that wait for their score" }),
        messages: Count.meta({ description: "Messages that wait to be sent" }),
        failed: Count.meta({ description: "Dead letters: work that failed for good" }),
      })
      .meta({ description: "Work that waits now, whatever the day" }),
  })
  .meta({ id: "DaySummary", description: "What was seen, alerted and hidden in a day, and what was wrong" });

export const summaryRoutes = {
  getSummary: route.get("/api/summary", "Summarise a day: what was seen per camera, alerted, hidden, and what was wrong", {
    query: z.object({
      date: DayText.optional().meta({ format: "date", description: "The day (YYYY-MM-DD) in the time zone of the daemon; default today" }),
    }),
    reply: DaySummary,
    etag: true,
    refusals: { 400: "The day is in the future" },
    example: {
      reply: {
        events: { total: 9, low: 6, medium: 2, high: 1, critical: 0, unscored: 0, unreviewed: 3 },
        alerts: { total: 2, acknowledged: 1, dismissed: 0, open: 1 },
        hidden: { silenced: 1, masked: 12, parked: 240 },
        pending: { pictures: 0, judgements: 0, messages: 0, failed: 0 },
      },
    },
  }),
};
