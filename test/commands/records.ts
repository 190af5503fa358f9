/** Records as the API sends them, for the stand-in. */
export const now = new Date("2026-01-31T12:00:00Z");

export const camera = {
  camera_id: "front-door",
  name: "Front door",
  folder_path: "/srv/cameras/front-door",
  status: "online",
  last_seen_at: "2026-01-31T11:57:00.000Z",
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-31T11:57:00.000Z",
  deleted_at: null,
  file_pattern: null,
  time_zone: null,
  time_template: "auto",
  clock_offset_seconds: null,
};

export const detection = {
  id: 7,
  camera_id: "front-door",
  file_path: "/srv/cameras/front-door/2026/01/31/a.jpg",
  file_type: "image/jpeg",
  detected_at: "2026-01-31T11:56:30.000Z",
  object_type: "person",
  confidence: 0.914,
  bbox_x: 10,
  bbox_y: 20,
  bbox_width: 30,
  bbox_height: 40,
  thumbnail_path: null,
  event_id: 42,
  batch_id: "6f2f1f0e-5a44-4a9e-9b1f-6a4d6b1f0a11",
  enrichment: null,
  created_at: "2026-01-31T11:56:31.000Z",
  captured_at: null,
  parked_since: null,
};

export const event = {
  id: 42,
  kind: "event",
  batch_id: "6f2f1f0e-5a44-4a9e-9b1f-6a4d6b1f0a11",
  camera_id: "front-door",
  started_at: "2026-01-31T11:56:30.000Z",
  ended_at: "2026-01-31T11:57:12.000Z",
  risk_score: 72,
  risk_level: "high",
  summary: "One person at the front door",
  reasoning: "A person stood there for 42 s.",
  reviewed: false,
  notes: "",
  pinned: false,
  pinned_at: null,
  pinned_by: null,
  ongoing: false,
  detection_count: 1,
  detection_ids: [7],
  object_types: ["person"],
  thumbnail_url: null,
  analysis_status: "completed",
  risk_factors: [
    { name: "person", contribution: 60, detail: "91 % sure" },
    { name: "dwell", contribution: 12 },
  ],
  analyzed_by: "built-in scorer",
  created_at: "2026-01-31T11:57:42.000Z",
  deleted_at: null,
};

/** A page of a list. */
export function page(total: number, nextCursor: string | null = null) {
  return { total, limit: 50, offset: 0, next_cursor: nextCursor, has_more: nextCursor !== null };
}
