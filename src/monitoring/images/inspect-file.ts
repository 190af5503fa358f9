import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import { lstat } from "node:fs/promises";
import { directCalls, type OpenFile, threadedCalls } from "../../platform/disk/direct-calls.ts";
import { isGone } from "../../platform/disk/files.ts";
import { exifTime } from "../camera-times/exif.ts";
import type { WallTime } from "../camera-times/wall-time.ts";
import { bufferSource, fileSource, readFully } from "./byte-source.ts";
import { exifBlock } from "./exif-block.ts";
import { contentOf, headBytes } from "./format.ts";
import { type Inspection, inspect } from "./picture.ts";
import { samplesOf } from "./samples.ts";
import { settledAfterMs } from "./structure.ts";

/** Files up to this size are read at once. */
const wholeBytes = 1024 * 1024;
const hashChunkBytes = 1024 * 1024;
/** Larger files are not hashed, so that re-uploads of long videos are not recognised. */
const mostHashedBytes = 256 * 1024 * 1024;

/** Size and modification time: equal versions have equal content. */
export interface Version {
  readonly sizeBytes: number;
  readonly modifiedNs: bigint;
}

/** In bytes: the ledger identifies files by path, and an index of the database takes keys of 2,700 at most. */
const longestPath = 2_500;

/** The result of inspecting a path. */
export type FileInspection =
  /** There is no such file any more, or never was. */
  | { readonly kind: "gone" }
  | { readonly kind: "folder" }
  /** The file has the version that the caller already knows. */
  | { readonly kind: "known" }
  | { readonly kind: "empty"; readonly version: Version }
  /** With `byContent`: no picture or video, or too short to tell. */
  | { readonly kind: "not_media" | "undecided"; readonly version: Version }
  | {
      readonly kind: "inspected";
      readonly version: Version;
      readonly inspection: Inspection;
      readonly sha256: Buffer | null;
      /** Checksums of pieces of a complete file. */
      readonly samples: Buffer | null;
      /** The camera's time in a complete file. */
      readonly exif: WallTime | null;
      /** The whole content of a small file. */
      readonly content: Buffer | undefined;
    }
  | { readonly kind: "refused"; readonly version: Version; readonly reason: "outside_root" | "unreadable"; readonly detail: string }
  /** The file system failed; a retry may succeed. */
  | { readonly kind: "trouble"; readonly detail: string };

export interface InspectionOptions {
  /** Real paths of the folders that may be read. */
  readonly roots: readonly string[];
  /** The version to report as `known`. */
  readonly known?: Version | undefined;
  /** The raw bytes of a path that is not UTF-8. */
  readonly raw?: Buffer | undefined;
  /** The name does not say whether this is a picture: a file without the beginning of one is `not_media`. */
  readonly byContent?: boolean;
  /** Milliseconds since this version last changed. */
  readonly quietMs: (version: Version) => number;
  /** The file was just written to a disk where `mayCallDirectly` holds. A large one is read by threads all the same. */
  readonly directly?: boolean;
  /** Called for each part of a large file: on a slow line reading takes minutes. */
  readonly onPart?: () => void;
}

/** Tells whether a real path is one of the folders or lies in one. */
export function isInside(real: string, roots: readonly string[]): boolean {
  return roots.some((root) => real === root || real.startsWith(root.endsWith("/") ? root : `${root}/`));
}

/**
 * Inspects a file: whether it may be read, its format, whether it is complete, and the hash of a complete one. Never throws because of
 * the file.
 */
export async function inspectFile(path: string, options: InspectionOptions): Promise<FileInspection> {
  if (Buffer.byteLength(path) > longestPath) {
    const detail = `The path has more than ${longestPath} bytes and cannot be recorded. Give the folders shorter names, or use fewer of them.`;
    return { kind: "trouble", detail };
  }
  try {
    const calls = options.directly && (await directCalls.stat(path)).size <= wholeBytes ? directCalls : threadedCalls;
    const real = await calls.realpath(path);
    if (!isInside(real, options.roots))
      return await refuse(path, "outside_root", `It is a link to ${real}, outside the allowed folders. ${rootFix}`);
    // The name may have become a link or a pipe meanwhile: `open` neither follows a link nor waits for a pipe.
    const file = await calls.open(real);
    try {
      return await inspectOpen(file, options);
    } finally {
      await file.close();
    }
  } catch (error) {
    return await explain(path, error as NodeJS.ErrnoException, options);
  }
}

const rootFix = "Add that folder to CAMERA_EXTRA_ROOTS if this is intended, or remove the link.";

async function inspectOpen(file: OpenFile, options: InspectionOptions): Promise<FileInspection> {
  const stat = await file.stat({ bigint: true });
  if (stat.isDirectory()) return { kind: "folder" };
  if (!stat.isFile()) return { kind: "gone" };
  const version = versionOf(stat);
  if (isSame(version, options.known)) return { kind: "known" };
  if (version.sizeBytes === 0) return { kind: options.byContent ? "undecided" : "empty", version };
  if (options.byContent) {
    const content = contentOf(await readFully(file, 0, Math.min(headBytes, version.sizeBytes)));
    if (content !== "media") return { kind: content === "other" ? "not_media" : "undecided", version };
  }
  const whole = version.sizeBytes <= wholeBytes ? await readFully(file, 0, version.sizeBytes) : undefined;
  const source = whole ? bufferSource(whole) : fileSource(file, version.sizeBytes);
  const inspection = await inspect(source, options.quietMs(version));
  const sha256 = inspection.state === "complete" ? await hash(file, version.sizeBytes, { whole, onPart: options.onPart }) : null;
  const samples = inspection.state === "complete" ? await samplesOf(source, inspection.mediaType) : null;
  const block = inspection.state === "complete" ? await exifBlock(source, inspection.mediaType) : undefined;
  return { kind: "inspected", version, inspection, sha256, samples, exif: block ? exifTime(block) : null, content: whole };
}

/**
 * The earliest and the latest time that the ledger can hold, in the years 1677 and 2262. Some shares report 1601 for a time that was
 * never set.
 */
const earliestNs = -(2n ** 63n);
const latestNs = 2n ** 63n - 1n;

/** Returns the version of a file in the ledger's form. */
export function versionOf({ size, mtimeNs }: BigIntStats): Version {
  const modifiedNs = mtimeNs < earliestNs ? earliestNs : mtimeNs > latestNs ? latestNs : mtimeNs;
  return { sizeBytes: Number(size), modifiedNs };
}

/** Tells whether two versions are equal. */
export function isSame(version: Version, other: Version | undefined): boolean {
  return other !== undefined && version.sizeBytes === other.sizeBytes && version.modifiedNs === other.modifiedNs;
}

async function hash(
  file: OpenFile,
  size: number,
  { whole, onPart }: { readonly whole: Buffer | undefined; readonly onPart: (() => void) | undefined },
): Promise<Buffer | null> {
  if (whole) return createHash("sha256").update(whole).digest();
  if (size > mostHashedBytes) return null;
  const sum = createHash("sha256");
  for (let at = 0; at < size; at += hashChunkBytes) {
    sum.update(await readFully(file, at, Math.min(hashChunkBytes, size - at)));
    onPart?.();
  }
  return sum.digest();
}

async function explain(path: string, error: NodeJS.ErrnoException, options: InspectionOptions): Promise<FileInspection> {
  switch (error.code) {
    case "ENOENT":
      // A dangling link, and a name that is not UTF-8, exist but cannot be opened by this path.
      if (await isLink(path)) return await refuse(path, "unreadable", "It is a link to a file that does not exist.");
      return options.raw ? await inspectByBytes(options.raw, options) : { kind: "gone" };
    case "ENOTDIR":
      return { kind: "gone" };
    case "ELOOP":
      return await refuse(path, "unreadable", "It is a circular link, or was just replaced by a link.");
    case "EACCES":
    case "EPERM":
      return await refuse(
        path,
        "unreadable",
        "The user that runs homesec may not read it. Grant read permission; homesec then processes the file automatically.",
      );
    default:
      return { kind: "trouble", detail: `Reading failed: ${error.message}` };
  }
}

const garbledDetail =
  "The name is not valid UTF-8, so the file cannot be opened. Rename it, and have the camera write names without umlauts and accents.";

/** A file whose name is not UTF-8 is not read, since its path could not be reported. */
async function inspectByBytes(raw: Buffer, { quietMs }: InspectionOptions): Promise<FileInspection> {
  try {
    const stat = await lstat(raw, { bigint: true });
    if (!stat.isFile()) return { kind: "gone" };
    const version = versionOf(stat);
    if (quietMs(version) < settledAfterMs) return { kind: "trouble", detail: garbledDetail };
    return { kind: "refused", reason: "unreadable", detail: garbledDetail, version };
  } catch (error) {
    return isGone(error) ? { kind: "gone" } : { kind: "trouble", detail: `Reading failed: ${(error as Error).message}` };
  }
}

async function isLink(path: string): Promise<boolean> {
  try {
    return (await lstat(path)).isSymbolicLink();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code) return false;
    throw error;
  }
}

async function refuse(path: string, reason: "outside_root" | "unreadable", detail: string): Promise<FileInspection> {
  try {
    const stat = await lstat(path, { bigint: true });
    return { kind: "refused", reason, detail, version: versionOf(stat) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return code === "ENOENT" ? { kind: "gone" } : { kind: "trouble", detail: `Reading failed: ${message}` };
  }
}
