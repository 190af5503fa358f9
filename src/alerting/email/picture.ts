import { Problem } from "../../contract/problem.ts";
import type { DetectionSource } from "../../monitoring/detections/detection.ts";
import { readPictureOf } from "../../monitoring/detections/picture.ts";
import { mostPixels } from "../../monitoring/images/picture.ts";

/** Enough to recognise somebody, and small enough for any mailbox. */
const longestEdge = 960;

/** A picture for a mail, or why there is none: it is gone, or it cannot be had at this moment or in this mail. */
export type MailPicture = { readonly jpeg: Buffer } | { readonly fault: string; readonly isGone?: true };

/** One out of a video takes long on a small machine, and a disk may hang: the mail is worth more than its picture. */
const patienceMs = 20_000;

/**
 * The picture of a detection, upright and small, without what the camera wrote beside it. Never throws, and is waited for 20 s at most: a mail
 * without it is better than none.
 */
export async function mailPicture(
  source: DetectionSource,
  roots: readonly string[],
  signal: AbortSignal,
  waitMs = patienceMs,
): Promise<MailPicture> {
  const patience = new AbortController();
  const end = (): void => patience.abort();
  const tooLate = new Promise<MailPicture>((resolve) => {
    const giveUp = (): void => resolve({ fault: "The picture is not in this mail: it took too long to read it." });
    patience.signal.addEventListener("abort", giveUp, { once: true });
  });
  // not AbortSignal.any with a timeout, which a garbage collection takes away
  const timer = setTimeout(end, waitMs);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([tooLate, make(source, roots, patience.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

async function make(source: DetectionSource, roots: readonly string[], signal: AbortSignal): Promise<MailPicture> {
  try {
    const bytes = await readPictureOf(source, roots, signal);
    const { sharp } = await import("../../monitoring/images/decoder.ts");
    const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" });
    const resized = image.autoOrient().resize(longestEdge, longestEdge, { fit: "inside", withoutEnlargement: true });
    return { jpeg: await resized.jpeg({ quality: 82 }).toBuffer() };
  } catch (error) {
    // the path on the disk is nobody's business in a mailbox
    const reason = error instanceof Problem ? error.message.split(`${source.filePath}, `).at(-1) : "cannot be decoded";
    const isGone = error instanceof Problem && error.kind === "not_found";
    return { fault: `The picture is not in this mail: it ${reason}.`, ...(isGone && { isGone }) };
  }
}
