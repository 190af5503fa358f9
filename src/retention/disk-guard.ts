import { hourMs } from "../clock/durations.ts";
import { type DiskSpace, freeShare, leastFreeDiskShare, lowDiskMessage } from "../disk/disk.ts";
import type { CleanupContext } from "./cleanup.ts";
import { type Relief, relieveDisk } from "./disk-pressure.ts";

/** Something to tell people about the disk. */
export interface DiskNews {
  readonly kind: "low_space" | "relief" | "recovery";
  readonly message: string;
}

/** Looks after the room on the disk with the data folder. */
export interface DiskGuard {
  /** One look: tells what changed, and with DISK_PRESSURE_DELETE makes room where it has to. */
  look(signal?: AbortSignal): Promise<void>;
  /** What is the matter; null while all is well. */
  state(): string | null;
}

/** After a try that did not make enough room. */
const restMs = hourMs;

/** Makes a guard. `onNews` hears once when the disk is nearly full, once when it is well again, and of everything that was deleted for it. */
export function createDiskGuard(options: {
  readonly context: CleanupContext;
  readonly disk: () => Promise<DiskSpace>;
  readonly onNews: (news: DiskNews) => void;
}): DiskGuard {
  const { context, disk } = options;
  const { config, clock, log } = context;
  let state: string | null = null;
  let restUntil = Number.NEGATIVE_INFINITY;

  const tell = (kind: DiskNews["kind"], message: string): void => {
    log[kind === "recovery" ? "info" : "warn"]({ part: "disk" }, message);
    options.onNews({ kind, message });
  };

  return {
    state: () => state,
    look: async (signal) => {
      const share = freeShare(await disk());
      if (share >= leastFreeDiskShare) {
        if (state !== null) tell("recovery", `the disk has room again: ${lowDiskMessage(share)}`);
        state = null;
        restUntil = Number.NEGATIVE_INFINITY;
        return;
      }
      if (state === null) tell("low_space", `${lowDiskMessage(share)}; ${remedy(config.diskPressureDelete)}`);
      state = `${lowDiskMessage(share)} of DATA_DIR`;
      if (!config.diskPressureDelete || clock.monotonic() < restUntil) return;
      const relief = await relieveDisk(context, disk, signal);
      tell("relief", reliefMessage(relief, config.deleteImages));
      if (relief.ended === "enough") state = null;
      else restUntil = clock.monotonic() + restMs;
    },
  };
}

function remedy(deletes: boolean): string {
  return deletes
    ? "the oldest data is being deleted (DISK_PRESSURE_DELETE=true)"
    : "make room, lower RETENTION_DAYS, or have the oldest data go with DISK_PRESSURE_DELETE=true";
}

function reliefMessage(
  { events, detections, thumbnails, images, bytes, before, freeShare: share, ended }: Relief,
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
  return `the disk was nearly full: ${what}; now ${lowDiskMessage(share)}${left}`;
}
