import type { PixelImage } from "../ui/ui.ts";

/** Larger than any screen can show. */
const mostWidth = 480;
const mostHeight = 360;
const mostPixels = 50_000_000;

/** Decodes a picture and scales it down. Throws if it is not a picture. */
export async function decode(bytes: Uint8Array): Promise<PixelImage> {
  const { default: sharp } = await import("sharp");
  const picture = sharp(bytes, { limitInputPixels: mostPixels })
    .rotate()
    .resize({ width: mostWidth, height: mostHeight, fit: "inside", withoutEnlargement: true })
    .removeAlpha()
    .toColourspace("srgb");
  const { data, info } = await picture.clone().raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`the picture has ${info.channels} channels instead of 3`);
  return { width: info.width, height: info.height, data, file: await picture.jpeg({ quality: 85 }).toBuffer() };
}
