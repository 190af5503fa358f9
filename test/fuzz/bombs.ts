import { crc32, deflateSync } from "node:zlib";
import sharp from "sharp";

/** Small files that expand a lot or are slow to decode. Each is made on demand. */
export interface Bomb {
  readonly name: string;
  readonly fileName: string;
  /** Takes a while to make, so only the long form uses it. */
  readonly slow?: true;
  make(): Promise<Buffer>;
}

const pngStart = Buffer.from("89504e470d0a1a0a", "hex");

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, "latin1"), data]);
  const head = Buffer.alloc(4);
  head.writeUInt32BE(data.length);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(body));
  return Buffer.concat([head, body, sum]);
}

interface PngShape {
  readonly width: number;
  readonly height: number;
  readonly depth?: 8 | 16;
  /** The PNG colour type: 0 grey, 2 colour, 6 colour with alpha. */
  readonly colour?: 0 | 2 | 6;
  readonly interlaced?: boolean;
}

/** A PNG that claims this shape, with these compressed pixels, and these chunks before them. */
function png(
  { width, height, depth = 8, colour = 0, interlaced = false }: PngShape,
  pixels: Buffer,
  chunks: readonly Buffer[] = [],
): Buffer {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([depth, colour, 0, 0, interlaced ? 1 : 0], 8);
  return Buffer.concat([pngStart, chunk("IHDR", header), ...chunks, chunk("IDAT", pixels), chunk("IEND", Buffer.alloc(0))]);
}

/** This many zero bytes, compressed to a thousandth. */
const zeros = (bytes: number): Buffer => deflateSync(Buffer.alloc(bytes), { level: 9 });

const small = { width: 64, height: 64 } as const;
const smallPixels = zeros(64 * 65);
/** Just below the size limit: 49 megapixels. */
const side = 7_000;

function jpegWithScans(count: number): (bytes: Buffer) => Buffer {
  return (bytes) => {
    // repeats the last scan: each repetition covers the whole picture
    const at = bytes.lastIndexOf(Buffer.from("ffda", "hex"));
    const scan = bytes.subarray(at, bytes.length - 2);
    return Buffer.concat([bytes.subarray(0, at), ...Array.from({ length: count }, () => scan), bytes.subarray(-2)]);
  };
}

const flat = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: "#345" }, limitInputPixels: false });

export const bombs: readonly Bomb[] = [
  {
    name: "a PNG that claims 60,000 x 60,000",
    fileName: "claims.png",
    make: async () => png({ width: 60_000, height: 60_000 }, smallPixels),
  },
  {
    name: "a PNG that claims the largest numbers",
    fileName: "largest.png",
    slow: true,
    make: async () => png({ width: 2 ** 31 - 1, height: 1 }, smallPixels),
  },
  { name: "a PNG with far more pixels than it says", fileName: "more.png", make: async () => png(small, zeros(100_000_000)) },
  {
    name: "a PNG with a colour profile that grows",
    fileName: "profile.png",
    slow: true,
    make: async () => png(small, smallPixels, [chunk("iCCP", Buffer.concat([Buffer.from("x\0\0", "latin1"), zeros(300_000_000)]))]),
  },
  {
    name: "a PNG with texts that grow",
    fileName: "texts.png",
    slow: true,
    make: async () => {
      const text = chunk("zTXt", Buffer.concat([Buffer.from("x\0\0", "latin1"), zeros(60_000_000)]));
      return png(small, smallPixels, new Array<Buffer>(20).fill(text));
    },
  },
  {
    name: "a PNG of 49 megapixels, interlaced",
    fileName: "interlaced.png",
    make: async () => png({ width: side, height: side, interlaced: true }, zeros(side * (side + 2) + 1e6)),
  },
  {
    name: "a PNG of 49 megapixels, interlaced, with 64 bits for each",
    fileName: "deep.png",
    slow: true,
    make: async () => png({ width: side, height: side, depth: 16, colour: 6, interlaced: true }, zeros(8 * side * side + 1e6)),
  },
  {
    name: "a JPEG of 49 megapixels, progressive",
    fileName: "progressive.jpg",
    slow: true,
    make: () => flat(side, side).jpeg({ progressive: true, quality: 1 }).toBuffer(),
  },
  {
    name: "a JPEG of 49 megapixels with 2,000 scans",
    fileName: "scans.jpg",
    slow: true,
    make: () => flat(side, side).jpeg({ progressive: true, quality: 1 }).toBuffer().then(jpegWithScans(2_000)),
  },
  {
    name: "a JPEG with 2,000 scans",
    fileName: "small-scans.jpg",
    make: () => flat(2_000, 2_000).jpeg({ progressive: true, quality: 1 }).toBuffer().then(jpegWithScans(2_000)),
  },
  {
    name: "a WebP of 49 megapixels without loss",
    fileName: "lossless.webp",
    slow: true,
    make: () => flat(side, side).webp({ lossless: true, effort: 0 }).toBuffer(),
  },
  {
    name: "an animation of 2,000 pictures",
    fileName: "animation.webp",
    slow: true,
    make: () =>
      sharp({
        create: { width: 500, height: 500 * 2_000, channels: 3, background: "#345", pageHeight: 500 },
        limitInputPixels: false,
      } as never)
        .webp({ lossless: true, effort: 0 })
        .toBuffer(),
  },
];
