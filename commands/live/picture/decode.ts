import type { PixelImage } from "../ui/ui.ts";

/** More than the largest screen shows of a picture. */
const mostWidth = 480;
const mostHeight = 360;
const mostPixels = 50_000_000;

/** The points of a picture file, scaled down. Throws for what is no picture. */
export async function decode(bytes: Uint8Array): Promise<PixelImage> {
  const { default: sharp } = await import("sharp");
  const { data, info } = await sharp(bytes, { limitInputPixels: mostPixels })
    .rotate()
    .resize({ width: mostWidth, height: mostHeight, fit: "inside", withoutEnlargement: true })
    .removeAlpha()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`the picture has ${info.channels} channels instead of 3`);
  return { width: info.width, height: info.height, data };
}
