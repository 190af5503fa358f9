import { mostPixels } from "../images/picture.ts";

/** Width of compared pictures. */
const frameWidth = 320;

/** A small grey picture: one byte per pixel, row by row. */
export interface Grey {
  readonly width: number;
  readonly height: number;
  readonly pixels: Uint8Array;
}

/** Light conditions; a camera has one reference for each. */
const lights = ["day", "night", "infrared"] as const;
export type Light = (typeof lights)[number];

/** A picture prepared for comparison. */
export interface Frame extends Grey {
  readonly light: Light;
  /** Mean brightness, 0 to 255. */
  readonly brightness: number;
  /** The brightness of the 95th percentile of pixels. */
  readonly brightest: number;
}

/** Below this colourfulness a picture is grey: infrared light, or a monochrome camera. */
const greyBelow = 4;
const darkBelow = 60;

/** No camera makes pictures with a larger ratio of height to width. Scaled to `frameWidth`, a narrow one would be immense. */
const mostSlender = 8;

/** Reads a picture. Throws sharp's error for a file that is no picture, and an `Error` for a shape that no camera makes. */
export async function readFrame(file: string | Buffer): Promise<Frame> {
  const { sharp } = await import("../images/decoder.ts");
  const image = sharp(file, { limitInputPixels: mostPixels, failOn: "none" });
  const { autoOrient: size } = await image.metadata();
  if (size.height > mostSlender * size.width) throw new Error(`a picture of ${size.width} x ${size.height} is too narrow to be compared`);
  const { data, info } = await image
    .autoOrient()
    .resize({ width: frameWidth })
    .flatten()
    .toColourspace("srgb")
    .raw()
    .toBuffer({ resolveWithObject: true });
  return frameOf(data, info);
}

/** Builds a frame from raw pixels with one channel, or with red, green and blue first. */
export function frameOf(data: Uint8Array, size: { readonly width: number; readonly height: number; readonly channels: number }): Frame {
  const { width, height, channels } = size;
  const pixels = new Uint8Array(width * height);
  const red = new Moments();
  const blue = new Moments();
  const histogram = new Uint32Array(256);
  let sum = 0;
  for (let at = 0; at < pixels.length; at += 1) {
    const from = at * channels;
    const r = data[from] ?? 0;
    const g = channels < 3 ? r : (data[from + 1] ?? 0);
    const b = channels < 3 ? r : (data[from + 2] ?? 0);
    const grey = Math.round(0.299 * r + 0.587 * g + 0.114 * b);
    pixels[at] = grey;
    histogram[grey] = (histogram[grey] ?? 0) + 1;
    sum += grey;
    red.add(r - g);
    blue.add((r + g) / 2 - b);
  }
  const brightness = sum / pixels.length;
  const isGrey = colourfulness(red, blue) < greyBelow;
  return {
    ...{ width, height, pixels, brightness, brightest: quantileOf(histogram, 0.95 * pixels.length) },
    light: isGrey ? "infrared" : brightness < darkBelow ? "night" : "day",
  };
}

/**
 * M3 of D. Hasler and S. Süsstrunk, "Measuring colourfulness in natural images", Human Vision and Electronic Imaging VIII, 2003:
 * sqrt(sd(rg)^2 + sd(yb)^2) + 0.3 sqrt(mean(rg)^2 + mean(yb)^2), with rg = R - G and yb = (R + G) / 2 - B.
 */
function colourfulness(rg: Moments, yb: Moments): number {
  return Math.sqrt(rg.variance() + yb.variance()) + 0.3 * Math.hypot(rg.mean(), yb.mean());
}

class Moments {
  #count = 0;
  #sum = 0;
  #squares = 0;

  add(value: number): void {
    this.#count += 1;
    this.#sum += value;
    this.#squares += value * value;
  }

  mean(): number {
    return this.#sum / this.#count;
  }

  variance(): number {
    return Math.max(0, this.#squares / this.#count - this.mean() ** 2);
  }
}

function quantileOf(histogram: Uint32Array, rank: number): number {
  let seen = 0;
  for (const [value, count] of histogram.entries()) {
    seen += count;
    if (seen >= rank) return value;
  }
  return 255;
}

/** Compresses a frame to a few KB for storage. */
export async function packFrame({ pixels, width, height }: Grey): Promise<Buffer> {
  const { sharp } = await import("../images/decoder.ts");
  return await sharp(pixels, { raw: { width, height, channels: 1 } })
    .webp({ quality: 90 })
    .toBuffer();
}

/** Reads a stored frame in the size of another one: a camera with a new resolution keeps its references. */
export async function unpackFrame(packed: Buffer, { width, height }: Pick<Grey, "width" | "height">): Promise<Grey> {
  const { sharp } = await import("../images/decoder.ts");
  const data = await sharp(packed).resize(width, height, { fit: "fill" }).greyscale().raw().toBuffer();
  return { width, height, pixels: new Uint8Array(data) };
}
