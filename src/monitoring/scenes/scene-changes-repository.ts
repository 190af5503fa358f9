import type { z } from "zod";
import type { SceneChange as SceneChangeRecord } from "../../contract/routes/scenes.ts";
import type { Sql } from "../../platform/database/database.ts";
import { follows, type Keyed, keyInstant, type Slice, type TimeKey } from "../../platform/database/keyset.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

/** A change of a camera's view as clients see it. */
export type SceneChange = z.output<typeof SceneChangeRecord>;

/** Returns a page of a camera's changes, newest first, each with its sort key; optionally filtered by `acknowledged`. */
export async function listSceneChanges(
  sql: Sql,
  cameraId: string,
  { acknowledged, after, limit }: Omit<Slice<TimeKey>, "offset"> & { readonly acknowledged: boolean | undefined },
): Promise<readonly Keyed<SceneChange, TimeKey>[]> {
  const rows = await sql<(SceneChange & { sort_time: string })[]>`
    select s.scene_change_id as id, s.camera_id, s.detected_at, s.change_type, s.similarity_score, s.acknowledged_at is not null as acknowledged,
      s.acknowledged_at, ${fullPath(sql, sql`s.file_path`)} as file_path, ${keyInstant(sql, sql`s.detected_at`)} as sort_time
    from scene_changes s
    where s.camera_id = ${cameraId}
      ${withState(sql, acknowledged)}
      ${follows(sql, sql`s.detected_at, s.scene_change_id`, after)}
    order by s.detected_at desc, s.scene_change_id desc
    limit ${limit}
  `;
  return rows.map(({ sort_time, ...record }) => ({ record, key: [sort_time, record.id] }));
}

/** Counts the changes of a camera exactly. */
export async function countSceneChanges(sql: Sql, cameraId: string, acknowledged: boolean | undefined): Promise<number> {
  const [row] = await sql<[{ count: number }]>`
    select count(*) as count
    from scene_changes s
    where s.camera_id = ${cameraId}
      ${withState(sql, acknowledged)}
  `;
  return row.count;
}

/** Acknowledges a change. Returns the time of the first acknowledgement; undefined if the camera has no such change. */
export async function acknowledge(sql: Sql, cameraId: string, id: number, now: Date): Promise<Date | undefined> {
  const [row] = await sql<[{ acknowledgedAt: Date }?]>`
    update scene_changes s
    set acknowledged_at = coalesce(s.acknowledged_at, ${now}::timestamptz)
    where s.camera_id = ${cameraId}
      and s.scene_change_id = ${id}
    returning s.acknowledged_at as "acknowledgedAt"
  `;
  return row?.acknowledgedAt;
}

const withState = (sql: Sql, acknowledged: boolean | undefined) =>
  acknowledged === undefined ? sql`` : acknowledged ? sql`and s.acknowledged_at is not null` : sql`and s.acknowledged_at is null`;
