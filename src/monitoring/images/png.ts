import { promisify } from "node:util";
import { crc32, createInflate, deflate } from "node:zlib";
import { type ByteSource, bufferSource } from "./byte-source.ts";
import { cutOffAfterMs, lengthWithoutPadding, type Mended, type Structure, settledAfterMs } from "./structure.ts";

const pack = promisify<Buffer, { readonly level: number }, Buffer>(deflate);
const signature = Buffer.from("89504e470d0a1a0a", "hex");
const endChunk = Buffer.from("0000000049454e44ae426082", "hex");
const mostChunks = 100_000;
/** For how long a file at rest is unpacked to find out whether it is whole: its content does not change any more. */
const unpackedForMs = 15_000;
/** Larger files without an end chunk are not unpacked to find out whether they are whole. */
const mostPackedBytes = 30 * 1024 * 1024;
/** Pictures with more unpacked bytes are not unpacked: 33 megapixels in colour. */
const mostUnpackedBytes = 100 * 1024 * 1024;
/** Samples per pixel by colour type. */
const samplesPerPixel = new Map([
  [0, 1],
  [2, 3],
  [3, 1],
  [4, 2],
  [6, 4],
]);
/** First column and row of the seven passes of an interlaced picture, and the distances to the next ones. */
const passes = [
  [0, 0, 8, 8],
  [4, 0, 8, 8],
  [0, 4, 4, 8],
  [2, 0, 4, 4],
  [0, 2, 2, 4],
  [1, 0, 2, 2],
  [0, 1, 1, 2],
] as const;

/**
 * Inspects a PNG: its first chunk for the dimensions, its last for the end. Without an end chunk, the picture data decides whether a file
 * at rest is whole, and one that was cut off counts as complete after two minutes.
 */
export async function inspectPng(source: ByteSource, quietMs: number): Promise<Structure> {
  const head = await source.read(8, 16);
  if (head.length < 16) return { state: "incomplete", detail: "the PNG ends within its header" };
  if (head.toString("latin1", 4, 8) !== "IHDR") return { state: "damaged", detail: "the PNG's header is broken" };
  const width = head.readUInt32BE(8);
  const height = head.readUInt32BE(12);
  if (width === 0 || height === 0) return { state: "damaged", detail: "the PNG says it has no size" };
  const tail = await source.read(Math.max(0, source.size - 4_096), 4_096);
  // The last byte of the end chunk is not padding.
  const ended = tail.subarray(0, lengthWithoutPadding(tail)).subarray(-endChunk.length).equals(endChunk);
  if (ended || (quietMs >= settledAfterMs && (await countsAtRest(source, quietMs)))) return { state: "complete", width, height };
  return { state: "incomplete", detail: "the end chunk of the PNG is missing" };
}

/**
 * Makes a PNG readable for strict decoders: corrects wrong checksums, and fills up a picture that was cut off with black. Returns other
 * bytes, and a PNG without a fault, as they are.
 */
export async function mendPng(bytes: Buffer): Promise<Mended> {
  const asItIs = { bytes, isCutOff: false };
  if (!bytes.subarray(0, signature.length).equals(signature)) return asItIs;
  const chunks = await chunksOf(bufferSource(bytes));
  if (chunks.at(-1)?.type === "IEND") return { bytes: withChecksums(bytes, chunks), isCutOff: false };
  const size = unpackedSize(bytes);
  const data = size === undefined ? undefined : await unpacked(bytes, chunks, size);
  if (size === undefined || data === undefined) return asItIs;
  const before = chunks.filter(({ type, isWhole }) => isWhole && type !== "IDAT").map((chunk) => bytes.subarray(chunk.at, chunk.end));
  // Black below the cut: a line of zeros has no filter.
  const filled = await pack(Buffer.concat([data, Buffer.alloc(size - data.length)]), { level: 1 });
  const whole = Buffer.concat([signature, ...before, chunk("IDAT", filled), endChunk]);
  return { bytes: withChecksums(whole, await chunksOf(bufferSource(whole))), isCutOff: data.length < size };
}

interface Chunk {
  readonly type: string;
  /** From its length to behind its checksum. */
  readonly at: number;
  readonly end: number;
  /** The file does not end within it. */
  readonly isWhole: boolean;
}

/** Returns the chunks up to the end chunk, or up to the end of the file. */
async function chunksOf(source: ByteSource): Promise<readonly Chunk[]> {
  const chunks: Chunk[] = [];
  for (let at = signature.length; chunks.length < mostChunks; ) {
    const head = await source.read(at, 8);
    if (head.length < 8) break;
    const [type, end] = [head.toString("latin1", 4, 8), at + 12 + head.readUInt32BE(0)];
    if (!/^[a-z]{4}$/i.test(type)) break;
    chunks.push({ type, at, end, isWhole: end <= source.size });
    if (type === "IEND" || end > source.size) break;
    at = end;
  }
  return chunks;
}

async function countsAtRest(source: ByteSource, quietMs: number): Promise<boolean> {
  const chunks = await chunksOf(source);
  if (chunks.at(-1)?.type === "IEND") return true;
  if (quietMs >= cutOffAfterMs) return chunks.some(({ type, at }) => type === "IDAT" && source.size > at + 8);
  if (source.size > mostPackedBytes || quietMs > settledAfterMs + unpackedForMs) return false;
  const bytes = await source.read(0, source.size);
  const size = unpackedSize(bytes);
  return size !== undefined && (await unpacked(bytes, chunks, size))?.length === size;
}

/** Returns the bytes with all checksums correct; the same buffer if they are. */
function withChecksums(bytes: Buffer, chunks: readonly Chunk[]): Buffer {
  const wrong = chunks.filter(({ at, end, isWhole }) => isWhole && checksum(bytes, at, end) !== bytes.readUInt32BE(end - 4));
  if (wrong.length === 0) return bytes;
  const corrected = Buffer.from(bytes);
  for (const { at, end } of wrong) corrected.writeUInt32BE(checksum(bytes, at, end), end - 4);
  return corrected;
}

const checksum = (bytes: Buffer, at: number, end: number): number => crc32(bytes.subarray(at + 4, end - 4));

/** Returns a chunk whose checksum is not set. */
function chunk(type: string, data: Buffer): Buffer {
  const framed = Buffer.alloc(data.length + 12);
  framed.writeUInt32BE(data.length, 0);
  framed.write(type, 4, "latin1");
  data.copy(framed, 8);
  return framed;
}

/** Returns the number of unpacked bytes of a picture; undefined if its header is broken or it is too large to unpack. */
function unpackedSize(bytes: Buffer): number | undefined {
  if (bytes.length < 33) return undefined;
  const [width, height, depth, interlaced] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20), bytes[24] ?? 0, bytes[28] ?? 0];
  const samples = samplesPerPixel.get(bytes[25] ?? 255);
  if (samples === undefined || interlaced > 1) return undefined;
  const lines = (columns: number, rows: number): number => (columns === 0 ? 0 : (1 + Math.ceil((columns * samples * depth) / 8)) * rows);
  const share = (length: number, first: number, step: number): number => Math.max(0, Math.ceil((length - first) / step));
  const size =
    interlaced === 0
      ? lines(width, height)
      : passes.reduce((sum, [x, y, dx, dy]) => sum + lines(share(width, x, dx), share(height, y, dy)), 0);
  return size > 0 && size <= mostUnpackedBytes ? size : undefined;
}

/** Unpacks the picture data as far as it goes, at most `size` bytes; undefined if there is none. */
async function unpacked(bytes: Buffer, chunks: readonly Chunk[], size: number): Promise<Buffer | undefined> {
  const inflate = createInflate();
  const pieces: Buffer[] = [];
  let length = 0;
  const done = new Promise<void>((resolve) => {
    inflate.on("data", (piece: Buffer) => {
      pieces.push(piece);
      length += piece.length;
      if (length >= size) resolve();
    });
    // The end of what was uploaded is an error too.
    inflate.on("error", () => resolve());
    inflate.on("end", () => resolve());
  });
  for (const { type, at, end, isWhole } of chunks) if (type === "IDAT") inflate.write(bytes.subarray(at + 8, isWhole ? end - 4 : end));
  inflate.end();
  await done;
  inflate.destroy();
  return length === 0 ? undefined : Buffer.concat(pieces).subarray(0, size);
}
