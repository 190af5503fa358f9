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
import { findSource } from "../../monitoring/detections/detections-repository.ts";
import { storedThumbnail } from "../../monitoring/detections/operations.ts";
import { thumbnailsOf } from "../../monitoring/detections/thumbnail-files.ts";
import { deleteEmbeddingsBefore } from "../../monitoring/entities/embeddings-repository.ts";
import { deleteUnusedEntities } from "../../monitoring/entities/entities-repository.ts";
import type { Settings } from "../../platform/config/settings.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { deleteChangesBefore } from "../../platform/keys/changes-repository.ts";
import { countGpuStatsBefore, deleteGpuStatsBefore } from "../gpu/gpu-repository.ts";
import { removeEmptyFolders } from "./empty-folders.ts";
import { detectionsOfImages, type ExpiredImage } from "./expired-images-repository.ts";
import { cleanLedger, type LedgerCleanup, type LedgerContext } from "./ledger.ts";
import { cleanLogs, cleanThumbnails, type Files, removeFiles, together } from "./own-files.ts";
import { deleteIncidentsBefore, deleteSceneChangesBefore, deleteSilencesBefore } from "./past-repository.ts";
import { type Retention, type RetentionRule, retentionAt, uniformRetention } from "./retention.ts";
import {
  countExpired,
  type DetectionPlace,
  deleteBatchesBefore,
  deleteCooldownsBefore,
  deleteDeadJobsBefore,
  deleteExpiredDetections,
  deleteExpiredEvents,
  deleteJournalBefore,
  type EventPlace,
} from "./retention-repository.ts";
import { listRules } from "./rules-repository.ts";

export type CleanupReport = z.output<typeof ReportRecord>;

export interface CleanupContext extends LedgerContext {
  readonly settings: Settings;
  readonly clock: Clock;
}

/** Events deleted per transaction, so that other transactions do not wait long for their rows. */
const eventsAtOnce = 200;
const rowsAtOnce = 2_000;

type Running = WeakMap<Database, { readonly key: string; readonly report: Promise<CleanupReport> }>;

/** Cleanups that run in this process, with what they keep. */
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
  const rules = await context.db.query(listRules);
  const ofKind = dryRun ? runningDry : running;
  for (let other = ofKind.get(context.db); other; other = ofKind.get(context.db)) {
    const report = await other.report.catch(() => undefined);
    signal?.throwIfAborted();
    if (report && other.key === keyOf(context, rules)) return report;
  }
  const report = run(context, rules, dryRun, signal).finally(() => ofKind.delete(context.db));
  ofKind.set(context.db, { key: keyOf(context, rules), report });
  return await report;
}

const keyOf = ({ settings }: CleanupContext, rules: readonly RetentionRule[]): string =>
  JSON.stringify([settings.current().retentionDays, rules]);

/** Counts what a cleanup would delete with these rules. Rejects with the reason of `signal`. */
export async function previewCleanup(
  context: CleanupContext,
  rules: readonly RetentionRule[],
  signal: AbortSignal | undefined,
): Promise<CleanupReport> {
  return await run(context, rules, true, signal);
}

async function run(
  context: CleanupContext,
  rules: readonly RetentionRule[],
  dryRun: boolean,
  signal: AbortSignal | undefined,
): Promise<CleanupReport> {
  const { clock } = context;
  const retentionDays = context.settings.current().retentionDays;
  const now = clock.now();
  const retention = retentionAt(rules, retentionDays, now);
  const swept = await sweep(context, retention, dryRun, signal);
  const { rows, thumbnails, images } = swept;
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
    by_rule: dryRun ? byRule(retention, swept) : null,
  };
  if (!dryRun) context.log.info({ ...report, timestamp: undefined }, "old data was cleaned up");
  return report;
}

/** What each rule, and RETENTION_DAYS at the end, would delete. */
function byRule({ scopes }: Retention, { rows, thumbnails, images }: Swept): CleanupReport["by_rule"] {
  return scopes.map(({ cameraId, riskLevel, days }, index) => {
    const [, pictures, pictureBytes] = images.scopes?.find(([scope]) => scope === index) ?? [index, 0, 0];
    const [, small, smallBytes] = thumbnails.scopes?.find(([scope]) => scope === index) ?? [index, 0, 0];
    return {
      ...{ camera_id: cameraId, risk_level: riskLevel },
      ...{ event_days: days.events, original_days: days.originals, thumbnail_days: days.thumbnails },
      ...{ events: rows.eventsOf?.get(index) ?? 0, images: pictures, thumbnails: small, bytes: pictureBytes + smallBytes },
    };
  });
}

/** Counts of deleted data, or in a dry run of data to delete. `images` are original pictures. */
export interface Swept {
  readonly rows: Rows;
  readonly thumbnails: Files;
  readonly images: Files;
}

/**
 * Deletes expired data, or only counts it: the pictures of rules while their events still have their level, the rows with their
 * thumbnails, then files without a row.
 */
async function sweep(context: CleanupContext, retention: Retention, dryRun: boolean, signal: AbortSignal | undefined): Promise<Swept> {
  const ledger: LedgerCleanup = {
    ...{ retention, keepsLateFound: true, now: context.clock.now() },
    onDelete: (images) => drawThumbnails(context, retention, images, signal),
  };
  const hasRules = retention.scopes.length > 1;
  const early = hasRules && !dryRun && context.config.deleteImages ? await cleanLedger(context, ledger, false, signal) : none;
  const { rows, thumbnails } = dryRun
    ? { rows: await context.db.query((sql) => countRows(sql, retention)), thumbnails: none }
    : await deleteRows(context, retention, signal);
  // Baselines have no retention in days: their hours expire with age.
  if (!dryRun)
    await context.db.query((sql) => deleteHoursBefore(sql, knownSince({ global_config: globalBaselineConfig }, context.clock.now())));
  const orphans = await cleanThumbnails(context, retention, dryRun, signal);
  const images = together(early, await cleanLedger(context, ledger, dryRun, signal));
  if (context.config.deleteImages && !dryRun) await removeEmptyFolders(context, context.clock.now(), signal);
  return { rows, thumbnails: together(thumbnails, orphans), images };
}

const none: Files = { files: 0, bytes: 0 };

/**
 * Draws the thumbnails that outlive their pictures: they are otherwise drawn on the first request, which would be too late. Failures are
 * logged.
 */
async function drawThumbnails(
  { db, config, log }: CleanupContext,
  retention: Retention,
  images: readonly ExpiredImage[],
  signal: AbortSignal | undefined,
): Promise<void> {
  const outlived = images.filter(({ scope }) => {
    const days = (retention.scopes[scope] ?? retention.otherwise).days;
    return days.thumbnails > days.originals;
  });
  if (outlived.length === 0) return;
  const ids = await db.query((sql) =>
    detectionsOfImages(
      sql,
      outlived.map(({ imageId }) => imageId),
    ),
  );
  for (const id of ids) {
    signal?.throwIfAborted();
    const source = await db.query((sql) => findSource(sql, id));
    if (!source) continue;
    await storedThumbnail({ config, db, log }, source).catch((error: unknown) =>
      log.warn({ detection_id: id, error: String(error) }, "a thumbnail could not be drawn before its picture is deleted"),
    );
  }
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
  const retention = uniformRetention(part.before);
  const { rows, thumbnails } = await deleteRows(context, retention, signal);
  const ledger = { from: part.from, retention, now: context.clock.now() };
  const images = context.config.deleteImages ? await cleanLedger(context, ledger, false, signal) : none;
  return { rows, thumbnails, images };
}

interface Rows {
  readonly events: number;
  readonly detections: number;
  readonly gpuStats: number;
  /** Numbers of events by the index of their scope, in a dry run. */
  readonly eventsOf?: ReadonlyMap<number, number>;
}

async function countRows(sql: Sql, retention: Retention): Promise<Rows> {
  return { ...(await countExpired(sql, retention)), gpuStats: await countGpuStatsBefore(sql, retention.otherwise.before.events) };
}

async function deleteRows(
  { db, clock, config }: CleanupContext,
  retention: Retention,
  signal: AbortSignal | undefined,
): Promise<Pick<Swept, "rows" | "thumbnails">> {
  const before = retention.otherwise.before.events;
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
    let after: EventPlace | undefined;
    do {
      signal?.throwIfAborted();
      const from = after;
      const gone = await db.transaction((sql) => deleteExpiredEvents(sql, retention, which, eventsAtOnce, from));
      await follow(gone.detectionIds);
      events += gone.events;
      after = gone.next;
    } while (after);
  }
  const deleteAll = (remove: (sql: Sql, before: Date, limit: number) => Promise<number>): Promise<number> =>
    inBatches(rowsAtOnce, signal, (limit) => db.transaction((sql) => remove(sql, before, limit)));
  let last: DetectionPlace | undefined;
  await inBatches(rowsAtOnce, signal, async (limit) => {
    const from = last;
    const gone = await db.transaction((sql) => deleteExpiredDetections(sql, retention, limit, from));
    await follow(gone.map(({ id }) => id));
    last = gone.at(-1);
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
