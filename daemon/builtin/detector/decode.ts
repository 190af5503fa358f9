import sharp, { type Sharp } from "sharp";
import { Refusal } from "../service.ts";

/** An upright picture, scaled to the size that the detector processes. */
export interface DecodedPicture {
  /** Row by row, three bytes per pixel: red, green, blue. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** Size of the original picture when upright. Boxes use its pixels. */
  readonly fullWidth: number;
  readonly fullHeight: number;
}

/** No camera takes larger pictures. They are scans or attacks. */
const maxPixels = 50_000_000;
// Cameras send only these three formats. Blocking all other libvips loaders keeps the attack surface small.
sharp.block({ operation: ["VipsForeignLoad"] });
sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
// homesec decodes one picture at a time and needs each only once.
sharp.cache(false);
sharp.concurrency(1);

/**
 * Decodes a JPEG, PNG or WebP file at the size that `size` returns for the original size. Throws `Refusal` (400) for other or damaged files
 * and those over 50 megapixels.
 */
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

/** Scales decoded pixels to another size. */
export async function resizePixels(
  { pixels, width, height }: DecodedPicture,
  to: { readonly width: number; readonly height: number },
): Promise<Buffer> {
  return await sharp(pixels, { raw: { width, height, channels: 3 } })
    .resize({ ...to, fit: "fill" })
    .raw()
    .toBuffer();
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
