import type { z } from "zod";
import type { CameraPull as CameraPullSchema } from "../../contract/routes/pulls.ts";
import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";

/** From where the pictures of a camera are fetched, as clients see it. */
export type CameraPull = z.output<typeof CameraPullSchema>;

/** The settings of a pull. */
export interface PullSettings {
  readonly cameraId: string;
  readonly url: string;
  readonly username: string | null;
  readonly sealedPassword: Buffer | null;
  readonly everyMs: number;
  readonly thresholdPercent: number;
}

/** A pull for the daemon that runs it. */
export interface ActivePull extends PullSettings {
  readonly cameraName: string;
  readonly folderPath: string;
  readonly updatedAt: Date;
}

const settings = (sql: Sql) => sql`
  p.camera_id as "cameraId", p.url, p.username, p.sealed_password as "sealedPassword", p.every_ms as "everyMs",
  p.threshold_percent as "thresholdPercent"
`;

const shown = (sql: Sql) => sql`
  p.camera_id, p.url, p.username, p.sealed_password is not null as has_password, p.every_ms / 1000.0::float8 as every_seconds,
  p.threshold_percent, case when p.fault is not null then 'failing' when p.last_picture_at is null then 'waiting' else 'working' end as state,
  p.fault, p.failing_since, p.last_picture_at, p.seen_count, p.kept_count, p.cpu_percent, p.memory_bytes, p.created_at, p.updated_at
`;

/** Finds the pull of a camera that is not deleted, as clients see it; undefined if there is none. */
export async function findPull(sql: Sql, cameraId: string): Promise<CameraPull | undefined> {
  const [pull] = await sql<[CameraPull?]>`
    select ${shown(sql)}
    from camera_pulls p
    join cameras c on c.camera_id = p.camera_id
    where p.camera_id = ${cameraId}
      and c.deleted_at is null
  `;
  return pull;
}

/** Returns the pulls of all cameras that are not deleted, as clients see them. */
export async function listPulls(sql: Sql): Promise<CameraPull[]> {
  return await sql<CameraPull[]>`
    select ${shown(sql)}
    from camera_pulls p
    join cameras c on c.camera_id = p.camera_id
    where c.deleted_at is null
    order by p.camera_id
  `;
}

/** Finds the settings of a camera's pull; undefined if there is none. */
export async function findPullSettings(sql: Sql, cameraId: string): Promise<PullSettings | undefined> {
  const [pull] = await sql<[PullSettings?]>`
    select ${settings(sql)}
    from camera_pulls p
    join cameras c on c.camera_id = p.camera_id
    where p.camera_id = ${cameraId}
      and c.deleted_at is null
  `;
  return pull;
}

/** Returns the pulls of all cameras that are not deleted, in order of their id. */
export async function activePulls(sql: Sql): Promise<readonly ActivePull[]> {
  return await sql<ActivePull[]>`
    select ${settings(sql)}, c.name as "cameraName", ${fullPath(sql, sql`c.folder_path`)} as "folderPath", p.updated_at as "updatedAt"
    from camera_pulls p
    join cameras c on c.camera_id = p.camera_id
    where c.deleted_at is null
    order by p.camera_id
  `;
}

/** Stores the settings of a pull. Its counters stay, and its fault is forgotten: it starts again. */
export async function storePull(sql: Sql, pull: PullSettings, now: Date): Promise<void> {
  await sql`
    insert into camera_pulls as p (camera_id, url, username, sealed_password, every_ms, threshold_percent, created_at, updated_at)
    values (${pull.cameraId}, ${pull.url}, ${pull.username}, ${pull.sealedPassword}, ${pull.everyMs}, ${pull.thresholdPercent}, ${now}, ${now})
    on conflict (camera_id) do update
    set url = excluded.url, username = excluded.username, sealed_password = excluded.sealed_password, every_ms = excluded.every_ms,
      threshold_percent = excluded.threshold_percent, updated_at = excluded.updated_at, fault = null, failing_since = null,
      cpu_percent = null, memory_bytes = null
  `;
}

/** Deletes the pull of a camera. Returns whether there was one. */
export async function deletePull(sql: Sql, cameraId: string): Promise<boolean> {
  const rows = await sql`
    delete from camera_pulls p
    where p.camera_id = ${cameraId}
    returning p.camera_id
  `;
  return rows.length > 0;
}

/** What a daemon has seen of a pull since its last report. */
export interface PullReport {
  readonly cameraId: string;
  /** A report on earlier settings says nothing about the present ones. */
  readonly updatedAt: Date;
  readonly seen: number;
  readonly kept: number;
  readonly lastPictureAt: Date | null;
  readonly fault: string | null;
  readonly failingSince: Date | null;
  readonly cpuPercent: number | null;
  readonly memoryBytes: number | null;
}

/** Stores a report, unless the settings have changed since. Returns whether it did. */
export async function storeReport(sql: Sql, report: PullReport): Promise<boolean> {
  const rows = await sql`
    update camera_pulls p
    set seen_count = p.seen_count + ${report.seen}, kept_count = p.kept_count + ${report.kept},
      last_picture_at = coalesce(${report.lastPictureAt}::timestamptz, p.last_picture_at), fault = ${report.fault},
      failing_since = ${report.failingSince}, cpu_percent = ${report.cpuPercent}, memory_bytes = ${report.memoryBytes}
    where p.camera_id = ${report.cameraId}
      and p.updated_at = ${report.updatedAt}
    returning p.camera_id
  `;
  return rows.length > 0;
}
