import { extname } from "node:path";
import { type ByteSource, bufferSource } from "./byte-source.ts";
import { formatOf, headBytes, isBlank } from "./format.ts";
import { mendJpeg } from "./jpeg.ts";
import { mendPng } from "./png.ts";
import type { ImageReason } from "./reasons.ts";
import { type Mended, settledAfterMs } from "./structure.ts";

/** Larger pictures are not decoded: a small file can claim any size. */
export const mostPixels = 50_000_000;
/** Larger picture files are not read into memory. */
const mostPictureBytes = 100 * 1024 * 1024;

/**
 * Kind of a file by its name. `unsupported` is a picture or video that homesec does not read, `temporary` an unfinished one; the content decides
 * what `other` is, unless `isSideFile`.
 */
export type FileKind = "jpeg" | "png" | "webp" | "video" | "unsupported" | "temporary" | "other";

const kindByExtension = new Map<string, FileKind>(
  (
    [
      ["jpeg", [".jpg", ".jpeg", ".jpe", ".jfif"]],
      ["png", [".png"]],
      ["webp", [".webp"]],
      [
        "video",
        [
          ...[".mp4", ".mkv", ".avi", ".mov", ".m4v", ".3gp", ".webm", ".flv", ".dav", ".mpg", ".mpeg", ".ts", ".mts", ".m2ts"],
          ...[".264", ".h264", ".265", ".h265", ".hevc"],
        ],
      ],
      ["unsupported", [".gif", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".jp2", ".wmv", ".asf"]],
      ["temporary", [".tmp", ".part", ".partial", ".crdownload", ".filepart", ".upload", ".uploading", ".incomplete"]],
    ] as const
  ).flatMap(([kind, extensions]) => extensions.map((extension) => [extension, kind] as const)),
);

/** Derives the kind of a file from its name, in upper or lower case. */
export function kindOf(path: string): FileKind {
  const name = path.slice(path.lastIndexOf("/") + 1);
  if (name.startsWith(".") || name.endsWith("~")) return "temporary";
  return kindByExtension.get(extname(name).toLowerCase()) ?? "other";
}

/** Tells whether a file of this kind gets a row in the ledger. */
export function isRecorded(kind: FileKind): boolean {
  return kind !== "temporary" && kind !== "other";
}

/** Endings of files that recorders and programs write beside pictures. */
const sideFileExtensions = new Set([
  ...[".txt", ".log", ".csv", ".xml", ".json", ".htm", ".html", ".md", ".ini", ".cfg", ".conf", ".yaml", ".yml", ".db", ".sqlite", ".lock"],
  ...[".idx", ".srt", ".vtt", ".m3u", ".m3u8", ".md5", ".sha1", ".sha256", ".wav", ".mp3", ".aac", ".zip", ".gz", ".tar", ".url", ".lnk"],
]);

/** Tells whether a file is no picture or video by its name, so that its content is not read. */
export function isSideFile(name: string): boolean {
  return sideFileExtensions.has(extname(name).toLowerCase());
}

/** Folders that programs keep beside pictures, with copies and deleted pictures. */
const ignoredFolders = new Set([
  ...["@eaDir", "#recycle", "#snapshot", "@Recycle", "@Recently-Snapshot"],
  ...["$RECYCLE.BIN", "System Volume Information", "lost+found"],
]);

/** Tells whether a folder is skipped by its name: hidden folders, and folders with copies. */
export function isIgnoredFolder(name: string): boolean {
  return name.startsWith(".") || ignoredFolders.has(name);
}

/** The result of inspecting the head and tail of a file. */
export type Inspection =
  | { readonly state: "complete"; readonly mediaType: string; readonly width: number | null; readonly height: number | null }
  /** It may still be being written; `detail` says what is missing. */
  | { readonly state: "incomplete"; readonly detail: string }
  | {
      readonly state: "refused";
      readonly reason: Extract<ImageReason, "not_an_image" | "too_large" | "unsupported">;
      readonly detail: string;
      readonly mediaType: string | null;
    };

/**
 * Determines the format of a file from its content, whether it is complete, and the dimensions of a picture, without decoding it.
 * `quietMs` is the time since its last change: a file that is still changing is never called damaged. Never throws because of the bytes.
 */
export async function inspect(source: ByteSource, quietMs: number): Promise<Inspection> {
  const head = await source.read(0, headBytes);
  const format = formatOf(head);
  if (!format) {
    if (quietMs < settledAfterMs || (head.length > 0 && isBlank(head))) {
      return { state: "incomplete", detail: "the beginning is not there yet" };
    }
    const detail = "The content is no picture or video of a known format, whatever the name says. Check what uploads into this folder.";
    return { state: "refused", reason: "not_an_image", detail, mediaType: null };
  }
  const { mediaType } = format;
  if (!format.inspect) {
    const detail = `The content is ${mediaType}, which is not read. Set the camera to JPEG, PNG or WebP pictures, or MP4, MOV, MKV or AVI videos.`;
    return { state: "refused", reason: "unsupported", detail, mediaType };
  }
  const structure = await format.inspect(source, quietMs);
  switch (structure.state) {
    case "incomplete":
      return structure;
    case "damaged":
      if (quietMs < settledAfterMs) return { state: "incomplete", detail: structure.detail };
      return {
        state: "refused",
        reason: "not_an_image",
        detail: `Not readable: ${structure.detail}. Is the camera's upload broken?`,
        mediaType,
      };
    case "complete":
      return tooLarge(structure, source.size, mediaType) ?? { ...structure, mediaType };
  }
}

/** Returns the size of a whole picture in pixels; undefined if it cannot be read. */
export async function sizeOf(bytes: Buffer): Promise<{ readonly width: number; readonly height: number } | undefined> {
  const found = await inspect(bufferSource(bytes), 0);
  if (found.state !== "complete" || found.width === null || found.height === null) return undefined;
  return { width: found.width, height: found.height };
}

function tooLarge(
  size: { readonly width: number | null; readonly height: number | null },
  bytes: number,
  mediaType: string,
): Inspection | undefined {
  if (size.width === null || size.height === null) return undefined;
  const fix = "Set the camera to a smaller resolution.";
  if (size.width * size.height > mostPixels) {
    const detail = `${size.width} x ${size.height} is more than ${mostPixels / 1e6} megapixels. ${fix}`;
    return { state: "refused", reason: "too_large", detail, mediaType };
  }
  if (bytes > mostPictureBytes) {
    const detail = `${Math.round(bytes / 1_048_576)} MiB is more than ${mostPictureBytes / 1_048_576} MiB. ${fix}`;
    return { state: "refused", reason: "too_large", detail, mediaType };
  }
  return undefined;
}

/**
 * Makes a JPEG or PNG with a fault that tolerant decoders overlook readable for strict ones: a missing end, a cut at the bottom, wrong
 * checksums. Returns other bytes as they are.
 */
export async function mendPicture(bytes: Buffer): Promise<Mended> {
  return bytes[0] === 0x89 ? await mendPng(bytes) : await mendJpeg(bytes);
}
