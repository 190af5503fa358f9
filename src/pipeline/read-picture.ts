import { type BigIntStats, constants } from "node:fs";
import { open, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { readFully } from "../monitoring/images/byte-source.ts";
import type { LedgerImage } from "../monitoring/images/images-repository.ts";
import { isSame, versionOf } from "../monitoring/images/look.ts";
import { readWithTimeout } from "../platform/disk/fs-timeout.ts";
import { NoAnswer } from "../platform/disk/no-answer.ts";

/** Why a file is not read. */
export type Unread =
  /** For good. `bury`: it goes to the dead letters, since a person has to do something. */
  | { readonly kind: "skipped"; readonly reason: string; readonly detail: string; readonly bury: boolean }
  /** For now: the file system did not do what it was asked, or this machine lacks what it takes. */
  | { readonly kind: "trouble"; readonly reason: "unreadable" | "no_ffmpeg"; readonly detail: string };

/** What another try would not change. Everything else may pass: a share that is away, a disk that stumbles, too many open files. */
const lastingCodes = new Set(["EACCES", "EPERM", "ENOTDIR", "ELOOP", "ENAMETOOLONG", "ENXIO", "EISDIR"]);

type Read = { readonly kind: "bytes"; readonly bytes: Buffer } | Unread;

/**
 * The first `length` bytes of the file, all without it, if it is still the one that was registered: a file written over since has a row of its
 * own. Waits for no disk that does not answer.
 */
export async function readUnchanged(image: LedgerImage, length = image.sizeBytes): Promise<Read> {
  return await patiently(image, () => read(image, length));
}

/** Why the file cannot be read as the one that was registered; undefined when it can. */
export async function whyUnread(image: LedgerImage): Promise<Unread | undefined> {
  const read = await readUnchanged(image, 0);
  return read.kind === "bytes" ? undefined : read;
}

/** Why the file is no longer the one that was registered; undefined when it is. Whether it can be read is not asked, so that it need not be opened. */
export async function whyGone(image: LedgerImage): Promise<Unread | undefined> {
  return await patiently(image, async () => unlessSame(await stat(image.path, { bigint: true }), image));
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
        ? "The file was gone before it could be looked at. Does something delete or move pictures right after the upload?"
        : `The file cannot be read (${code}). Give the user that runs homesec the right to read it, then requeue it.`,
      bury: true,
    };
  }
}

const troubleReading = (why: string): Unread => ({
  ...{ kind: "trouble", reason: "unreadable" },
  detail: `The file could not be read just now${why}`,
});

async function read(image: LedgerImage, length: number): Promise<Read> {
  // a pipe that was put in its place must not be waited for
  const file = await open(image.path, constants.O_RDONLY | constants.O_NONBLOCK);
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
    detail: "The file was written over before it could be looked at; its new content has an entry of its own.",
    bury: false,
  };
}
