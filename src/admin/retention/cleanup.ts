import type { z } from "zod";
import { deleteReceivedAlertsBefore } from "../../alerting/alert-receiver/received-alerts-repository.ts";
import { deleteSwitchesBefore } from "../../alerting/modes/switches-repository.ts";
import { deleteCatchUps } from "../../alerting/notifications/catch-ups-repository.ts";
import { deleteSummaries } from "../../alerting/summaries/summaries-repository.ts";
import { deleteDeliveriesBefore } from "../../alerting/webhooks/deliveries-repository.ts";
import { type Clock, dayMs, hourMs } from "../../base/clock/clock.ts";
import type { CleanupReport as ReportRecord } from "../../contract/routes/system-storage.ts";
import { deleteAnomaliesBefore } from "../../monitoring/baselines/anomalies-repository.ts";
import { globalBaselineConfig } from "../../monitoring/baselines/baseline-config.ts";
import { knownSince } from "../../monitoring/baselines/known.ts";
import { deleteHoursBefore } from "../../monitoring/baselines/learning-repository.ts";
import { thumbnailsOf } from "../../monitoring/detections/thumbnail-files.ts";
import { deleteEmbeddingsBefore } from "../../monitoring/entities/embeddings-repository.ts";
import { deleteUnusedEntities } from "../../monitoring/entities/entities-repository.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { deleteChangesBefore } from "../../platform/keys/changes-repository.ts";
import { countGpuStatsBefore, deleteGpuStatsBefore } from "../gpu/gpu-repository.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import { cleanLedger, type LedgerContext } from "./ledger.ts";
import { cleanLogs, cleanThumbnails, type Files, removeFiles, together } from "./own-files.ts";
import { deleteIncidentsBefore, deleteSceneChangesBefore, deleteSilencesBefore } from "./past-repository.ts";
import {
  countExpired,
  deleteBatchesBefore,
  deleteCooldownsBefore,
  deleteDeadJobsBefore,
  deleteExpiredDetections,
  deleteExpiredEvents,
  deleteJournalBefore,
} from "./retention-repository.ts";

export type CleanupReport = z.output<typeof ReportRecord>;

export interface CleanupContext extends LedgerContext {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Events deleted per transaction, so that other transactions do not wait long for their rows. */
const eventsAtOnce = 200;
const rowsAtOnce = 2_000;

type Running = WeakMap<Database, { readonly retentionDays: number; readonly report: Promise<CleanupReport> }>;

/** Cleanups that run in this process, with their retention in days. */
const running: Running = new WeakMap();
const runningDry: Running = new WeakMap();

/**
 * Deletes data older than the retention period, or only counts it. The cutoff is fixed at the start. Rows are deleted in small
 * transactions, then the files that belonged to them; files without a row are deleted too, so that the next run finishes an interrupted
 * one. A caller that asks while the same cleanup runs shares its report, unless the retention has changed or that run is interrupted.
 * Rejects with the reason of `signal`.
 */
export async function cleanUp(
  context: CleanupContext,
  { dryRun, signal }: { readonly dryRun: boolean; readonly signal?: AbortSignal },
): Promise<CleanupReport> {
  const ofKind = dryRun ? runningDry : running;
  for (let other = ofKind.get(context.db); other; other = ofKind.get(context.db)) {
    const report = await other.report.catch(() => undefined);
    signal?.throwIfAborted();
    if (report && other.retentionDays === context.settings.current().retentionDays) return report;
  }
  const report = run(context, dryRun, signal).finally(() => ofKind.delete(context.db));
  ofKind.set(context.db, { retentionDays: context.settings.current().retentionDays, report });
  return await report;
}

async function run(context: CleanupContext, dryRun: boolean, signal: AbortSignal | undefined): Promise<CleanupReport> {
  const { clock } = context;
  const retentionDays = context.settings.current().retentionDays;
  const now = clock.now();
  const before = new Date(now.getTime() - retentionDays * dayMs);
  const { rows, thumbnails, images } = await sweep(context, before, dryRun, signal);
  const logs = await cleanLogs(context, now, dryRun);
  const report = {
    events_deleted: rows.events,
    detections_deleted: rows.detections,
    gpu_stats_deleted: rows.gpuStats,
    logs_deleted: logs.files,
    thumbnails_deleted: thumbnails.files,
    images_deleted: images.files,
    space_reclaimed: thumbnails.bytes + images.bytes + logs.bytes,
    retention_days: retentionDays,
    dry_run: dryRun,
    timestamp: now,
  };
  if (!dryRun) context.log.info({ ...report, timestamp: undefined }, "old data was cleaned up");
  return report;
}

/** Counts of deleted data, or in a dry run of data to delete. `images` are original pictures. */
export interface Swept {
  readonly rows: Rows;
  readonly thumbnails: Files;
  readonly images: Files;
}

/** Deletes data older than `before`, or only counts it: first the rows with their thumbnails, then files without a row. */
async function sweep(context: CleanupContext, before: Date, dryRun: boolean, signal: AbortSignal | undefined): Promise<Swept> {
  const { rows, thumbnails } = dryRun
    ? { rows: await context.db.query((sql) => countRows(sql, before)), thumbnails: { files: 0, bytes: 0 } }
    : await deleteRows(context, before, signal);
  // Baselines have no retention in days: their hours expire with age.
  if (!dryRun)
    await context.db.query((sql) => deleteHoursBefore(sql, knownSince({ global_config: globalBaselineConfig }, context.clock.now())));
  const orphans = await cleanThumbnails(context, before, dryRun, signal);
  const images = await cleanLedger(context, { before, foundBefore: before }, dryRun, signal);
  if (context.config.deleteImages && !dryRun) await removeEmptyFolders(context, context.clock.now(), signal);
  return { rows, thumbnails: together(thumbnails, orphans), images };
}

/**
 * Deletes a part of the past: the rows older than its end, and the files they refer to. Files without a row stay for `cleanUp`, since
 * finding them means checking every stored file, however small the part.
 */
export async function deletePart(
  context: CleanupContext,
  part: { readonly from: Date; readonly before: Date },
  signal: AbortSignal | undefined,
): Promise<Swept> {
  const { rows, thumbnails } = await deleteRows(context, part.before, signal);
  const images = context.config.deleteImages ? await cleanLedger(context, part, false, signal) : { files: 0, bytes: 0 };
  return { rows, thumbnails, images };
}

interface Rows {
  readonly events: number;
  readonly detections: number;
  readonly gpuStats: number;
}

async function countRows(sql: Sql, before: Date): Promise<Rows> {
  return { ...(await countExpired(sql, before)), gpuStats: await countGpuStatsBefore(sql, before) };
}

async function deleteRows(
  { db, clock, config }: CleanupContext,
  before: Date,
  signal: AbortSignal | undefined,
): Promise<Pick<Swept, "rows" | "thumbnails">> {
  const vectorsBefore = new Date(clock.now().getTime() - config.reidTtlHours * hourMs);
  const silencesBefore = new Date(clock.now().getTime() - config.logRetentionDays * dayMs);
  let thumbnails: Files = { files: 0, bytes: 0 };
  let detections = 0;
  /** Deletes the files of deleted detections. */
  const follow = async (detectionIds: readonly number[]): Promise<void> => {
    detections += detectionIds.length;
    const removed = await removeFiles(await thumbnailsOf(config.dataDir, detectionIds));
    thumbnails = together(thumbnails, removed);
  };
  let events = 0;
  for (const which of ["live", "deleted"] as const) {
    events += await inBatches(eventsAtOnce, signal, async (limit) => {
      const gone = await db.transaction((sql) => deleteExpiredEvents(sql, before, which, limit));
      await follow(gone.detectionIds);
      return gone.events;
    });
  }
  const deleteAll = (remove: (sql: Sql, before: Date, limit: number) => Promise<number>): Promise<number> =>
    inBatches(rowsAtOnce, signal, (limit) => db.transaction((sql) => remove(sql, before, limit)));
  await inBatches(rowsAtOnce, signal, async (limit) => {
    const gone = await db.transaction((sql) => deleteExpiredDetections(sql, before, limit));
    await follow(gone);
    return gone.length;
  });
  await deleteAll(deleteBatchesBefore);
  await deleteAll(deleteSceneChangesBefore);
  await deleteAll(deleteIncidentsBefore);
  await deleteAll(deleteSwitchesBefore);
  await deleteAll((sql, _, limit) => deleteSilencesBefore(sql, silencesBefore, limit));
  await db.query((sql) => deleteSummaries(sql, silencesBefore));
  await db.query((sql) => deleteCatchUps(sql, silencesBefore));
  await deleteAll((sql, _, limit) => deleteJournalBefore(sql, { before, now: clock.now() }, limit));
  await deleteAll(deleteDeadJobsBefore);
  await deleteAll(deleteDeliveriesBefore);
  await deleteAll(deleteReceivedAlertsBefore);
  await deleteAll(deleteCooldownsBefore);
  await deleteAll(deleteAnomaliesBefore);
  await deleteAll(deleteChangesBefore);
  await deleteAll((sql, _, limit) => deleteEmbeddingsBefore(sql, vectorsBefore, limit));
  await deleteAll((sql, _, limit) => deleteUnusedEntities(sql, vectorsBefore, limit));
  const gpuStats = await deleteAll(deleteGpuStatsBefore);
  return { rows: { events, detections, gpuStats }, thumbnails };
}

/** Repeats until a batch is not full. Returns the sum of deleted items. */
async function inBatches(limit: number, signal: AbortSignal | undefined, remove: (limit: number) => Promise<number>): Promise<number> {
  let sum = 0;
  for (let last = limit; last >= limit; sum += last) {
    signal?.throwIfAborted();
    last = await remove(limit);
  }
  return sum;
}
