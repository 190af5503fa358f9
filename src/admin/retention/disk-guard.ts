import { hourMs } from "../../base/clock/clock.ts";
import { type DiskName, type DiskSpace, diskNames, freeShare, leastFreeDiskShare, lowDiskMessage } from "../../platform/disk/disk.ts";
import type { CleanupContext } from "./cleanup.ts";
import { cleanUpDisk, type DiskCleanup } from "./disk-pressure.ts";

/** A report about the disk. */
export interface DiskNews {
  readonly kind: "low_space" | "relief" | "recovery";
  readonly message: string;
}

/** Watches the free space of a disk. */
export interface DiskGuard {
  /** Checks the disk once: reports changes, and with DISK_PRESSURE_DELETE frees space if necessary. */
  look(signal?: AbortSignal): Promise<void>;
  /** Describes the problem; null if there is none. */
  state(): string | null;
}

/** Pause after an attempt that did not free enough space. */
const restMs = hourMs;

/** Creates a guard. It calls `onNews` once when the disk is nearly full, once when it has space again, and for each deletion. */
export function createDiskGuard(options: {
  readonly context: CleanupContext;
  readonly name?: DiskName;
  /** Undefined if the disk is not there now. */
  readonly disk: () => Promise<DiskSpace | undefined>;
  readonly onNews: (news: DiskNews) => void;
}): DiskGuard {
  const { context, disk, name = "data" } = options;
  const { config, clock, log } = context;
  // On a disk that holds only pictures, nothing else frees space.
  const deletes = config.diskPressureDelete && (name === "data" || config.deleteImages);
  let state: string | null = null;
  let restUntil = Number.NEGATIVE_INFINITY;

  const report = (kind: DiskNews["kind"], message: string): void => {
    log[kind === "recovery" ? "info" : "warn"]({ part: "disk" }, message);
    options.onNews({ kind, message });
  };

  return {
    state: () => state,
    look: async (signal) => {
      const space = await disk();
      if (!space) {
        state = null;
        return;
      }
      const share = freeShare(space);
      if (share >= leastFreeDiskShare) {
        if (state !== null) report("recovery", `${diskNames[name]} has room again: ${lowDiskMessage(share, name)}`);
        state = null;
        restUntil = Number.NEGATIVE_INFINITY;
        return;
      }
      if (state === null) report("low_space", `${lowDiskMessage(share, name)}; ${remedy(name, deletes)}`);
      state = lowDiskMessage(share, name);
      if (!deletes || clock.monotonic() < restUntil) return;
      const asked = async (): Promise<DiskSpace> => {
        const now = await disk();
        if (!now) throw new Error(`${diskNames[name]} is not there any more`);
        return now;
      };
      const cleanup = await cleanUpDisk(context, asked, signal);
      report("relief", cleanupMessage(name, cleanup, config.deleteImages));
      if (cleanup.ended === "enough") state = null;
      else restUntil = clock.monotonic() + restMs;
    },
  };
}

function remedy(name: DiskName, deletes: boolean): string {
  if (deletes) return "the oldest data is being deleted (DISK_PRESSURE_DELETE=true)";
  return name === "data"
    ? "make room, lower RETENTION_DAYS, or have the oldest data go with DISK_PRESSURE_DELETE=true"
    : "delete old pictures, or have the oldest go with DELETE_IMAGES=true and DISK_PRESSURE_DELETE=true";
}

function cleanupMessage(
  name: DiskName,
  { events, detections, thumbnails, images, bytes, before, freeShare: share, ended }: DiskCleanup,
  deletesImages: boolean,
): string {
  const what =
    before === undefined
      ? "nothing was left to delete"
      : `deleted what is older than ${before.toISOString()}: ${events} events, ${detections} detections, ${thumbnails} thumbnails, ${images} pictures (${(bytes / 1_048_576).toFixed(1)} MiB of files)`;
  const left = {
    enough: "",
    nothing_left: "; the last 24 hours are never deleted, so make room by hand",
    no_room_made: `; deleting more would not help for now, since ${deletesImages ? "the database reuses its room and does not give it back" : "original pictures stay (DELETE_IMAGES=false) and the database does not give room back"}, so make room by hand`,
  }[ended];
  return `${diskNames[name]} was nearly full: ${what}; now ${lowDiskMessage(share, name)}${left}`;
}
