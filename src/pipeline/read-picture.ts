import type { BigIntStats } from "node:fs";
import { dirname } from "node:path";
import { readFully } from "../monitoring/images/byte-source.ts";
import type { LedgerImage } from "../monitoring/images/images-repository.ts";
import { isSame, versionOf } from "../monitoring/images/inspect-file.ts";
import { directCalls, type FileCalls, mayCallDirectly, threadedCalls } from "../platform/disk/direct-calls.ts";
import { NoAnswer } from "../platform/disk/files.ts";
import { readWithTimeout } from "../platform/disk/fs-timeout.ts";

/** Why a file was not read. */
export type Unread =
  /** Final. `bury`: it goes to the dead letters, since someone has to act. */
  | { readonly kind: "skipped"; readonly reason: string; readonly detail: string; readonly bury: boolean }
  /** Temporary: the file system failed, or this machine lacks ffmpeg. */
  | { readonly kind: "trouble"; readonly reason: "unreadable" | "no_ffmpeg"; readonly detail: string };

/** Errors that a retry would not change. All others may pass: a missing share, a disk error, too many open files. */
const lastingCodes = new Set(["EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EISDIR"]);

/** Reading more at once would hold up the process. */
const mostDirectBytes = 1024 * 1024;

type Read = { readonly kind: "bytes"; readonly bytes: Buffer } | Unread;

/**
 * Reads the first `length` bytes of the file (default: all) if it is still the registered version. A file that was overwritten since
 * has its own row. Never waits for a disk that does not answer. `isFresh`: it was written a moment ago, so its content is in memory.
 */
export async function readUnchanged(image: LedgerImage, { length = image.sizeBytes, isFresh = false } = {}): Promise<Read> {
  const calls = isFresh && length <= mostDirectBytes && mayCallDirectly(dirname(image.path)) ? directCalls : threadedCalls;
  return await patiently(image, () => read(image, length, calls));
}

/** Returns why the registered version of the file cannot be read; undefined if it can. */
export async function whyUnread(image: LedgerImage): Promise<Unread | undefined> {
  const read = await readUnchanged(image, { length: 0 });
  return read.kind === "bytes" ? undefined : read;
}

/** Returns why the file is no longer the registered version; undefined if it is. Does not open the file, so it may still be unreadable. */
export async function whyGone(image: LedgerImage): Promise<Unread | undefined> {
  // it was read a moment ago
  const { stat } = mayCallDirectly(dirname(image.path)) ? directCalls : threadedCalls;
  return await patiently(image, async () => unlessSame(await stat(image.path), image));
}

/** Tells whether the file is longer than the registered version. */
export async function hasGrown(image: LedgerImage): Promise<boolean> {
  return (await patiently(image, async () => (await threadedCalls.stat(image.path)).size > image.sizeBytes)) === true;
}

async function patiently<T>(image: LedgerImage, question: () => Promise<T>): Promise<T | Unread> {
  try {
    return await readWithTimeout(dirname(image.path), question);
  } catch (cause) {
    if (cause instanceof NoAnswer) return troubleReading(`: ${cause.message}`);
    const code = (cause as NodeJS.ErrnoException).code ?? "unknown";
    const missing = code === "ENOENT";
    if (!missing && !lastingCodes.has(code)) return troubleReading(` (${code}).`);
    return {
      kind: "skipped",
      reason: missing ? "missing" : "unreadable",
      detail: missing
        ? "The file was gone before homesec could process it. Check whether something deletes or moves pictures right after the upload."
        : `The file cannot be read (${code}). Give the user that runs homesec read permission, then requeue it.`,
      bury: true,
    };
  }
}

const troubleReading = (why: string): Unread => ({
  ...{ kind: "trouble", reason: "unreadable" },
  detail: `The file could not be read${why}`,
});

async function read(image: LedgerImage, length: number, calls: FileCalls): Promise<Read> {
  const file = await calls.openFollowing(image.path);
  try {
    const other = unlessSame(await file.stat({ bigint: true }), image);
    return other ?? { kind: "bytes", bytes: await readFully(file, 0, length) };
  } finally {
    await file.close();
  }
}

function unlessSame(stats: BigIntStats, image: LedgerImage): Unread | undefined {
  if (stats.isFile() && isSame(versionOf(stats), image)) return undefined;
  return {
    kind: "skipped",
    reason: "overwritten",
    detail: "The file was overwritten before homesec could process it. Its new content has a separate entry.",
    bury: false,
  };
}
