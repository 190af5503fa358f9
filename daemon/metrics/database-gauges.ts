import { Gauge, type Registry } from "prom-client";
import type { HomeMetrics } from "../../src/admin/system/home-metrics.ts";
import { cameraStatuses } from "../../src/contract/constants.ts";
import type { Disks } from "../../src/platform/disk/disk.ts";
import type { CameraLabels } from "./work.ts";

/** Updates the gauges from the metrics of database and disks. */
export type UpdateGauges = (figures: HomeMetrics | undefined, disks: Disks | undefined) => void;

/** Creates the gauges for database and disks. Unknown values are absent instead of stale. */
export function createDatabaseGauges(registry: Registry, cameraLabel: CameraLabels): UpdateGauges {
  const gauge = <L extends string = never>(name: string, help: string, ...labelNames: L[]) =>
    new Gauge({ name: `homesec_${name}`, help, labelNames, registers: [registry] });

  const up = gauge("database_up", "1 while the database answers; metrics from the database are absent otherwise");
  const jobs = gauge("queue_jobs", "Jobs by queue and state: waiting, deferred, in_progress, dead", "queue", "state");
  const oldestJob = gauge("queue_oldest_job_seconds", "Age of the oldest unfinished job except dead ones; 0 without one", "queue");
  const oldestPicture = gauge(
    "oldest_unprocessed_picture_seconds",
    "Time that the oldest unprocessed picture has been waiting; 0 without one",
  );
  const cameras = gauge("cameras", "Cameras by status: unknown, online, offline, error", "status");
  const lastPicture = gauge("camera_last_picture_timestamp_seconds", "Time of the newest picture of a camera", "camera_id");
  const incidents = gauge("open_incidents", "Open camera incidents, by cause", "cause");
  const batches = gauge("open_batches", "Batches that still accept detections");
  const pendingAlerts = gauge("pending_alerts", "Alerts whose recipients have not been notified yet");
  const silences = gauge("active_silences", "Silences that currently mute alerts");
  const stored = gauge("stored_items", "Stored items, by kind: pictures, detections, events", "kind");
  const pictureBytes = gauge("stored_pictures_bytes", "Size of the files in the ledger");
  const databaseBytes = gauge("database_size_bytes", "Size of the database, at most a minute old");
  const diskFree = gauge(
    "disk_free_bytes",
    "Disk space that homesec can still use, for the disk of the data folder and that of the pictures if different",
    "disk",
  );
  const diskSize = gauge("disk_size_bytes", "Size of the disk of the data folder, and of that of the pictures if different", "disk");
  const all = [jobs, oldestJob, oldestPicture, cameras, lastPicture, incidents, batches, pendingAlerts, silences, stored, pictureBytes];
  // A gauge without labels is 0 after a reset; removing its value makes it absent.
  const clear = (gauges: readonly Gauge<string>[]): void => {
    for (const each of gauges) {
      each.reset();
      each.remove({});
    }
  };

  return (figures, disks) => {
    clear([...all, databaseBytes, diskFree, diskSize]);
    for (const [disk, { freeBytes, totalBytes }] of disks ?? []) {
      diskFree.set({ disk }, freeBytes);
      diskSize.set({ disk }, totalBytes);
    }
    up.set(figures ? 1 : 0);
    if (!figures) return;
    for (const [queue, counts] of Object.entries(figures.queues)) {
      jobs.set({ queue, state: "waiting" }, counts.waiting);
      jobs.set({ queue, state: "deferred" }, counts.deferred);
      jobs.set({ queue, state: "in_progress" }, counts.inProgress);
      jobs.set({ queue, state: "dead" }, counts.dead);
      oldestJob.set({ queue }, Math.max(0, counts.oldestSeconds ?? 0));
    }
    oldestPicture.set(Math.max(0, figures.queues.detect.oldestSeconds ?? 0));
    for (const status of cameraStatuses) cameras.set({ status }, 0);
    for (const { cameraId, status, lastSeenAt } of figures.cameras) {
      cameras.inc({ status });
      const camera_id = cameraLabel(cameraId);
      if (lastSeenAt && camera_id === cameraId) lastPicture.set({ camera_id }, lastSeenAt.getTime() / 1000);
    }
    for (const [cause, count] of Object.entries(figures.incidents)) incidents.set({ cause }, count);
    batches.set(figures.open.batches);
    pendingAlerts.set(figures.open.pendingAlerts);
    silences.set(figures.open.silences);
    stored.set({ kind: "pictures" }, figures.stored.imageFiles);
    stored.set({ kind: "detections" }, figures.stored.detections);
    stored.set({ kind: "events" }, figures.stored.events);
    pictureBytes.set(figures.stored.imageBytes);
    databaseBytes.set(figures.stored.databaseBytes);
  };
}
