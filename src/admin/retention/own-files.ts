import { rm } from "node:fs/promises";
import { localDay } from "../../base/clock/calendar.ts";
import { dayMs } from "../../base/clock/clock.ts";
import { thumbnailFiles } from "../../monitoring/detections/thumbnail-files.ts";
import type { Config } from "../../platform/config/config.ts";
import type { Database } from "../../platform/database/database.ts";
import type { SizedFile } from "../../platform/disk/files.ts";
import { listLogFiles } from "../../platform/disk/log-files.ts";
import type { Retention } from "./retention.ts";
import { thumbnailFates } from "./retention-repository.ts";

/** Context for the files of this process. */
export interface OwnFilesContext {
  readonly db: Database;
  readonly config: Pick<Config, "dataDir" | "logRetentionDays">;
}

/** Number and total size of deleted files, or in a dry run of files to delete. */
export interface Files {
  readonly files: number;
  readonly bytes: number;
  /** Index of a scope, files and bytes, in any order. */
  readonly scopes?: readonly (readonly [scope: number, files: number, bytes: number])[];
}

/** Deletes log files in this process's data folder that are older than `LOG_RETENTION_DAYS` at `now`. */
export async function cleanLogs({ config }: OwnFilesContext, now: Date, dryRun: boolean): Promise<Files> {
  const oldestDay = localDay(new Date(now.getTime() - config.logRetentionDays * dayMs));
  const logs = (await listLogFiles(config.dataDir)).filter(({ day }) => day < oldestDay);
  return dryRun ? sumOf(logs) : await removeFiles(logs);
}

/** Deletes thumbnails in this process's data folder whose detections are deleted, or expired. */
export async function cleanThumbnails(
  { db, config }: OwnFilesContext,
  retention: Retention,
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<Files> {
  let sum: Files = { files: 0, bytes: 0 };
  for await (const found of thumbnailFiles(config.dataDir)) {
    signal?.throwIfAborted();
    if (found.length === 0) continue;
    const ids = found.map(({ detectionId }) => detectionId);
    const fates = await db.query((sql) => thumbnailFates(sql, ids, retention));
    const expired = found.filter(({ detectionId }) => !fates.get(detectionId)?.stays);
    const removed = dryRun ? sumOf(expired) : await removeFiles(expired);
    const otherwise = retention.scopes.length - 1;
    const scopes = expired.map(({ detectionId, bytes }) => [fates.get(detectionId)?.scope ?? otherwise, 1, bytes] as const);
    sum = together(sum, { ...removed, scopes: summed(scopes) });
  }
  return sum;
}

/** Deletes these files; files that no longer exist count too. */
export async function removeFiles(files: readonly SizedFile[]): Promise<Files> {
  for (const { path } of files) await rm(path, { force: true });
  return sumOf(files);
}

/** Adds two counts. */
export function together(one: Files, other: Files): Files {
  return {
    ...{ files: one.files + other.files, bytes: one.bytes + other.bytes },
    scopes: summed([...(one.scopes ?? []), ...(other.scopes ?? [])]),
  };
}

/** One entry for each scope. */
function summed(scopes: NonNullable<Files["scopes"]>): NonNullable<Files["scopes"]> {
  const sums = new Map<number, readonly [number, number, number]>();
  for (const [scope, files, bytes] of scopes) {
    const [, before, bytesBefore] = sums.get(scope) ?? [scope, 0, 0];
    sums.set(scope, [scope, before + files, bytesBefore + bytes]);
  }
  return [...sums.values()];
}

function sumOf(files: readonly SizedFile[]): Files {
  return { files: files.length, bytes: files.reduce((sum, { bytes }) => sum + bytes, 0) };
}
