import type { BigIntStats, FSWatcher } from "node:fs";
import type { Version } from "../../src/monitoring/images/inspect-file.ts";
import type { NameSet } from "./name-set.ts";
import { PassedOverNames } from "./passed-over-names.ts";

/** A file as a listing shows it. */
export interface ListedFile extends Version {
  readonly path: string;
  readonly changedAtMs: number;
  /** The path byte for byte, where the name is not UTF-8. */
  readonly raw?: Buffer | undefined;
  /** The name does not say whether this is a picture. */
  readonly byContent?: boolean;
}

/** One folder of a tree, with the state of its watch and its last listing. */
export interface WatchedFolder {
  readonly path: string;
  readonly inode: string;
  readonly birthtimeNs: bigint;
  /** Not every file system stores the birth time, and some return the time of the last change instead. */
  isBirthtimeKnown: boolean;
  watcher: FSWatcher | undefined;
  /** The folder's modification and change times just before the last listing; a change of its permissions shows in the second only. */
  modifiedNs: bigint;
  changedNs: bigint;
  listedAtMs: number;
  /** Names at the last listing, and those registered since; undefined when every file must be compared. */
  names: NameSet | undefined;
  isEmpty: boolean;
  /** Entries that are passed over; undefined if there are none. */
  passedOver: PassedOverNames | undefined;
  /** Files whose details could not be read at the last listing, with the errors. */
  unreadable: ReadonlyMap<string, unknown>;
  /** Subfolders removed since the last listing: an entry that reuses such a name is new although the name is known. */
  removed: Set<string>;
  lastEventAt: number;
  requested: "names" | "full" | undefined;
  /** Monotonic time before which no regular listing starts, to limit what listings of a large folder cost. */
  throttledUntil: number;
  /** Consecutive listings that were incomplete, and the timer of the next attempt. */
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

/** A folder that was not listed yet. */
export function unlistedFolder(path: string, found: BigIntStats): WatchedFolder {
  return {
    ...{ path, inode: inodeOf(found), birthtimeNs: found.birthtimeNs, isBirthtimeKnown: hasBirthtime(found), watcher: undefined },
    ...{
      modifiedNs: -1n,
      changedNs: -1n,
      listedAtMs: 0,
      names: undefined,
      isEmpty: false,
      passedOver: undefined,
      unreadable: new Map<string, unknown>(),
      removed: new Set<string>(),
    },
    ...{ lastEventAt: Number.NEGATIVE_INFINITY, requested: undefined, throttledUntil: 0, failures: 0, retry: undefined },
  };
}

/** Identifies a folder on this machine. */
export const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

/** Whether the birth time is real, and not just the time of the last change. */
export const hasBirthtime = ({ birthtimeNs, ctimeNs }: BigIntStats): boolean => birthtimeNs !== 0n && birthtimeNs !== ctimeNs;

/** Returns the entries of a folder that are passed over, to add one. */
export function passedOverIn(folder: WatchedFolder): PassedOverNames {
  folder.passedOver ??= new PassedOverNames();
  return folder.passedOver;
}
