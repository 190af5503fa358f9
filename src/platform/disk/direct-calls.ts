import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import { type FileHandle, open, realpath, stat } from "node:fs/promises";
import { mountTypeOf } from "./fs-timeout.ts";

/** An open file, as far as reading a picture needs it. */
export interface OpenFile {
  stat(options: { readonly bigint: true }): Promise<BigIntStats>;
  read(bytes: Buffer, offset: number, length: number, position: number): Promise<{ readonly bytesRead: number }>;
  close(): Promise<void>;
}

/** The calls that reading a picture needs. They reject as those of `node:fs/promises` do. */
export interface FileCalls {
  realpath(path: string): Promise<string>;
  stat(path: string): Promise<BigIntStats>;
  /** Opens a real path: fails if its name has become a link. */
  open(path: string): Promise<OpenFile>;
  /** Opens what the path leads to. */
  openFollowing(path: string): Promise<OpenFile>;
}

/** Without blocking, because a pipe would hold a thread forever. */
const following = constants.O_RDONLY | constants.O_NONBLOCK;
const flags = following | constants.O_NOFOLLOW;

/** Calls in the thread pool: a disk that hangs holds one of its threads. */
export const threadedCalls: FileCalls = {
  realpath,
  stat: (path) => stat(path, { bigint: true }),
  open: (path): Promise<FileHandle> => open(path, flags),
  openFollowing: (path): Promise<FileHandle> => open(path, following),
};

/** File systems on disks of this machine. Others may wait for a network or for a program. */
const localType = /^(?:ext[234]|xfs|btrfs|f2fs|zfs|bcachefs|overlay|tmpfs)$/;
/** A call that takes this long has met a disk in trouble, or a busy machine: for a while nothing is called directly. */
const slowMs = 100;
const cautiousMs = 10 * 60_000;

let directFrom = Number.NEGATIVE_INFINITY;

/**
 * Tells whether files of a folder that were written a moment ago may be read by `directCalls`: their content is in memory then, and handing
 * a call to the thread pool costs several times the call.
 */
export function mayCallDirectly(folder: string): boolean {
  return performance.now() >= directFrom && localType.test(mountTypeOf(folder) ?? "");
}

/** Calls on the main thread. Nothing else happens in this process meanwhile, so only for files that `mayCallDirectly` allows. */
export const directCalls: FileCalls = {
  realpath: async (path) => timed(() => realpathSync.native(path)),
  stat: async (path) => timed(() => statSync(path, { bigint: true })),
  open: async (path) => openDirectly(path, flags),
  openFollowing: async (path) => openDirectly(path, following),
};

function openDirectly(path: string, how: number): OpenFile {
  const file = timed(() => openSync(path, how));
  return {
    stat: async () => timed(() => fstatSync(file, { bigint: true })),
    read: async (bytes, offset, length, position) => ({ bytesRead: timed(() => readSync(file, bytes, offset, length, position)) }),
    close: async () => timed(() => closeSync(file)),
  };
}

function timed<T>(call: () => T): T {
  const startedAt = performance.now();
  try {
    return call();
  } finally {
    const now = performance.now();
    if (now - startedAt > slowMs) directFrom = now + cautiousMs;
  }
}
