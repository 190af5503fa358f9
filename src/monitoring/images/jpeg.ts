import { type ByteSource, bufferSource } from "./byte-source.ts";
import { cutOffAfterMs, lengthWithoutPadding, type Mended, mostPaddingBytes, type Structure, settledAfterMs } from "./structure.ts";

const mostSegments = 1_000;
const scanBlockBytes = 256 * 1024;
const endMarker = Buffer.from([0xff, 0xd9]);
/** Larger files without an end marker are not decoded to find out whether they are whole. */
const mostDecodedBytes = 30 * 1024 * 1024;

/**
 * Inspects a JPEG: its header segments for the dimensions, its last bytes for the end marker. The end marker counts only after the start
 * of the image data, since the thumbnail in the header has one too. Without one, the decoder decides whether a file at rest is whole, and
 * one that was cut off counts as complete after two minutes.
 */
export async function inspectJpeg(source: ByteSource, quietMs: number): Promise<Structure> {
  const header = await readHeader(source);
  if ("state" in header) return header;
  const { width, height, dataStart } = header;
  const ended = (await endsWithMarker(source, dataStart)) || (quietMs >= settledAfterMs && (await hasEndMarker(source, dataStart)));
  const counts = ended || (quietMs >= cutOffAfterMs ? source.size > dataStart : quietMs >= settledAfterMs && (await isWholeFile(source)));
  if (!counts) return { state: "incomplete", detail: "the end marker of the JPEG is missing" };
  return { state: "complete", width, height };
}

/** Appends the end marker to a JPEG without one, which strict decoders would refuse. Returns other bytes as they are. */
export async function mendJpeg(bytes: Buffer): Promise<Mended> {
  const end = lengthWithoutPadding(bytes);
  const isJpeg = bytes[0] === 0xff && bytes[1] === 0xd8;
  const endsWell = !isJpeg || bytes.subarray(Math.max(0, end - endMarker.length), end).equals(endMarker);
  const header = endsWell ? undefined : await readHeader(bufferSource(bytes));
  if (header === undefined || "state" in header || bytes.includes(endMarker, header.dataStart)) return { bytes, isCutOff: false };
  return { bytes: Buffer.concat([bytes, endMarker]), isCutOff: !(await decodesWhole(bytes)) };
}

async function isWholeFile(source: ByteSource): Promise<boolean> {
  if (source.size > mostDecodedBytes) return false;
  const bytes = await source.read(0, source.size);
  return await decodesWhole(bytes.subarray(0, lengthWithoutPadding(bytes)));
}

/** Whether the data of a JPEG without its end marker reaches the bottom of the picture: the decoder warns if it has to make up the rest. */
async function decodesWhole(bytes: Buffer): Promise<boolean> {
  const { sharp } = await import("./decoder.ts");
  try {
    await sharp(Buffer.concat([bytes, endMarker]), { limitInputPixels: 50_000_000, failOn: "warning" }).stats();
    return true;
  } catch (error) {
    return !/premature end|bad huffman|unsupported|limit/i.test(String(error));
  }
}

async function readHeader(source: ByteSource): Promise<Structure | { width: number; height: number; dataStart: number }> {
  const cutOff: Structure = { state: "incomplete", detail: "the JPEG ends within its header" };
  let size: { width: number; height: number } | undefined;
  let at = 2;
  for (let segments = 0; segments < mostSegments; segments += 1) {
    const head = await source.read(at, 9);
    if (head.length < 4) return cutOff;
    if (head[0] !== 0xff || head[1] === 0) {
      // A segment had a wrong length. Decoders go on with the next marker.
      const next = await nextMarker(source, at);
      if (next === undefined) return { state: "damaged", detail: "the JPEG's header is broken" };
      at = next;
      continue;
    }
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

/** Returns the position of the next marker; undefined if there is none. */
async function nextMarker(source: ByteSource, from: number): Promise<number | undefined> {
  for (let at = from; at < source.size - 1; ) {
    const block = await source.read(at, scanBlockBytes);
    for (let found = block.indexOf(0xff); found >= 0 && found < block.length - 1; found = block.indexOf(0xff, found + 1)) {
      if (block[found + 1] !== 0 && block[found + 1] !== 0xff) return at + found;
    }
    if (block.length < 2) return undefined;
    at += block.length - 1;
  }
  return undefined;
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
