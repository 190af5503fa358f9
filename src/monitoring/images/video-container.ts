import type { ByteSource } from "./byte-source.ts";
import { openEndedAfterMs, type Structure, settledAfterMs } from "./structure.ts";

const mostBoxes = 100_000;
const complete: Structure = { state: "complete", width: null, height: null };

/** Inspects an MP4 or MOV: boxes must fit the file, and the index (`moov`), which recorders write last, must exist. */
export async function inspectMp4(source: ByteSource, quietMs: number): Promise<Structure> {
  let at = 0;
  let hasIndex = false;
  let fragmented = false;
  for (let boxes = 0; boxes < mostBoxes && at < source.size; boxes += 1) {
    const head = await source.read(at, 16);
    if (head.length < 8) break;
    const type = head.toString("latin1", 4, 8);
    if (!/^[\x20-\x7e\xa9]{4}$/.test(type)) break;
    hasIndex ||= type === "moov";
    fragmented ||= type === "moof";
    const short = head.readUInt32BE(0);
    if (short === 1 && head.length < 16) break;
    const length = short === 1 ? Number(head.readBigUInt64BE(8)) : short;
    if (length === 0) {
      // This box extends to the end of the file.
      return hasIndex && quietMs >= openEndedAfterMs ? complete : { state: "incomplete", detail: "the video does not say where it ends" };
    }
    if (length < 8) return { state: "damaged", detail: "the boxes of the video are broken" };
    at += length;
  }
  if (!hasIndex) return { state: "incomplete", detail: "the index of the video is missing" };
  if (at > source.size) return { state: "incomplete", detail: "the video is shorter than its boxes say" };
  if (fragmented && quietMs < openEndedAfterMs) return { state: "incomplete", detail: "more fragments of the video may follow" };
  if (at < source.size && quietMs < settledAfterMs) return { state: "incomplete", detail: "the video ends within a box" };
  return complete;
}

/** Inspects a Matroska or WebM file: the size of its segment, which recorders fill in last. */
export async function inspectMatroska(source: ByteSource, quietMs: number): Promise<Structure> {
  const headerSize = variableInteger(await source.read(4, 8));
  if (!headerSize) return { state: "incomplete", detail: "the video ends within its header" };
  const segmentAt = 4 + headerSize.bytes + Number(headerSize.value ?? 0);
  const segment = await source.read(segmentAt, 12);
  if (segment.length < 12) return { state: "incomplete", detail: "the video ends within its header" };
  if (segment.readUInt32BE(0) !== 0x18538067) return { state: "damaged", detail: "the header of the video is broken" };
  const size = variableInteger(segment.subarray(4));
  if (!size) return { state: "damaged", detail: "the header of the video is broken" };
  if (size.value === undefined) {
    return quietMs >= openEndedAfterMs ? complete : { state: "incomplete", detail: "the video does not say where it ends" };
  }
  if (segmentAt + 4 + size.bytes + Number(size.value) > source.size) {
    return { state: "incomplete", detail: "the video is shorter than its header says" };
  }
  return complete;
}

/** Reads an EBML length: leading zero bits give the number of bytes; all ones mean unknown. */
function variableInteger(bytes: Buffer): { readonly bytes: number; readonly value: bigint | undefined } | undefined {
  const first = bytes[0];
  if (first === undefined || first === 0) return undefined;
  const length = Math.clz32(first) - 23;
  if (bytes.length < length) return undefined;
  const raw = BigInt(`0x${bytes.toString("hex", 0, length)}`);
  const mask = (1n << BigInt(7 * length)) - 1n;
  const value = raw & mask;
  return { bytes: length, value: value === mask ? undefined : value };
}

/** Inspects an AVI: the lengths of its RIFF parts (several beyond 1 GB), which recorders fill in last. */
export async function inspectAvi(source: ByteSource, quietMs: number): Promise<Structure> {
  let at = 0;
  for (let parts = 0; parts < mostBoxes && at < source.size; parts += 1) {
    const head = await source.read(at, 8);
    if (head.length < 8 || head.toString("latin1", 0, 4) !== "RIFF") {
      if (at > 0 && quietMs >= settledAfterMs) return complete;
      return { state: "incomplete", detail: "the video ends within its header" };
    }
    const length = head.readUInt32LE(4);
    if (length === 0 || length === 0xffffffff) return { state: "incomplete", detail: "the length of the video is not filled in yet" };
    at += 8 + length + (length % 2);
  }
  // The padding of an odd length may be missing at the very end.
  return at <= source.size + 1 ? complete : { state: "incomplete", detail: "the video is shorter than its header says" };
}

/** Streams and recordings of recorders say nowhere where they end. */
export async function inspectOpenEnded(_source: ByteSource, quietMs: number): Promise<Structure> {
  return quietMs >= openEndedAfterMs ? complete : { state: "incomplete", detail: "the video does not say where it ends" };
}
