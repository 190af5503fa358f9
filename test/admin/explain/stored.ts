import { randomUUID } from "node:crypto";
import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { LeftOut } from "../../../src/monitoring/upstream/left-out.ts";
import type { Desk } from "../../support/operations.ts";

/** Start of the stored chain. */
export const start = new Date("2026-03-01T22:15:00Z");

/** Returns the time this many seconds after the start. */
export const atSecond = (seconds: number): Date => new Date(start.getTime() + seconds * 1000);

/** Inserts the rows of a chain into a test database, as the stages leave them. */
export interface Stored {
  camera(id: string): Promise<string>;
  image(how?: Partial<ImageRow>): Promise<number>;
  /** Inserts a closed batch and its event, with a detection on each picture. */
  event(how: { readonly images: readonly number[]; readonly score?: number | null; readonly failed?: boolean }): Promise<number>;
  attempt(
    eventId: number,
    attempt: number,
    how: { readonly outcome: string; readonly answer?: string; readonly error?: string },
  ): Promise<void>;
  rule(name: string, how?: { readonly threshold?: number; readonly enabled?: boolean; readonly createdAt?: Date }): Promise<string>;
  alert(eventId: number, ruleId: string, how?: { readonly status?: string; readonly at?: Date }): Promise<string>;
  verdict(eventId: number, ruleId: string, how: VerdictRow): Promise<void>;
  notification(
    alertId: string,
    how: { readonly channel: string; readonly status: string; readonly reason?: string; readonly tries: readonly string[] },
  ): Promise<void>;
  delivery(
    subject: string,
    how: { readonly type: string; readonly status: string; readonly tries: readonly (number | string)[] },
  ): Promise<void>;
}

interface ImageRow {
  readonly cameraId: string;
  readonly name: string;
  readonly status: string;
  readonly reason: string;
  readonly detail: string;
  readonly foundBy: "watch" | "scan";
  readonly takenAt: Date;
  readonly sameContentAs: number;
  readonly detections: number;
  readonly leftOut: readonly LeftOut[];
}

interface VerdictRow {
  readonly outcome: "raised" | "suppressed" | "not_matched";
  readonly matched?: readonly string[];
  readonly failed?: readonly string[];
  readonly alertId?: string;
  readonly suppressedBy?: string;
}

export function storedIn(desk: Desk): Stored {
  const { db, cameraRoot } = desk;
  let images = 0;
  return {
    camera: async (id) => {
      const folder = join(cameraRoot, id);
      await mkdir(folder, { recursive: true });
      await db.query(
        (sql) =>
          sql`insert into cameras (camera_id, name, folder_path, status, created_at) values (${id}, ${id}, ${folder}, 'online', ${atSecond(-86_400)})`,
      );
      return folder;
    },
    image: async (how = {}) => {
      images += 1;
      const cameraId = how.cameraId ?? "yard";
      const path = join(cameraRoot, cameraId, how.name ?? `${images}.jpg`);
      const takenAt = how.takenAt ?? atSecond(images);
      const status = how.status ?? "processed";
      const isLooked = status === "processed";
      const [row] = await db.query(
        (sql) => sql<[{ id: number }]>`
          insert into images (camera_id, path, size_bytes, modified_ns, media_type, width, height, sha256, found_by, found_at, taken_at, status, reason,
            detail, same_content_as, detection_count, detector, inference_ms, left_out, started_at, finished_at)
          values (${cameraId}, ${path}, 41000, ${String(images)}::bigint, 'image/jpeg', 768, 576, '\\x00', ${how.foundBy ?? "watch"},
            ${new Date(takenAt.getTime() + 12)}, ${takenAt}, ${status}, ${how.reason ?? null}, ${how.detail ?? null}, ${how.sameContentAs ?? null},
            ${how.detections ?? (isLooked ? 1 : 0)}, ${isLooked ? "yolo-test" : null}, ${isLooked ? 35 : null},
            ${how.leftOut ? JSON.stringify(how.leftOut) : null}::text::jsonb,
            ${isLooked ? new Date(takenAt.getTime() + 20) : null}, ${isLooked ? new Date(takenAt.getTime() + 60) : null})
          returning image_id as id
        `,
      );
      return row.id;
    },
    event: async ({ images: ids, score = null, failed = false }) => {
      const batchId = randomUUID();
      return await db.transaction(async (sql) => {
        await sql`
          insert into batches (batch_id, camera_id, status, started_at, last_detection_at, due_at, detection_count, opened_at, joined_at, closed_at, close_reason)
          values (${batchId}, 'yard', 'closed', ${atSecond(1)}, ${atSecond(5)}, ${atSecond(35)}, ${ids.length}, ${atSecond(1)}, ${atSecond(5)}, ${atSecond(35)}, 'idle')
        `;
        const status = failed ? "failed" : score === null ? "pending" : "completed";
        const [event] = await sql<[{ id: number }]>`
          insert into events (batch_id, camera_id, started_at, ended_at, risk_score, risk_level, summary, analysis_status, analyzed_by, detection_count,
            object_types, created_at)
          values (${batchId}, 'yard', ${atSecond(1)}, ${atSecond(5)}, ${score}, ${score === null ? null : "medium"}, 'Somebody walked by.', ${status},
            ${score === null ? null : "test-model"}, ${ids.length}, '{person}', ${atSecond(35)})
          returning event_id as id
        `;
        await sql`
          insert into detections (camera_id, image_id, batch_id, event_id, file_path, detected_at, object_type, confidence)
          select i.camera_id, i.image_id, ${batchId}::uuid, ${event.id}::bigint, i.path, i.taken_at, 'person', 0.91
          from images i
          where i.image_id = any (${[...ids]}::bigint[])
        `;
        return event.id;
      });
    },
    attempt: async (eventId, attempt, { outcome, answer, error }) => {
      await db.query(
        (sql) => sql`
          insert into analysis_attempts (event_id, attempt, started_at, finished_at, outcome, analyzed_by, error, answer)
          values (${eventId}, ${attempt}, ${atSecond(35 + attempt)}, ${atSecond(35.8 + attempt)}, ${outcome}, 'test-model', ${error ?? null}, ${answer ?? null})
        `,
      );
    },
    rule: async (name, { threshold, enabled = true, createdAt = atSecond(-3600) } = {}) => {
      const [row] = await db.query(
        (sql) => sql<[{ id: string }]>`
          insert into rules (name, enabled, severity, risk_threshold, dedup_key_template, cooldown_seconds, created_at, updated_at)
          values (${name}, ${enabled}, 'high', ${threshold ?? null}, '{camera_id}:{rule_id}', 300, ${createdAt}, ${createdAt})
          returning rule_id as id
        `,
      );
      return row.id;
    },
    alert: async (eventId, ruleId, { status = "pending", at = atSecond(40) } = {}) => {
      const id = randomUUID();
      await db.query(
        (sql) => sql`
          insert into alerts (alert_id, event_id, rule_id, rule_name, camera_id, severity, status, dedup_key, created_at, delivered_at, updated_at)
          select ${id}::uuid, ${eventId}::bigint, r.rule_id, r.name, 'yard', 'high', ${status}, 'yard:' || r.rule_id, ${at}::timestamptz,
            case when ${status} = 'delivered' then ${at}::timestamptz + interval '2 seconds' end, ${at}::timestamptz
          from rules r
          where r.rule_id = ${ruleId}::uuid
        `,
      );
      return id;
    },
    verdict: async (eventId, ruleId, { outcome, matched = [], failed = [], alertId, suppressedBy }) => {
      await db.query(
        (sql) => sql`
          insert into rule_verdicts (event_id, rule_id, rule_name, rule_version, outcome, matched_conditions, failed_conditions, alert_id, suppressed_by,
            suppressed_until, evaluated_at)
          select ${eventId}::bigint, r.rule_id, r.name, 1, ${outcome}, ${[...matched]}::text[], ${[...failed]}::text[], ${alertId ?? null}::uuid,
            ${suppressedBy ?? null}::uuid, ${suppressedBy === undefined ? null : atSecond(340)}::timestamptz, ${atSecond(40)}::timestamptz
          from rules r
          where r.rule_id = ${ruleId}::uuid
        `,
      );
    },
    notification: async (alertId, { channel, status, reason, tries }) => {
      const id = randomUUID();
      await db.transaction(async (sql) => {
        await sql`
          insert into notifications (notification_id, alert_id, kind, channel, status, reason, attempt_count, expires_at, created_at, finished_at)
          values (${id}, ${alertId}, 'alert', ${channel}, ${status}, ${reason ?? null}, ${tries.length}, ${atSecond(86_440)}, ${atSecond(40)},
            ${status === "waiting" ? null : atSecond(45)})
        `;
        for (const [index, answer] of tries.entries()) {
          const outcome = index < tries.length - 1 || status === "waiting" ? "again" : status === "sent" ? "sent" : "failed";
          await sql`
            insert into notification_attempts (notification_id, attempt, started_at, finished_at, outcome, answer)
            values (${id}, ${index + 1}, ${atSecond(41 + index)}, ${atSecond(41.2 + index)}, ${outcome}, ${answer})
          `;
        }
      });
    },
    delivery: async (subject, { type, status, tries }) => {
      const [webhookId, deliveryId] = [randomUUID(), randomUUID()];
      await db.transaction(async (sql) => {
        await sql`
          insert into webhooks (webhook_id, name, url, event_types, integration_type, sealed_secret, max_retries, retry_delay_seconds, created_at, updated_at)
          values (${webhookId}, 'Team chat', 'http://127.0.0.1:1/', ${[type]}::text[], 'generic', '\\x00', 4, 10, ${start}, ${start})
        `;
        await sql`
          insert into webhook_deliveries (delivery_id, webhook_id, event_type, event_id, data, emitted_at, status, attempt_count, created_at, delivered_at, message_id)
          values (${deliveryId}, ${webhookId}, ${type}, ${subject}, '{}', ${atSecond(40)}, ${status}, ${tries.length}, ${atSecond(40)},
            ${status === "success" ? atSecond(42) : null}, ${deliveryId})
        `;
        for (const [index, answer] of tries.entries()) {
          await sql`
            insert into webhook_delivery_attempts (delivery_id, attempt, started_at, finished_at, status_code, error)
            values (${deliveryId}, ${index + 1}, ${atSecond(41 + index)}, ${atSecond(41.1 + index)}, ${typeof answer === "number" ? answer : null},
              ${typeof answer === "string" ? answer : null})
          `;
        }
      });
    },
  };
}
