import type { Sql } from "../../platform/database/database.ts";
import { fullPath, storedPath } from "../../platform/database/stored-paths.ts";
import type { ChangeType } from "./change.ts";
import type { Light } from "./frame.ts";
import type { SceneChange } from "./scene-changes-repository.ts";

/** The usual view of a camera in a light condition. */
export interface StoredView {
  readonly light: Light;
  /** WebP. */
  readonly view: Buffer;
  readonly similarity: number;
  readonly updatedAt: Date;
}

/** Returns the references of a camera, newest first. */
export async function viewsOf(sql: Sql, cameraId: string): Promise<readonly StoredView[]> {
  return await sql<StoredView[]>`
    select v.light, v.view, v.similarity, v.updated_at as "updatedAt"
    from camera_views v
    where v.camera_id = ${cameraId}
    order by v.updated_at desc, v.light
  `;
}

/** Stores a reference. */
export async function saveView(sql: Sql, cameraId: string, { light, view, similarity, updatedAt }: StoredView): Promise<void> {
  await sql`
    insert into camera_views as v (camera_id, light, view, similarity, updated_at)
    values (${cameraId}, ${light}, ${view}, ${similarity}, ${updatedAt})
    on conflict (camera_id, light) do update
    set view = excluded.view, similarity = excluded.similarity, updated_at = excluded.updated_at
  `;
}

/** Stores a change of a camera's view with the new view, and returns its record. */
export async function insertSceneChange(
  sql: Sql,
  change: {
    readonly cameraId: string;
    readonly type: ChangeType;
    readonly similarity: number;
    readonly filePath: string;
    readonly light: Light;
    readonly view: Buffer;
  },
  now: Date,
): Promise<SceneChange> {
  const [row] = await sql<[SceneChange]>`
    insert into scene_changes as s (camera_id, detected_at, change_type, similarity_score, file_path, light, view)
    values (${change.cameraId}, ${now}, ${change.type}, ${change.similarity}, ${storedPath(sql, change.filePath)}, ${change.light}, ${change.view})
    returning s.scene_change_id as id, s.camera_id, s.detected_at, s.change_type, s.similarity_score, false as acknowledged, s.acknowledged_at,
      ${fullPath(sql, sql`s.file_path`)} as file_path
  `;
  return row;
}

/** Returns the reported, unacknowledged views of a camera while its incident is open, the last one per light; otherwise none. */
export async function reportedViews(sql: Sql, cameraId: string): Promise<readonly Buffer[]> {
  const rows = await sql<{ view: Buffer }[]>`
    select distinct on (s.light) s.view
    from scene_changes s
    where s.camera_id = ${cameraId}
      and s.view is not null
      and s.acknowledged_at is null
      and exists (select from camera_incidents i where i.camera_id = s.camera_id and i.cause = 'view' and i.ended_at is null)
    order by s.light, s.scene_change_id desc
  `;
  return rows.map(({ view }) => view);
}

/** Makes the view of a change the only reference of its camera if it is the last one in its light. Returns whether it is. */
export async function adoptView(sql: Sql, cameraId: string, changeId: number, now: Date): Promise<boolean> {
  const rows = await sql`
    with chosen as (
      select s.camera_id, s.light, s.view
      from scene_changes s
      where s.camera_id = ${cameraId}
        and s.scene_change_id = ${changeId}
        and s.view is not null
        and not exists (
          select from scene_changes n
          where n.camera_id = s.camera_id
            and n.light = s.light
            and n.scene_change_id > s.scene_change_id
        )
    ), gone as (
      -- under other light the camera sees the new view, too: it is learned when it comes
      delete from camera_views v
      using chosen c
      where v.camera_id = c.camera_id
        and v.light <> c.light
    )
    insert into camera_views as v (camera_id, light, view, similarity, updated_at)
    select c.camera_id, c.light, c.view, 0.92, ${now}::timestamptz
    from chosen c
    on conflict (camera_id, light) do update
    set view = excluded.view, similarity = excluded.similarity, updated_at = excluded.updated_at
    returning v.camera_id
  `;
  return rows.length > 0;
}
