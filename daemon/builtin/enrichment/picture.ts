import { createHash } from "node:crypto";
import { Refusal } from "../service.ts";

/** A picture the right way up, in colour, not larger than it needs to be. */
export interface ColourPicture {
  /** Three bytes a pixel (red, green, blue), line by line. */
  readonly pixels: Buffer;
  readonly width: number;
  readonly height: number;
  /** Of the picture itself, the right way up. */
  readonly fullWidth: number;
  readonly fullHeight: number;
}

/** Larger pictures are attacks or scans, not cameras. */
const maxPixels = 50_000_000;
/** The longer side: enough for the colours and outlines of what is far away. */
const workingSide = 1_280;

let latest: { readonly key: string; readonly picture: Promise<ColourPicture> } | undefined;

/** The picture in a file. The latest is kept: it is asked for once for each object on it, and by each service. Throws `Refusal` (400). */
export function openPicture(bytes: Buffer): Promise<ColourPicture> {
  const key = createHash("sha1").update(bytes).digest("base64");
  if (latest?.key !== key) latest = { key, picture: decode(bytes) };
  return latest.picture;
}

/** Loaded when it is needed first: a service that nobody asks stays small. */
let loading: Promise<typeof import("sharp")> | undefined;
async function loadSharp() {
  loading ??= import("sharp").then((module) => {
    const sharp = module.default;
    // the other loaders of libvips are for files that no camera sends
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

/** Grey pictures have one channel. */
function asThreeChannels(data: Buffer, channels: number): Buffer {
  const pixels = Buffer.alloc((data.length / channels) * 3);
  for (let at = 0; at * channels < data.length; at += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      pixels[at * 3 + channel] = data[at * channels + Math.min(channel, channels - 1)] ?? 0;
    }
  }
  return pixels;
}
