import type { ByteSource } from "./byte-source.ts";
import { inspectJpeg } from "./jpeg.ts";
import { inspectPng } from "./png.ts";
import type { Structure } from "./structure.ts";
import { inspectAvi, inspectMatroska, inspectMp4, inspectOpenEnded } from "./video-container.ts";
import { inspectWebp } from "./webp.ts";

/** Bytes at the beginning of a file that are enough to recognise its format: three packets of an MPEG transport stream. */
export const headBytes = 512;

/** The format of a picture or video. */
export interface Format {
  readonly mediaType: string;
  /** Absent for formats that are recognised but not read. */
  readonly inspect?: (source: ByteSource, quietMs: number) => Promise<Structure>;
}

interface Signature extends Format {
  /** Tells whether these first bytes of a file, at most `headBytes`, belong to the format. */
  readonly matches: (head: Buffer) => boolean;
}

const text = (head: Buffer, start: number, end: number): string => head.toString("latin1", start, end);
const startsWith =
  (...beginnings: readonly string[]) =>
  (head: Buffer): boolean =>
    beginnings.some((beginning) => text(head, 0, beginning.length) === beginning);
const riff =
  (kind: string) =>
  (head: Buffer): boolean =>
    startsWith("RIFF")(head) && text(head, 8, 12) === kind;
const brand = (head: Buffer): string => (text(head, 4, 8) === "ftyp" ? text(head, 8, 12) : "");
const isEbml = startsWith("\x1a\x45\xdf\xa3");

/** In this order: the first match counts. */
const signatures: readonly Signature[] = [
  { mediaType: "image/jpeg", inspect: inspectJpeg, matches: startsWith("\xff\xd8\xff") },
  { mediaType: "image/png", inspect: inspectPng, matches: startsWith("\x89PNG\r\n\x1a\n") },
  { mediaType: "image/webp", inspect: inspectWebp, matches: riff("WEBP") },
  { mediaType: "video/x-msvideo", inspect: inspectAvi, matches: riff("AVI ") },
  { mediaType: "video/webm", inspect: inspectMatroska, matches: (head) => isEbml(head) && text(head, 0, 64).includes("webm") },
  { mediaType: "video/x-matroska", inspect: inspectMatroska, matches: isEbml },
  { mediaType: "image/heic", matches: (head) => /^(heic|heix|hevc|heim|heis|mif1|msf1)/.test(brand(head)) },
  { mediaType: "image/avif", matches: (head) => brand(head).startsWith("avi") },
  { mediaType: "video/quicktime", inspect: inspectMp4, matches: (head) => brand(head) === "qt  " },
  { mediaType: "video/mp4", inspect: inspectMp4, matches: (head) => brand(head) !== "" },
  {
    mediaType: "video/quicktime",
    inspect: inspectMp4,
    matches: (head) => ["moov", "mdat", "wide", "free", "skip"].includes(text(head, 4, 8)),
  },
  { mediaType: "video/x-flv", inspect: inspectOpenEnded, matches: startsWith("FLV\x01") },
  { mediaType: "video/x-dav", inspect: inspectOpenEnded, matches: startsWith("DHAV", "DAHUA") },
  // some recorders put a header of 40 bytes before the program stream
  { mediaType: "video/mpeg", inspect: inspectOpenEnded, matches: startsWith("\0\0\x01\xba", "IMKH") },
  { mediaType: "video/mp2t", inspect: inspectOpenEnded, matches: isTransportStream },
  { mediaType: "video/h264", inspect: inspectOpenEnded, matches: (head) => isH264(firstNalUnit(head)) },
  { mediaType: "video/h265", inspect: inspectOpenEnded, matches: (head) => isH265(firstNalUnit(head)) },
  { mediaType: "video/x-ms-asf", matches: startsWith("\x30\x26\xb2\x75\x8e\x66\xcf\x11") },
  { mediaType: "image/gif", matches: startsWith("GIF8") },
  { mediaType: "image/bmp", matches: (head) => startsWith("BM")(head) && head.length >= 26 && head.readUInt32LE(6) === 0 },
  { mediaType: "image/tiff", matches: startsWith("II*\0", "MM\0*") },
  { mediaType: "image/jxl", matches: startsWith("\0\0\0\x0cJXL ") },
  { mediaType: "image/jp2", matches: startsWith("\0\0\0\x0cjP  ") },
];

/** Recognises a format by the first `headBytes` of a file; undefined if they belong to no picture or video. */
export function formatOf(head: Buffer): Format | undefined {
  return signatures.find(({ matches }) => matches(head));
}

/** Media types of the pictures and videos that homesec reads. */
export const readMediaTypes: ReadonlySet<string> = new Set(
  signatures.filter(({ inspect }) => inspect !== undefined).map(({ mediaType }) => mediaType),
);

/** Enough bytes to rule out every format but a transport stream, whose mark repeats only with each packet. */
const decidingBytes = 64;

/**
 * Tells whether a file with these first bytes is a picture or video; `undecided` while it is empty, starts with zeros (some writers fill in the
 * beginning last), or is too short.
 */
export function contentOf(head: Buffer): "media" | "other" | "undecided" {
  if (formatOf(head)) return "media";
  if (head.length < decidingBytes || isBlank(head)) return "undecided";
  return head.length < headBytes && (head[0] === syncByte || head[4] === syncByte) ? "undecided" : "other";
}

/** Tells whether the beginning of a file is not written yet. */
export function isBlank(head: Buffer): boolean {
  return head.subarray(0, decidingBytes).every((byte) => byte === 0);
}

const syncByte = 0x47;

/** Packets of 188 bytes start with a mark, in the variant of recorders after a time of 4 bytes. */
function isTransportStream(head: Buffer): boolean {
  return [[0, 188] as const, [4, 192] as const].some(([first, length]) =>
    [0, 1, 2].every((packet) => head[first + packet * length] === syncByte),
  );
}

/** Returns the bytes after the first start code of an elementary stream; none if the head does not begin with one. */
function firstNalUnit(head: Buffer): Buffer {
  if (startsWith("\0\0\x01")(head)) return head.subarray(3);
  return startsWith("\0\0\0\x01")(head) ? head.subarray(4) : Buffer.alloc(0);
}

/** A stream begins with parameters, which other units refer to, or with additional information or a delimiter, which none does. */
function isH264([header = 0x80]: Iterable<number>): boolean {
  const isReferredTo = (header & 0x60) !== 0;
  return (header & 0x80) === 0 && (isReferredTo ? [7] : [6, 9]).includes(header & 0x1f);
}

function isH265([header = 0x80, layer]: Iterable<number>): boolean {
  return (header & 0x81) === 0 && layer === 1 && [32, 33, 35, 39].includes(header >> 1);
}
