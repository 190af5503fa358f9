import { randomUUID } from "node:crypto";
import { statSync } from "node:fs";
import type { Database, Sql } from "../../../src/platform/database/database.ts";
import { emptyTables } from "../../support/empty-tables.ts";

/** A stored alert and its event. */
export interface StoredAlert {
  readonly alertId: string;
  readonly eventId: number;
}

export interface AlertFacts {
  readonly severity?: "low" | "medium" | "high" | "critical";
  readonly cameraName?: string;
  readonly ruleName?: string;
  readonly summary?: string;
  /** The file of the picture that shows a person; without one there is no detection. */
  readonly picture?: string;
  readonly objectType?: string;
  readonly startedAt?: Date;
  /** Another alert of this event. */
  readonly eventId?: number;
  /** As in the alert's metadata. */
  readonly lateSeconds?: number;
}

/** Deletes every alert and what belongs to it. */
export async function clearAlerts(db: Database): Promise<void> {
  await db.query((sql) => emptyTables(sql, "cameras, jobs, journal"));
}

/** Stores an alert of a judged event, with the verdict that raised it. */
export async function addAlert(db: Database, facts: AlertFacts = {}): Promise<StoredAlert> {
  const alertId = randomUUID();
  const ruleName = facts.ruleName ?? "Somebody at night";
  const startedAt = facts.startedAt ?? new Date("2026-07-01T21:30:00Z");
  return await db.transaction(async (sql) => {
    await sql`
      insert into cameras (camera_id, name, folder_path) values ('gate', ${facts.cameraName ?? "The Gate"}, '/gate')
      on conflict (camera_id) do update set name = excluded.name
    `;
    const eventId = facts.eventId ?? (await addEvent());
    await sql`
      insert into alerts (alert_id, event_id, rule_name, camera_id, severity, dedup_key, alert_metadata, created_at, updated_at)
      values (${alertId}, ${eventId}, ${ruleName}, 'gate', ${facts.severity ?? "high"}, 'gate:rule',
        ${sql.json({ rule_name: ruleName, matched_conditions: ["risk_score >= 60"], channels: [], reason: null, late_seconds: facts.lateSeconds ?? null })}, ${startedAt}, ${startedAt})
    `;
    await sql`
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, evaluated_at)
      values (${eventId}, ${randomUUID()}, ${ruleName}, 1, 'raised', ${["risk_score >= 60"]}, ${[]}, ${alertId}, ${startedAt})
    `;
    return { alertId, eventId };

    async function addEvent(): Promise<number> {
      const [event] = await sql<[{ id: number }]>`
        insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, reasoning, analysis_status)
        values ('gate', ${startedAt}, ${new Date(startedAt.getTime() + 45_000)}, 72, 'high', ${facts.summary ?? "A person at the gate."},
          'It is night.', 'completed')
        returning event_id as id
      `;
      if (facts.picture !== undefined) await insertDetection(sql, event.id, { ...facts, picture: facts.picture, at: startedAt });
      return event.id;
    }
  });
}

/** Adds a detection in a picture file to an event. Returns its id. */
export async function addDetection(
  db: Database,
  eventId: number,
  seen: { readonly picture: string; readonly confidence: number },
): Promise<number> {
  return await db.transaction((sql) => insertDetection(sql, eventId, { ...seen, at: new Date("2026-07-01T21:30:20Z") }));
}

async function insertDetection(
  sql: Sql,
  eventId: number,
  seen: { readonly picture: string; readonly at: Date; readonly objectType?: string; readonly confidence?: number },
): Promise<number> {
  const size = statSync(seen.picture, { throwIfNoEntry: false })?.size ?? 1;
  const [image] = await sql<[{ id: number }]>`
    insert into images (camera_id, path, size_bytes, modified_ns, width, height, found_by, found_at, taken_at, status)
    values ('gate', ${seen.picture}, ${size}, ${Math.floor(Math.random() * 1e9)}, 768, 576, 'watch', ${seen.at}, ${seen.at}, 'processed')
    returning image_id as id
  `;
  const [detection] = await sql<[{ id: number }]>`
    insert into detections (camera_id, event_id, image_id, file_path, detected_at, object_type, confidence, bbox_x, bbox_y, bbox_width, bbox_height)
    values ('gate', ${eventId}, ${image.id}, ${seen.picture}, ${seen.at}, ${seen.objectType ?? "person"}, ${seen.confidence ?? 0.9}, 10, 20, 60, 120)
    returning detection_id as id
  `;
  return detection.id;
}

/** Stores an event that the cooldown of this alert held back. Returns its id. */
export async function addHeldBack(
  db: Database,
  alertId: string,
  event: { readonly riskScore: number; readonly summary: string; readonly deleted?: boolean },
): Promise<number> {
  return await db.transaction(async (sql) => {
    const [row] = await sql<[{ id: number }]>`
      insert into events (camera_id, started_at, ended_at, risk_score, risk_level, summary, analysis_status, deleted_at)
      values ('gate', ${new Date(Date.UTC(2026, 6, 1, 21, 31 + event.riskScore - 40))}, now(), ${event.riskScore}, 'medium', ${event.summary}, 'completed',
        ${event.deleted ? new Date() : null})
      returning event_id as id
    `;
    await sql`
      insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, suppressed_by, evaluated_at)
      values (${row.id}, ${randomUUID()}, 'Somebody at night', 1, 'suppressed', ${["risk_score >= 60"]}, ${[]}, ${alertId}, now())
    `;
    return row.id;
  });
}
