import { dirname } from "node:path";
import { rgbaToThumbHash } from "thumbhash";
import { createKeyedSemaphore } from "../../base/async/keyed-semaphore.ts";
import { createSemaphore } from "../../base/async/semaphore.ts";
import { Problem } from "../../contract/problem.ts";
import { readWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { openReal } from "../../platform/disk/open-real.ts";
import type { PrivateParts } from "../cameras/cameras-repository.ts";
import { type Outgoing, outgoing } from "./outgoing.ts";
import { mostPixels } from "./picture.ts";

/** A small copy of a picture. */
export interface Preview {
  /** WebP, upright. */
  readonly webp: Buffer;
  readonly picture: {
    /** A ThumbHash in base64. */
    readonly blurHash: string;
    /** Of the whole picture when it is upright, in pixels. */
    readonly width: number;
    readonly height: number;
  };
}

/** Maximum width of a preview in lists, in pixels. */
export const previewWidth = 320;
/** The picture behind a blur hash has at most this many pixels at each side; more cost time and change nothing that shows. */
const blurredSide = 32;

const busy = () => new Problem("unavailable", "Too many ask for pictures just now; try again");
/** Limits concurrent decoding for previews: a page with many cameras asks for all of them at once. */
const decoding = createSemaphore({ max: 2, timeout: { ms: 30_000, error: busy } });
/** Limits each client to one preview at a time, so that a page with 60 pictures leaves the processor to others. */
const clients = createKeyedSemaphore({ max: 1, timeout: { ms: 30_000, error: busy } });

/** Runs work that decodes a picture for a client: one at a time for each. Throws `Problem("unavailable")` after 30 s in the queue. */
export async function inTurnOf<T>(
  caller: { readonly client: string; readonly gone: AbortSignal } | undefined,
  work: () => Promise<T>,
): Promise<T> {
  return await clients.run(caller?.client ?? "", work, caller?.gone);
}

/**
 * Returns a small copy of a picture file, at most `width` pixels wide, or undefined when the file is gone or cannot be decoded. Throws what
 * `readWithTimeout` throws when its disk does not answer.
 */
export async function previewOf(path: string, privateParts: PrivateParts, width: number): Promise<Preview | undefined> {
  const picture = await outgoingFile(path, "image/jpeg", privateParts);
  if (!picture) return undefined;
  try {
    return await drawPreview(picture.bytes, width);
  } catch (error) {
    if (error instanceof Problem) throw error;
    return undefined;
  }
}

/** Returns a picture file as it may leave homesec; undefined when it is gone, or cannot be decoded to black out its private zones. */
export async function outgoingFile(path: string, mediaType: string, privateParts: PrivateParts): Promise<Outgoing | undefined> {
  const bytes = await readWithTimeout(dirname(path), () => readReal(path));
  return bytes && (await outgoing({ bytes, mediaType }, privateParts).catch(() => undefined));
}

/** Draws a small copy of a picture, at most `width` pixels wide. Throws the decoder's error, and `Problem("unavailable")` when it is busy. */
export async function drawPreview(picture: Buffer, width: number): Promise<Preview> {
  return await decoding.run(async () => {
    const { sharp } = await import("./decoder.ts");
    const image = sharp(picture, { limitInputPixels: mostPixels, failOn: "none" });
    const { autoOrient } = await image.metadata();
    const { data, info } = await image
      .autoOrient()
      .resize({ width, withoutEnlargement: true })
      .toColourspace("srgb")
      .raw()
      .toBuffer({ resolveWithObject: true });
    const small = sharp(data, { raw: { width: info.width, height: info.height, channels: info.channels } });
    const blurred = await small
      .clone()
      .resize(blurredSide, blurredSide, { fit: "inside" })
      .ensureAlpha()
      .raw()
      .toBuffer({ resolveWithObject: true });
    const hash = rgbaToThumbHash(blurred.info.width, blurred.info.height, blurred.data);
    const webp = await small.webp({ quality: 75, effort: 2 }).toBuffer();
    return { webp, picture: { blurHash: Buffer.from(hash).toString("base64"), width: autoOrient.width, height: autoOrient.height } };
  });
}

async function readReal(path: string): Promise<Buffer | undefined> {
  const file = await openReal(path);
  try {
    return await file?.readFile();
  } finally {
    await file?.close();
  }
}
