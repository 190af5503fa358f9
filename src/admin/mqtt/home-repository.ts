import type { Severity } from "../../alerting/rules/rule.ts";
import { privatePartsOf } from "../../monitoring/cameras/cameras-repository.ts";
import type { RiskLevel } from "../../monitoring/events/event.ts";
import type { Sql } from "../../platform/database/database.ts";
import type { CameraNow, OpenAlerts } from "./home.ts";

/** A row of a camera, with its newest event. */
interface CameraRow extends Pick<CameraNow, "id" | "name" | "status" | "reason" | "lastSeenAt" | "pictureOf" | "privateParts"> {
  readonly seen: Readonly<Record<string, string>> | null;
  readonly eventId: number | null;
  readonly startedAt: Date;
  readonly endedAt: Date;
  readonly riskScore: number | null;
  readonly riskLevel: RiskLevel | null;
  readonly summary: string;
  readonly objectTypes: readonly string[];
}

/**
 * Returns the cameras that are not deleted, by id. The picture is of the newest detection while a visit lasts, and the best one of the
 * newest event afterwards. Detections count as seen lately from `since` on.
 */
export async function camerasNow(sql: Sql, since: Date): Promise<readonly Omit<CameraNow, "classes" | "silencedUntil">[]> {
  const rows = await sql<CameraRow[]>`
    select c.camera_id as id, c.name, c.status, c.status_reason as reason, c.last_seen_at as "lastSeenAt", (
        select jsonb_object_agg(s.object_type, s.at)
        from (
          select d.object_type, max(d.detected_at) as at
          from detections d
          where d.camera_id = c.camera_id
            and d.detected_at > ${since}
            and d.parked_since is null
            and d.mask_id is null
          group by d.object_type
        ) s
      ) as seen,
      e.event_id as "eventId", e.started_at as "startedAt", e.ended_at as "endedAt", e.risk_score as "riskScore",
      e.risk_level as "riskLevel", e.summary, e.object_types as "objectTypes",
      coalesce(visit.detection_id, e.cover_detection_id) as "pictureOf",
      ${privatePartsOf(sql, sql`c.camera_id`)} as "privateParts"
    from cameras c
    left join lateral (
      select n.event_id, n.started_at, n.ended_at, n.risk_score, n.risk_level, n.summary, n.object_types, n.cover_detection_id
      from events n
      where n.camera_id = c.camera_id
        and n.deleted_at is null
        and n.kind = 'event'
      order by n.started_at desc, n.event_id desc
      limit 1
    ) e on true
    left join lateral (
      select d.detection_id
      from batches b
      -- by camera and time, for which there is an index
      join detections d on d.batch_id = b.batch_id and d.camera_id = b.camera_id and d.detected_at >= b.started_at
      where b.camera_id = c.camera_id
        and b.status = 'open'
      order by d.detected_at desc, d.detection_id desc
      limit 1
    ) visit on true
    where c.deleted_at is null
    order by c.camera_id
  `;
  return rows.map(({ seen, eventId, startedAt, endedAt, riskScore, riskLevel, summary, objectTypes, ...camera }) => ({
    ...camera,
    seen: Object.fromEntries(Object.entries(seen ?? {}).map(([objectType, at]) => [objectType, new Date(at)])),
    event: eventId === null ? null : { id: eventId, startedAt, endedAt, riskScore, riskLevel, summary, objectTypes },
  }));
}

/** Returns the ids of deleted cameras. */
export async function deletedCameras(sql: Sql): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select c.camera_id as id
    from cameras c
    where c.deleted_at is not null
    order by c.camera_id
  `;
  return rows.map(({ id }) => id);
}

/** Returns the classes that each camera has ever seen. It reads a row per day, so that it is not asked each second. */
export async function classesOfCameras(sql: Sql): Promise<readonly { readonly cameraId: string; readonly classes: readonly string[] }[]> {
  return await sql<{ cameraId: string; classes: string[] }[]>`
    select s.camera_id as "cameraId", array_agg(s.object_type order by s.object_type) as classes
    from (
      select d.camera_id, d.object_type
      from detections_per_day d
      group by d.camera_id, d.object_type
      having sum(d.count) > 0
    ) s
    group by s.camera_id
  `;
}

/** A row with what is known of open alerts; `id` and what follows are of the newest. */
interface AlertsRow extends Omit<OpenAlerts, "newest"> {
  readonly id: string | null;
  readonly eventId: number;
  readonly cameraId: string;
  readonly severity: Severity;
  readonly ruleName: string;
  readonly createdAt: Date;
}

/** Returns what is known of the alerts that no one has acknowledged or dismissed. */
export async function openAlerts(sql: Sql, now: Date): Promise<OpenAlerts> {
  const [row] = await sql<[AlertsRow]>`
    with open as materialized (
      select a.alert_id, a.event_id, a.camera_id, a.severity, a.rule_name, a.created_at, a.held_until,
        coalesce(a.held_until > ${now}::timestamptz, false) as is_held
      from alerts a
      where a.status in ('pending', 'delivered')
    )
    select f.*, n.alert_id as id, n.event_id as "eventId", n.camera_id as "cameraId", n.severity, n.rule_name as "ruleName",
      n.created_at as "createdAt"
    from (
      select count(*) as count,
        case max(array_position(array['low', 'medium', 'high', 'critical'], o.severity))
          when 1 then 'low' when 2 then 'medium' when 3 then 'high' when 4 then 'critical'
        end as highest,
        max(o.created_at) filter (where o.severity in ('high', 'critical') and not o.is_held) as "gravestSince",
        max(o.held_until) filter (where o.is_held) as "heldUntil"
      from open o
    ) f
    left join lateral (
      select o.*
      from open o
      order by o.created_at desc, o.alert_id desc
      limit 1
    ) n on true
  `;
  const { count, highest, gravestSince, heldUntil, id, ...newest } = row;
  return { count, highest, gravestSince, heldUntil, newest: id === null ? null : { id, ...newest } };
}
