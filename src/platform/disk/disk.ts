import type { StatsFs } from "node:fs";
import { statfs } from "node:fs/promises";

/** How full a disk is, in bytes. */
export interface DiskSpace {
  readonly totalBytes: number;
  /** What this program may still use. */
  readonly freeBytes: number;
  readonly usedBytes: number;
}

/** Below this free part the disk is not well. */
export const leastFreeDiskShare = 0.05;

/** How full the disk is that holds the path. Throws when the path is not there. */
export async function diskSpace(path: string): Promise<DiskSpace> {
  return spaceOf(await statfs(path));
}

/** The same from the figures of statfs(2). */
export function spaceOf({ bsize, blocks, bfree, bavail }: Pick<StatsFs, "bsize" | "blocks" | "bfree" | "bavail">): DiskSpace {
  return { totalBytes: blocks * bsize, freeBytes: bavail * bsize, usedBytes: (blocks - bfree) * bsize };
}

/** The part of the disk that may still be used, 0 to 1. A disk without size counts as empty. */
export function freeShare({ freeBytes, totalBytes }: DiskSpace): number {
  return totalBytes > 0 ? freeBytes / totalBytes : 1;
}

/** The two disks that are looked at, in words: what homesec keeps, and the pictures where they are on one of their own. */
export const diskNames = { data: "the disk", pictures: "the disk with CAMERA_ROOT" } as const;
export type DiskName = keyof typeof diskNames;
export type Disks = ReadonlyMap<DiskName, DiskSpace>;

/** The sentence about a disk that is nearly full. */
export function lowDiskMessage(share: number, disk: DiskName = "data"): string {
  return `${(share * 100).toFixed(1)} % of ${diskNames[disk]} is free`;
}
