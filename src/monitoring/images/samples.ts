import { crc32, deflateRawSync } from "node:zlib";
import type { ByteSource } from "./byte-source.ts";

/*
 * A file that grows in steps, or is written over in place, is found in several versions. A later version goes on from an earlier one, and
 * replaces it, if it has most of the earlier one's bytes at the same places. Some cameras write each picture over the last one instead:
 * such a picture has only its header in common with it. So pieces of the content decide, whatever the time between the versions.
 */

const sampleBytes = 4_096;
/** The last one lies at 1 TiB. */
const mostSamples = 30;
/** A piece that is empty or repeats itself, such as the black top of a picture, proves nothing. */
const blank = 0;
const mostRepetitiveShare = 1 / 8;
/** Recorders correct the beginning of a video when they close it, and the lengths in between. */
const leastShare = 0.75;
/** Pictures of one camera have the beginning of their headers in common: this many pieces, 8 KiB, are more. */
const fewestOfPicture = 2;

/** A version of a file with its checksums. */
export interface Sampled {
  readonly mediaType: string | null;
  /** Four bytes for each sample. */
  readonly samples: Buffer;
}

/**
 * Returns the checksums of the pieces of 4 KiB at 0, 4, 8, 16, 32 KiB and so on, four bytes each; none of a smaller file. Of a picture only
 * the first ones count.
 */
export async function samplesOf(source: ByteSource, mediaType: string): Promise<Buffer> {
  const most = mediaType.startsWith("video/") ? mostSamples : fewestOfPicture;
  const checksums: number[] = [];
  for (let at = 0; at + sampleBytes <= source.size && checksums.length < most; at = at === 0 ? sampleBytes : at * 2) {
    const piece = await source.read(at, sampleBytes);
    if (piece.length < sampleBytes) break;
    checksums.push(isRepetitive(piece) ? blank : crc32(piece) || 1);
  }
  const samples = Buffer.alloc(checksums.length * 4);
  for (const [index, checksum] of checksums.entries()) samples.writeUInt32BE(checksum, index * 4);
  return samples;
}

/** Packed picture data hardly shrinks again, unless an area of one colour repeats the same few bytes. */
function isRepetitive(piece: Buffer): boolean {
  if (hasManyWords(piece)) return false;
  return deflateRawSync(piece, { level: 1 }).length < piece.length * mostRepetitiveShare;
}

const wordStride = 8;
const manyWords = 450;

/**
 * Whether hardly two of 512 words of the piece are equal: so many have a place of their own in a table of 8,192. Such a piece has more than
 * 2.2 bits of information in each byte and cannot shrink to an eighth; counting costs a tenth of packing.
 */
export function hasManyWords(piece: Buffer): boolean {
  const places = new Uint8Array(8_192);
  let words = 0;
  for (let at = 0; at + 4 <= piece.length; at += wordStride) {
    const place = Math.imul(piece.readUInt32LE(at), 0x9e3779b1) >>> 19;
    if (places[place] === 0) words += 1;
    places[place] = 1;
  }
  return words > manyWords;
}

/**
 * Tells whether a later version of a file goes on from an earlier one. A picture does if its first 8 KiB are the same, since an upload
 * that breaks off or writes over another picture starts at the top. A video does if three quarters of the pieces behind its header are.
 */
export function goesOn(earlier: Sampled, later: Sampled): boolean {
  if (earlier.mediaType === null || earlier.mediaType !== later.mediaType) return false;
  const [before, after] = [numbersIn(earlier.samples), numbersIn(later.samples)];
  if (!earlier.mediaType.startsWith("video/")) {
    const first = before.slice(0, fewestOfPicture);
    return first.length === fewestOfPicture && first.every((checksum, index) => checksum !== blank && checksum === after[index]);
  }
  const places = before.flatMap((checksum, index) => (checksum === blank ? [] : [index]));
  const behindHeader = places.filter((index) => index > 0);
  const decisive = behindHeader.length > 0 ? behindHeader : places;
  const same = decisive.filter((index) => before[index] === after[index]).length;
  return same > 0 && same >= decisive.length * leastShare;
}

function numbersIn(samples: Buffer): readonly number[] {
  return Array.from({ length: Math.floor(samples.length / 4) }, (_, index) => samples.readUInt32BE(index * 4));
}
