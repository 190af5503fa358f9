import sharp, { type Sharp } from "sharp";
import { Refusal } from "../service.ts";

/** An upright picture, scaled to the size that the detector processes. */
export interface DecodedPicture {
  /** Row by row: one byte per pixel in grey, three (red, green, blue) in colour. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** Size of the original picture when upright. Boxes use its pixels. */
  readonly fullWidth: number;
  readonly fullHeight: number;
}

/** No camera takes larger pictures. They are scans or attacks. */
const maxPixels = 50_000_000;
/**
 * Number of pixels that the detector scales a picture to. Surveillance cameras cover a wide area, so people are small: 80 of 576 rows in
 * the test pictures, while the detector needs at least 96. Enlarging by half finds 53 of their 59 people, the original size 26. Larger
 * pictures take longer and add false positives.
 */
const workingPixels = 1_152 * 864;
const maxEnlargement = 1.5;

// Cameras send only these three formats. Blocking all other libvips loaders keeps the attack surface small.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
// homesec decodes one picture at a time and needs each only once.
sharp.cache(false);
sharp.concurrency(1);

/** Decodes a JPEG, PNG or WebP file to greyscale. Throws `Refusal` (400) for other or damaged files and those over 50 megapixels. */
export async function decodeGrey(bytes: Buffer): Promise<DecodedPicture> {
  return await decode(bytes, async (file, fullWidth, fullHeight) => {
    const scale = Math.min(Math.sqrt(workingPixels / (fullWidth * fullHeight)), maxEnlargement);
    const { data, info } = await file
      .resize({ width: Math.max(1, Math.round(fullWidth * scale)), height: Math.max(1, Math.round(fullHeight * scale)), fit: "fill" })
      .flatten()
      .toColourspace("b-w")
      .raw()
      .toBuffer({ resolveWithObject: true });
    return { pixels: data, width: info.width, height: info.height, fullWidth, fullHeight };
  });
}

/** Decodes like `decodeGrey`, but in colour and at the size that `size` returns for the original size. */
export async function decodeColour(
  bytes: Buffer,
  size: (fullWidth: number, fullHeight: number) => { readonly width: number; readonly height: number },
): Promise<DecodedPicture> {
  return await decode(bytes, async (file, fullWidth, fullHeight) => {
    const { data, info } = await file
      .resize({ ...size(fullWidth, fullHeight), fit: "fill" })
      .flatten()
      .toColourspace("srgb")
      .raw({ depth: "uchar" })
      .toBuffer({ resolveWithObject: true });
    if (info.channels !== 3) throw new Error(`it has ${info.channels} colour channels`);
    return { pixels: data, width: info.width, height: info.height, fullWidth, fullHeight };
  });
}

async function decode<T>(bytes: Buffer, read: (file: Sharp, fullWidth: number, fullHeight: number) => Promise<T>): Promise<T> {
  try {
    const file = sharp(bytes, { failOn: "error", limitInputPixels: maxPixels, autoOrient: true });
    const { autoOrient } = await file.metadata();
    return await read(file, autoOrient.width, autoOrient.height);
  } catch (cause) {
    throw new Refusal(400, `The picture cannot be read as JPEG, PNG or WebP: ${cause instanceof Error ? cause.message : String(cause)}`, {
      cause,
    });
  }
}
