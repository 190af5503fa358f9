import sharp, { type Sharp } from "sharp";
import { Refusal } from "../service.ts";

/** A picture the right way up, at the size at which it is looked at. */
export interface DecodedPicture {
  /** Line by line; a byte a pixel in grey, three (red, green, blue) in colour. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** Of the picture itself, the right way up. Boxes are given in its pixels. */
  readonly fullWidth: number;
  readonly fullHeight: number;
}

/** Larger pictures are attacks or scans, not cameras. */
const maxPixels = 50_000_000;
/**
 * People are looked for at about a megapixel. Surveillance cameras see much ground, so people are small: 80 of 576 lines
 * in the test pictures, and the finder knows none under 96. Enlarging by half finds 53 of the 59 people in them,
 * their own size 26. More costs time, and noise begins to look like people.
 */
const workingPixels = 1_152 * 864;
const maxEnlargement = 1.5;

// the other loaders of libvips are for files that no camera sends
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
// one picture at a time, and what was decoded is not needed again
sharp.cache(false);
sharp.concurrency(1);

/** Decodes a JPEG, PNG or WebP file in shades of grey. Throws `Refusal` (400) for what is no picture, is damaged or is over 50 megapixels. */
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

/** Decodes as `decodeGrey` does, in colour and at the size that `size` makes of the picture's own. */
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
