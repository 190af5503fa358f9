import { extname } from "node:path";
import type { ByteSource } from "./byte-source.ts";
import { inspectJpeg } from "./jpeg.ts";
import { inspectPng } from "./png.ts";
import type { ImageReason } from "./reasons.ts";
import { type Structure, settledAfterMs } from "./structure.ts";
import { inspectAvi, inspectMatroska, inspectMp4 } from "./video-container.ts";
import { inspectWebp } from "./webp.ts";

/** Larger pictures are not decoded: a small file can claim any size. */
export const mostPixels = 50_000_000;
/** Larger picture files are not read into memory. */
const mostPictureBytes = 100 * 1024 * 1024;

/** Kind of a file by its name. `unsupported` is a picture or video that homesec does not read, `temporary` an unfinished one. */
export type FileKind = "jpeg" | "png" | "webp" | "video" | "unsupported" | "temporary" | "other";

const kindByExtension = new Map<string, FileKind>(
  (
    [
      ["jpeg", [".jpg", ".jpeg", ".jpe", ".jfif"]],
      ["png", [".png"]],
      ["webp", [".webp"]],
      ["video", [".mp4", ".mkv", ".avi", ".mov"]],
      [
        "unsupported",
        [".gif", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl", ".webm", ".m4v", ".mpg", ".mpeg", ".wmv", ".flv", ".dav"],
      ],
      ["temporary", [".tmp", ".part", ".partial", ".crdownload"]],
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
  const head = await source.read(0, 64);
  const format = formatOf(head);
  if (!format) {
    if (quietMs < settledAfterMs || (head.length > 0 && head.every((byte) => byte === 0))) {
      return { state: "incomplete", detail: "the beginning is not there yet" };
    }
    const detail = "The content is no JPEG, PNG, WebP, MP4, MOV, MKV or AVI, whatever the name says. Check what uploads into this folder.";
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

interface Format {
  readonly mediaType: string;
  /** Absent for formats that are recognised but not inspected. */
  readonly inspect?: (source: ByteSource, quietMs: number) => Promise<Structure>;
}

const heifBrands = /^(heic|heix|hevc|heim|heis|mif1|msf1)/;

function formatOf(head: Buffer): Format | undefined {
  const text = (start: number, end: number): string => head.toString("latin1", start, end);
  if (text(0, 3) === "\xff\xd8\xff") return { mediaType: "image/jpeg", inspect: inspectJpeg };
  if (text(0, 8) === "\x89PNG\r\n\x1a\n") return { mediaType: "image/png", inspect: inspectPng };
  if (text(0, 4) === "RIFF" && text(8, 12) === "WEBP") return { mediaType: "image/webp", inspect: inspectWebp };
  if (text(0, 4) === "RIFF" && text(8, 12) === "AVI ") return { mediaType: "video/x-msvideo", inspect: inspectAvi };
  if (text(0, 4) === "\x1a\x45\xdf\xa3") {
    return { mediaType: text(0, 64).includes("webm") ? "video/webm" : "video/x-matroska", inspect: inspectMatroska };
  }
  if (text(4, 8) === "ftyp") {
    const brand = text(8, 12);
    if (heifBrands.test(brand)) return { mediaType: "image/heic" };
    if (brand.startsWith("avi")) return { mediaType: "image/avif" };
    return { mediaType: brand === "qt  " ? "video/quicktime" : "video/mp4", inspect: inspectMp4 };
  }
  if (["moov", "mdat", "wide", "free", "skip"].includes(text(4, 8))) return { mediaType: "video/quicktime", inspect: inspectMp4 };
  if (text(0, 4) === "GIF8") return { mediaType: "image/gif" };
  if (text(0, 2) === "BM" && head.length >= 26 && head.readUInt32LE(6) === 0) return { mediaType: "image/bmp" };
  if (text(0, 4) === "II*\0" || text(0, 4) === "MM\0*") return { mediaType: "image/tiff" };
  return undefined;
}
