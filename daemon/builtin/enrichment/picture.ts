import { createHash } from "node:crypto";
import { Refusal } from "../service.ts";

/** An upright colour picture, no larger than necessary. */
export interface ColourPicture {
  /** Three bytes per pixel (red, green, blue), row by row. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** Size of the original picture when upright. */
  readonly fullWidth: number;
  readonly fullHeight: number;
}

/** No camera takes larger pictures. They are scans or attacks. */
const maxPixels = 50_000_000;
/** Length of the longer side in pixels: enough for the colours and outlines of distant objects. */
const workingSide = 1_280;

let cached: { readonly key: string; readonly picture: Promise<ColourPicture> } | undefined;

/** Decodes a picture. Caches the latest one, because each service asks once for each object in it. Throws `Refusal` (400). */
export function openPicture(bytes: Buffer): Promise<ColourPicture> {
  const key = createHash("sha1").update(bytes).digest("base64");
  if (cached?.key !== key) cached = { key, picture: decode(bytes) };
  return cached.picture;
}

/** Loads sharp on first use, so that an idle service stays small. */
let loading: Promise<typeof import("sharp")> | undefined;
async function loadSharp() {
  loading ??= import("sharp").then((module) => {
    const sharp = module.default;
    // Cameras send only these three formats. Blocking all other libvips loaders keeps the attack surface small.
    sharp.block({ operation: ["VipsForeignLoad"] });
    sharp.unblock({ operation: ["VipsForeignLoadJpeg", "VipsForeignLoadPng", "VipsForeignLoadWebp"] });
    sharp.cache(false);
    sharp.concurrency(1);
    return module;
  });
  return (await loading).default;
}

async function decode(bytes: Buffer): Promise<ColourPicture> {
  const sharp = await loadSharp();
  try {
    const file = sharp(bytes, { failOn: "error", limitInputPixels: maxPixels, autoOrient: true });
    const { autoOrient } = await file.metadata();
    const { data, info } = await file
      .resize({ width: workingSide, height: workingSide, fit: "inside", withoutEnlargement: true })
      .flatten()
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    const pixels = info.channels === 3 ? data : asThreeChannels(data, info.channels);
    return { pixels, width: info.width, height: info.height, fullWidth: autoOrient.width, fullHeight: autoOrient.height };
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Refusal(400, `The picture cannot be read as JPEG, PNG or WebP: ${reason}`, { cause });
  }
}

/** Converts a picture to three channels. Grey pictures have one. */
function asThreeChannels(data: Buffer, channels: number): Buffer {
  const pixels = Buffer.alloc((data.length / channels) * 3);
  for (let at = 0; at * channels < data.length; at += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at * 3 + channel] = data[at * channels + Math.min(channel, channels - 1)] ?? 0;
    }
  }
  return pixels;
}
