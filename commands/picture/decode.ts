import type { PixelImage } from "./terminal.ts";

/** Larger than any screen can show. */
const mostWidth = 480;
const mostHeight = 360;
const mostPixels = 50_000_000;

/** Colours of a palette: every terminal with Sixel has as many. */
const paletteColours = 256;

/** Decodes a picture and scales it down. Throws if it is not a picture. `hasPalette`: it is for a terminal that needs a palette. */
export async function decode(bytes: Uint8Array, hasPalette = false): Promise<PixelImage> {
  const { default: sharp } = await import("sharp");
  const picture = sharp(bytes, { limitInputPixels: mostPixels })
    .rotate()
    .resize({ width: mostWidth, height: mostHeight, fit: "inside", withoutEnlargement: true })
    .removeAlpha()
    .toColourspace("srgb");
  const { data, info } = await picture.clone().raw().toBuffer({ resolveWithObject: true });
  if (info.channels !== 3) throw new Error(`the picture has ${info.channels} channels instead of 3`);
  const file = await picture.clone().jpeg({ quality: 85 }).toBuffer();
  if (!hasPalette) return { width: info.width, height: info.height, data, file };
  const reduced = await picture.png({ palette: true, colours: paletteColours, dither: 0 }).toBuffer();
  return { width: info.width, height: info.height, data, file, palette: colours(await sharp(reduced).removeAlpha().raw().toBuffer()) };
}

/** The different colours of pixels. */
function colours(pixels: Uint8Array): Uint8Array {
  const found = new Set<number>();
  for (let at = 0; at + 2 < pixels.length; at += 3)
    found.add(((pixels[at] ?? 0) << 16) | ((pixels[at + 1] ?? 0) << 8) | (pixels[at + 2] ?? 0));
  return Uint8Array.from([...found].flatMap((colour) => [colour >> 16, (colour >> 8) & 255, colour & 255]));
}
