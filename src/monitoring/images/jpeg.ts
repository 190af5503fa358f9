import type { ByteSource } from "./byte-source.ts";
import { lengthWithoutPadding, mostPaddingBytes, type Structure, settledAfterMs } from "./structure.ts";

const mostSegments = 1_000;
const scanBlockBytes = 256 * 1024;

/**
 * Inspects a JPEG: its header segments for the dimensions, its last bytes for the end marker. The end marker counts only after the start
 * of the image data, since the thumbnail in the header has one too.
 */
export async function inspectJpeg(source: ByteSource, quietMs: number): Promise<Structure> {
  const header = await readHeader(source);
  if ("state" in header) return header;
  const { width, height, dataStart } = header;
  const ended = (await endsWithMarker(source, dataStart)) || (quietMs >= settledAfterMs && (await hasEndMarker(source, dataStart)));
  if (!ended) return { state: "incomplete", detail: "the end marker of the JPEG is missing" };
  return { state: "complete", width, height };
}

async function readHeader(source: ByteSource): Promise<Structure | { width: number; height: number; dataStart: number }> {
  const cutOff: Structure = { state: "incomplete", detail: "the JPEG ends within its header" };
  let size: { width: number; height: number } | undefined;
  let at = 2;
  for (let segments = 0; segments < mostSegments; segments += 1) {
    const head = await source.read(at, 9);
    if (head.length < 4) return cutOff;
    if (head[0] !== 0xff) return { state: "damaged", detail: "the JPEG's header is broken" };
    const marker = head[1] as number;
    if (marker === 0xff) {
      at += 1;
      continue;
    }
    if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) {
      at += 2;
      continue;
    }
    if (marker === 0xd9) return { state: "damaged", detail: "the JPEG has no image data" };
    const length = head.readUInt16BE(2);
    if (length < 2) return { state: "damaged", detail: "the JPEG's header is broken" };
    if (isFrameHeader(marker)) {
      if (head.length < 9) return cutOff;
      size = { width: head.readUInt16BE(7), height: head.readUInt16BE(5) };
      if (size.width === 0 || size.height === 0) return { state: "damaged", detail: "the JPEG says it has no size" };
    }
    at += 2 + length;
    if (marker === 0xda) {
      return size ? { ...size, dataStart: at } : { state: "damaged", detail: "the JPEG does not say its size" };
    }
  }
  return { state: "damaged", detail: "the JPEG's header does not end" };
}

/** SOF0 to SOF15, without the three markers in between that mean something else. */
function isFrameHeader(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}

async function endsWithMarker(source: ByteSource, dataStart: number): Promise<boolean> {
  for (const window of [64, mostPaddingBytes]) {
    const start = Math.max(0, source.size - window);
    const tail = await source.read(start, window);
    const length = lengthWithoutPadding(tail);
    if (length < 2 && start > 0) continue;
    const markerAt = start + length - 2;
    return length >= 2 && markerAt >= dataStart && tail.readUInt16BE(length - 2) === 0xffd9;
  }
  return false;
}

/** Some cameras append data to the picture. Within image data FF is followed by 00 or a restart marker, so FFD9 is the end. */
async function hasEndMarker(source: ByteSource, dataStart: number): Promise<boolean> {
  for (let at = dataStart; at < source.size; ) {
    const block = await source.read(at, scanBlockBytes);
    if (block.includes("ffd9", 0, "hex")) return true;
    if (block.length < 2) return false;
    at += block.length - 1;
    if (at >= source.size - 1) return false;
  }
  return false;
}
