import { minuteMs } from "../../base/clock/clock.ts";

/** Size of the compared pictures. A person far away still covers several of their pixels, and the noise of a camera is averaged away. */
const [width, height] = [64, 48];
/** A pixel has changed if it differs by more than this from before, apart from the change of the whole picture's brightness. */
const pixelThreshold = 12;
/** One picture in this time is kept as a sign of life. */
export const signOfLifeMs = minuteMs;

/** A picture that arrived. */
export interface Arrived {
  readonly bytes: Buffer;
  readonly ending: string;
  readonly at: Date;
}

/** Why a picture was kept. */
export type KeptFor = "first" | "change" | "before_change" | "sign_of_life";

/** A picture to keep. */
export interface KeptPicture {
  readonly picture: Arrived;
  readonly reason: KeptFor;
}

/**
 * Decides which pictures of a camera are kept: those in which something changed since the last kept one, each with the picture before it,
 * and one a minute as a sign of life.
 */
export class ChangeGate {
  readonly #thresholdPercent: number;
  /** The last kept picture, reduced. */
  #reference: Uint8Array | undefined;
  #keptAt = Number.NEGATIVE_INFINITY;
  /** The last picture, unless it was kept. */
  #previous: Arrived | undefined;
  /** The last picture, kept or not. */
  #last: Arrived | undefined;

  /** A picture has changed if at least this share of it has, in percent. With 0, all pictures are kept. */
  constructor({ thresholdPercent }: { readonly thresholdPercent: number }) {
    this.#thresholdPercent = thresholdPercent;
  }

  /** Takes a picture and returns those to keep, in order. `monotonicMs` is the time of its arrival. Rejects if it cannot be decoded. */
  async take(picture: Arrived, monotonicMs: number): Promise<readonly KeptPicture[]> {
    const reduced = await reduce(picture.bytes);
    this.#last = picture;
    const changed = this.#reference && changedPercent(this.#reference, reduced);
    const isChange = changed !== undefined && (this.#thresholdPercent === 0 || changed >= this.#thresholdPercent);
    const isDue = monotonicMs - this.#keptAt >= signOfLifeMs;
    const previous = this.#previous;
    if (changed !== undefined && !isChange && !isDue) {
      this.#previous = picture;
      return [];
    }
    this.#reference = reduced;
    this.#keptAt = monotonicMs;
    this.#previous = undefined;
    const own = { picture, reason: changed === undefined ? "first" : isChange ? "change" : "sign_of_life" } as const;
    return isChange && previous ? [{ picture: previous, reason: "before_change" }, own] : [own];
  }

  /** The camera says that the last picture is still the newest: it is kept again as a sign of life once that is due. */
  async repeat(at: Date, monotonicMs: number): Promise<readonly KeptPicture[]> {
    if (!this.#last || monotonicMs - this.#keptAt < signOfLifeMs) return [];
    this.#keptAt = monotonicMs;
    this.#previous = undefined;
    return [{ picture: { ...this.#last, at }, reason: "sign_of_life" }];
  }
}

/** Decodes a picture to a small grey one. JPEG is decoded at an eighth of its size, so that a megapixel costs a few milliseconds. */
async function reduce(bytes: Buffer): Promise<Uint8Array> {
  const { sharp } = await import("../images/decoder.ts");
  const { mostPixels } = await import("../images/picture.ts");
  return await sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" })
    .resize({ width, height, fit: "fill", kernel: "linear", fastShrinkOnLoad: true })
    .greyscale()
    .raw()
    .toBuffer();
}

/** Returns the share of pixels that changed, in percent. The sun behind a cloud changes all pixels alike, and counts for nothing. */
export function changedPercent(before: Uint8Array, now: Uint8Array): number {
  const difference = now.reduce((sum, value, at) => sum + value - (before[at] ?? 0), 0) / now.length;
  let changed = 0;
  for (const [at, value] of now.entries()) if (Math.abs(value - (before[at] ?? 0) - difference) > pixelThreshold) changed += 1;
  return (100 * changed) / now.length;
}
