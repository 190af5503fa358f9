import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { TestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";

/** The ids used in the help examples. */
export const ids = {
  alert: "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a11",
  otherAlerts: ["5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a12", "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a13", "5f0c9d6e-3f6b-4f0e-9a52-0c6f1f0e7a14"],
  delivery: "7d3a1f5e-8f0e-4f58-9a35-1f2b6d0c9e21",
  entity: "3f0c7a52-8f0e-4a35-9d0b-6a8f0f6f5f11",
  silence: "0e3cb4f5-62b1-4c3a-9b0e-5f6f0d5a7c11",
} as const;

/** Escape sequences and text direction marks, as names that older versions accepted, and texts of services, may contain them. */
const evil = "a\u001b[2Jb\u009b31m\u202ec";

interface Place {
  readonly url: string;
  readonly key: string;
  readonly hook: string;
  readonly database: TestDatabase;
  readonly folder: string;
}

/** Adds one of everything to a home, mostly through the API, and waits until no work is left. */
export async function furnish(place: Place): Promise<void> {
  const { folder, database } = place;
  await addCameras(place);
  const file = join(folder, "data", "cameras", "front-door", "a.jpg");
  await renameIn(file, await uniqueJpeg(1));
  const patience = { timeoutMs: 60_000 };
  const counted = async (what: string): Promise<number> => {
    const [row] = await database.db.query((sql) => sql.unsafe<{ count: number }[]>(`select count(*) as count from ${what}`));
    return row?.count ?? 0;
  };
  await eventually(() => counted("images i where i.status = 'processed'"), { ...patience, what: "a picture that was looked at" });
  // the incident of the camera with the unreadable folder; its event gets an id below the known ones
  await eventually(() => counted("camera_incidents i where i.event_id is not null"), { ...patience, what: "the incident of a folder" });
  await addEvents(place, file);
  // an event that is evaluated after the rules are added would raise alerts
  await eventually(async () => (await counted("jobs j where j.status <> 'dead'")) === 0, { ...patience, what: "the end of all work" });
  await addRest(place);
  await Promise.all([
    uniqueJpeg().then((bytes) => writeFile(join(folder, "visitor.jpg"), bytes)),
    writeFile(join(folder, "rules.yaml"), "name: From a file\nobject_types: [dog]\n"),
    writeFile(join(folder, "wanted.json"), "[42]"),
    writeFile(join(folder, "unwanted.json"), `{"event_id": 42, "matches": false}\n`),
    writeFile(join(folder, "token.txt"), "t0ken\n"),
    writeFile(join(folder, "damaged.backup"), "this is none\n"),
  ]);
}

async function ask({ url, key }: Place, method: string, path: string, body: unknown): Promise<Readonly<Record<string, unknown>>> {
  const headers = { "Content-Type": "application/json", "X-API-Key": key };
  const response = await fetch(`${url}${path}`, { method, headers, body: JSON.stringify(body) });
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Readonly<Record<string, unknown>>;
}

async function addCameras(place: Place): Promise<void> {
  const named = { "front-door": "Front door", garage: "Garage", yard: "Yard", evil: "evil" };
  for (const [camera_id, name] of Object.entries(named)) await ask(place, "POST", "/api/cameras", { camera_id, name });
  await place.database.db.query((sql) => sql`update cameras set name = ${evil} where camera_id = 'evil'`);
  await ask(place, "POST", "/api/cameras", { camera_id: "elsewhere", name: "Elsewhere", folder_path: "/etc" });
}

async function addEvents(place: Place, file: string): Promise<void> {
  await place.database.db.query(
    (sql) => sql`
      select setval(pg_get_serial_sequence('events', 'event_id'), 41), setval(pg_get_serial_sequence('detections', 'detection_id'), 6),
             setval(pg_get_serial_sequence('jobs', 'job_id'), 100)
    `,
  );
  const seen = { detected_at: "2025-03-01T10:00:10Z", bbox_x: 10, bbox_y: 20, bbox_width: 30, bbox_height: 40 };
  await ask(place, "POST", "/api/detections/bulk", {
    detections: [
      { ...seen, camera_id: "front-door", file_path: file, object_type: "person", confidence: 0.91 },
      { ...seen, camera_id: "yard", file_path: "/srv/yard/b.jpg", object_type: "dog", confidence: 0.6 },
    ],
  });
  const event = { started_at: "2025-03-01T10:00:00Z", ended_at: "2025-03-01T10:00:42Z" };
  const ladder = { risk_score: 72, summary: "A person with a ladder", reasoning: "It is late.", detection_ids: [7] };
  await ask(place, "POST", "/api/events/bulk", {
    events: [
      { ...event, camera_id: "front-door", ...ladder },
      { ...event, camera_id: "yard", risk_score: 20, summary: "A dog", detection_ids: [8] },
      { ...event, camera_id: "evil", risk_score: 10, summary: evil, reasoning: evil },
    ],
  });
}

async function addRest(place: Place): Promise<void> {
  const { hook, database } = place;
  await ask(place, "POST", "/api/alerts/rules", { name: "evil", enabled: false });
  await database.db.query((sql) => sql`update rules set name = ${evil} where name = 'evil'`);
  await ask(place, "POST", "/api/alerts/rules", { name: "Person at night", severity: "high", object_types: ["person"] });
  const webhook = { url: hook, event_types: ["entity_discovered"] };
  const chat = await ask(place, "POST", "/api/outbound-webhooks", { ...webhook, name: "chat" });
  await ask(place, "POST", "/api/outbound-webhooks", { ...webhook, name: "archive", enabled: false });
  await database.db.query(async (sql) => {
    for (const id of [ids.alert, ...ids.otherAlerts]) {
      const status = id === ids.otherAlerts[0] ? "pending" : "delivered";
      await sql`
        insert into alerts (alert_id, event_id, camera_id, rule_name, severity, status, dedup_key, alert_metadata, created_at, updated_at, delivered_at)
        values (${id}, 42, 'front-door', 'Person at night', 'high', ${status}, 'front-door:x',
                '{"rule_name": "Person at night", "matched_conditions": ["object_type in [person]"], "channels": [], "reason": null}',
                '2025-03-01T10:01:00Z', '2025-03-01T10:01:00Z', ${status === "delivered" ? "2025-03-01T10:01:02Z" : null})
      `;
    }
    await sql`
      insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, status, status_code, response_time_ms, error_message,
                                      attempt_count, created_at, message_id, data, emitted_at)
      values (${ids.delivery}, ${String(chat["id"])}, 'alert_fired', '1', 'failed', 500, 12, 'answered 500',
              1, '2025-03-01T10:02:00Z', ${ids.delivery}, '{}', '2025-03-01T10:02:00Z')
    `;
    await sql`
      insert into entities (entity_id, object_type, first_seen_at, last_seen_at, detection_count, representative_detection_id,
                            representative_confidence, created_at)
      values (${ids.entity}, 'person', '2025-03-01T10:00:10Z', '2025-03-01T10:00:10Z', 1, 7, 0.91, '2025-03-01T10:00:12Z')
    `;
    await sql`
      insert into entity_cameras (entity_id, camera_id, first_seen_at, last_seen_at, detection_count)
      values (${ids.entity}, 'front-door', '2025-03-01T10:00:10Z', '2025-03-01T10:00:10Z', 1)
    `;
    await sql`
      update detections set entity_id = ${ids.entity}, picture_width = 1920, picture_height = 1080
      where detection_id = 7
    `;
    await sql`
      insert into camera_masks (mask_id, camera_id, object_type, box_x, box_y, box_width, box_height, created_at) overriding system value
      values (8, 'yard', 'person', 0.5, 0.5, 0.1, 0.2, '2025-03-01T10:00:00Z'), (9, 'yard', 'car', 0.5, 0.5, 0.1, 0.2, '2025-03-01T10:00:00Z')
    `;
    await sql`select setval(pg_get_serial_sequence('camera_masks', 'mask_id'), 9)`;
    await sql`
      insert into silences (silence_id, camera_id, reason, created_at, ends_at, ended_at, told_at)
      values (${ids.silence}, 'yard', 'The painters are here', '2025-03-01T08:00:00Z', '2025-03-01T09:00:00Z', '2025-03-01T09:00:00Z',
              '2025-03-01T09:00:00Z')
    `;
    await sql`
      insert into scene_changes (scene_change_id, camera_id, detected_at, change_type, similarity_score) overriding system value
      values (3, 'front-door', '2025-03-01T11:00:00Z', 'view_moved', 0.4), (4, 'front-door', '2025-03-01T12:00:00Z', 'view_blocked', 0.1)
    `;
    await sql`
      insert into anomalies (camera_id, occurred_at, detection_class, anomaly_score, expected_frequency, observed_frequency, reason, created_at)
      values ('front-door', now() - interval '1 day', 'person', 3.5, 0.2, 4, 'more than ever', now() - interval '1 day')
    `;
    await sql`
      insert into images (image_id, camera_id, path, size_bytes, modified_ns, found_by, found_at, taken_at, status, reason, finished_at)
             overriding system value
      values (1000, 'yard', '/nowhere/a.jpg', 1, 1, 'watch', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00Z', 'skipped', 'refused',
              '2025-03-01T10:00:00Z'),
             (1001, 'yard', '/nowhere/b.jpg', 1, 1, 'watch', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00Z', 'skipped', 'refused',
              '2025-03-01T10:00:00Z')
    `;
    await sql`
      insert into jobs (job_id, queue, subject, status, position, available_at, attempts, last_error) overriding system value
      values (17, 'detect', '1000', 'dead', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00Z', 1, 'the picture cannot be read'),
             (19, 'detect', '1001', 'dead', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00Z', 1, 'the picture cannot be read'),
             (18, 'analyze', '43', 'dead', '2025-03-01T10:00:00Z', '2025-03-01T10:00:00Z', 3, 'no answer')
    `;
  });
}
