import type { ByteSource } from "./byte-source.ts";

const mostSegments = 200;
const mostChunks = 500;
/** A block in a JPEG has at most 64 KiB; the time stands in its first entries. */
const mostBytes = 64 * 1024;

/** Returns the EXIF block of a picture, cut to 64 KiB; undefined if it has none. Never throws because of the bytes. */
export async function exifBlock(source: ByteSource, mediaType: string): Promise<Buffer | undefined> {
  switch (mediaType) {
    case "image/jpeg":
      return await inJpeg(source);
    case "image/png":
      return await inChunks(source, { from: 8, type: "eXIf", isBigEndian: true });
    case "image/webp":
      return await inChunks(source, { from: 12, type: "EXIF", isBigEndian: false });
    default:
      return undefined;
  }
}

/** Cameras write the segment first; a JPEG whose header is not in order is not searched. */
async function inJpeg(source: ByteSource): Promise<Buffer | undefined> {
  let at = 2;
  for (let n = 0; n < mostSegments; n += 1) {
    const head = await source.read(at, 10);
    if (head.length < 10 || head[0] !== 0xff) return undefined;
    const marker = head[1] as number;
    // the image data begins, or the file ends
    if (marker === 0xda || marker === 0xd9) return undefined;
    const length = head.readUInt16BE(2);
    if (length < 2) return undefined;
    if (marker === 0xe1 && head.toString("latin1", 4, 10) === "Exif\0\0") return await source.read(at + 4, length - 2);
    at += 2 + length;
  }
  return undefined;
}

/** PNG puts the length of a chunk before its type and a checksum behind it; WebP puts the type first and pads to even lengths. */
async function inChunks(
  source: ByteSource,
  { from, type, isBigEndian }: { readonly from: number; readonly type: string; readonly isBigEndian: boolean },
): Promise<Buffer | undefined> {
  let at = from;
  for (let n = 0; n < mostChunks; n += 1) {
    const head = await source.read(at, 8);
    if (head.length < 8) return undefined;
    const length = isBigEndian ? head.readUInt32BE(0) : head.readUInt32LE(4);
    const found = isBigEndian ? head.toString("latin1", 4, 8) : head.toString("latin1", 0, 4);
    if (found === type) return await source.read(at + 8, Math.min(length, mostBytes));
    if (found === "IEND") return undefined;
    at += 8 + length + (isBigEndian ? 4 : length % 2);
  }
  return undefined;
}
