import type { z } from "zod";
import { createTtlCache } from "../../base/async/ttl-cache.ts";
import type { StorageReply } from "../../contract/routes/system-storage.ts";
import { thumbnailFiles } from "../../monitoring/detections/thumbnail-files.ts";
import { diskSpace } from "../../platform/disk/disk.ts";
import { listLogFiles } from "../../platform/disk/log-files.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { countGpuStats } from "../gpu/gpu-repository.ts";
import { storedCounts } from "./storage-repository.ts";

interface Files {
  readonly file_count: number;
  readonly size_bytes: number;
}

/** Walking the thumbnails takes long if there are many. */
const walkHoldsMs = 60_000;

const walks = createTtlCache<Files>();

/** Returns the use of storage: the disk, the database, and the amount of each kind of data. */
export async function currentStorage(context: OperationContext): Promise<z.output<typeof StorageReply>> {
  const { config, clock, db } = context;
  const [disk, thumbnails, logs, stored] = await Promise.all([
    diskSpace(config.dataDir),
    walks.current(config, clock.monotonic(), walkHoldsMs, () => countThumbnails(config.dataDir)),
    listLogFiles(config.dataDir),
    db.query(async (sql) => ({ ...(await storedCounts(sql)), gpuStats: await countGpuStats(sql) })),
  ]);
  const usable = disk.usedBytes + disk.freeBytes;
  return {
    disk_used_bytes: disk.usedBytes,
    disk_total_bytes: disk.totalBytes,
    disk_free_bytes: disk.freeBytes,
    // As df does: space reserved for root is neither used nor free.
    disk_usage_percent: usable === 0 ? 0 : Math.round((disk.usedBytes / usable) * 10_000) / 100,
    thumbnails,
    images: { file_count: stored.imageFiles, size_bytes: stored.imageBytes },
    database_bytes: stored.databaseBytes,
    events_count: stored.events,
    detections_count: stored.detections,
    gpu_stats_count: stored.gpuStats,
    logs_count: logs.length,
    timestamp: clock.now(),
  };
}

async function countThumbnails(dataDir: string): Promise<Files> {
  let file_count = 0;
  let size_bytes = 0;
  for await (const files of thumbnailFiles(dataDir)) {
    file_count += files.length;
    for (const { bytes } of files) size_bytes += bytes;
  }
  return { file_count, size_bytes };
}
