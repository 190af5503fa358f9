import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";

/** Free and total space of a disk, in bytes. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** Space that this program may still use. */
  readonly freeBytes: number;
  readonly usedBytes: number;
}

/** Minimum free share of a healthy disk. */
export const leastFreeDiskShare = 0.05;

/** Returns the space of the disk that contains the path. Throws if the path does not exist. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  return spaceOf(await statfs(path));
}

/** Computes the same from the values of statfs(2). */
export function spaceOf({ bsize, blocks, bfree, bavail }: Pick<StatsFs, "bsize" | "blocks" | "bfree" | "bavail">): DiskSpace {
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
}

/** Returns the free share of the disk, 0 to 1. A disk without size counts as empty. */
export function freeShare({ freeBytes, totalBytes }: DiskSpace): number {
  return totalBytes > 0 ? freeBytes / totalBytes : 1;
}

/** Names of the two monitored disks: the one with the data folder, and the one with the pictures if it differs. */
export const diskNames = { data: "the disk", pictures: "the disk with CAMERA_ROOT" } as const;
export type DiskName = keyof typeof diskNames;
export type Disks = ReadonlyMap<DiskName, DiskSpace>;

/** Returns the sentence about a disk that is nearly full. */
export function lowDiskMessage(share: number, disk: DiskName = "data"): string {
  return `${(share * 100).toFixed(1)} % of ${diskNames[disk]} is free`;
}
