import type { Sql } from "../../platform/database/database.ts";
import { fullPath } from "../../platform/database/stored-paths.ts";
import { endFor, latestEnd, type Retention, scopeFor } from "./retention.ts";
import { detectionsWithContext, isExpired, scopeOfDetection } from "./retention-repository.ts";

/** A processed ledger entry that is older than the retention period. */
export interface ExpiredImage {
  readonly imageId: number;
  readonly path: string;
  readonly sizeBytes: number;
  /** Modification time in nanoseconds since 1970. */
  readonly modifiedNs: bigint;
  readonly foundAt: Date;
  /** Sort key of the walk. */
  readonly takenAt: string;
  /** Index of the scope that decides about it. */
  readonly scope: number;
  /** Whether it has detections: then its entry stays. */
  readonly isUsed: boolean;
}

/** Position where a walk through a camera's ledger continues. */
export type LedgerPlace = Pick<ExpiredImage, "takenAt" | "imageId">;

/**
 * Returns the next ledger entries of a camera that are expired, oldest first: those without a detection any more, and those whose pictures
 * a rule keeps for a shorter time than their events. Entries whose event becomes old later are deleted in the next run. A dry run, which
 * deletes nothing, also returns entries whose detections would be deleted.
 */
export async function expiredImages(
  sql: Sql,
  of: {
    readonly cameraId: string;
    readonly retention: Retention;
    readonly after: LedgerPlace | undefined;
    readonly limit: number;
    readonly dryRun: boolean;
    /** Whether files are deleted: otherwise rules for pictures do not matter. */
    readonly deletesFiles: boolean;
  },
): Promise<readonly ExpiredImage[]> {
  const { cameraId, retention, after, limit, dryRun, deletesFiles } = of;
  const ofCamera = { camera: sql`i.camera_id`, level: undefined };
  const isUsed = sql`exists (select from detections u where u.image_id = i.image_id)`;
  const hasRules = retention.scopes.length > 1;
  const rows = await sql<(Omit<ExpiredImage, "modifiedNs"> & { readonly modifiedNs: string })[]>`
    select i.image_id as "imageId", ${fullPath(sql, sql`i.path`)} as path, i.size_bytes as "sizeBytes", i.modified_ns::text as "modifiedNs", i.found_at as "foundAt",
      i.taken_at::text as "takenAt", ${isUsed} as "isUsed",
      coalesce(
        ${
          hasRules
            ? sql`(select min(${scopeOfDetection(sql, retention)}) from ${detectionsWithContext(sql)} where d.image_id = i.image_id)`
            : sql`null`
        },
        ${scopeFor(sql, retention, ofCamera)}
      ) as scope
    from images i
    where i.camera_id = ${cameraId}
      and i.taken_at < ${latestEnd(retention, "originals")}
      ${hasRules ? sql`and (${isUsed} or i.taken_at < ${endFor(sql, retention, "originals", ofCamera)})` : sql``}
      and (i.original_deleted_at is null or not ${isUsed})
      and i.status in ('processed', 'skipped', 'failed')
      ${after ? sql`and (i.taken_at, i.image_id) > (${after.takenAt}::text::timestamptz, ${after.imageId}::bigint)` : sql``}
      and not exists (
        select 1
        from ${detectionsWithContext(sql)}
        where d.image_id = i.image_id
          ${dryRun || (hasRules && deletesFiles) ? sql`and not ${isExpired(sql, retention, "few", dryRun ? "originals" : "earlyOriginals")}` : sql``}
      )
    order by i.taken_at, i.image_id
    limit ${limit}
  `;
  return rows.map((row) => ({ ...row, modifiedNs: BigInt(row.modifiedNs) }));
}

/** Notes that the files of these ledger entries are deleted. */
export async function noteDeletedOriginals(sql: Sql, ids: readonly number[], now: Date): Promise<void> {
  await sql`
    update images i
    set original_deleted_at = ${now}
    where i.image_id = any (${[...ids]}::bigint[])
  `;
}

/** Returns the detections of these pictures. */
export async function detectionsOfImages(sql: Sql, ids: readonly number[]): Promise<readonly number[]> {
  const rows = await sql<{ id: number }[]>`
    select d.detection_id as id
    from detections d
    where d.image_id = any (${[...ids]}::bigint[])
    order by d.detection_id
  `;
  return rows.map(({ id }) => id);
}

/** Deletes those of these ledger entries that have no detection, with their jobs. Must run in a transaction. */
export async function deleteImages(sql: Sql, ids: readonly number[]): Promise<void> {
  const gone = await sql<{ id: number }[]>`
    delete from images i
    where i.image_id = any (${[...ids]}::bigint[])
      and not exists (
        select 1
        from detections d
        where d.image_id = i.image_id
      )
    returning i.image_id as id
  `;
  await sql`
    delete from jobs j
    where j.queue in ('detect', 'enrich')
      and j.subject = any (${gone.map(({ id }) => String(id))}::text[])
  `;
}
