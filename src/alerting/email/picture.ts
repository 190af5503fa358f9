import { Problem } from "../../contract/problem.ts";
import type { DetectionSource } from "../../monitoring/detections/detection.ts";
import { labelOf, overlay, scaledBox } from "../../monitoring/detections/overlay.ts";
import { readPictureOf } from "../../monitoring/detections/picture.ts";
import { mostPixels } from "../../monitoring/images/picture.ts";

/** In pixels: enough to recognise a face, and small enough for any mailbox. */
const longestEdge = 960;
/** Labels are readable on a phone that shows the picture half as wide. */
const dotSize = 2;

/** A picture for a mail, or why there is none. `isGone`: its file was deleted, so another picture may do. */
export type MailPicture = { readonly jpeg: Buffer } | { readonly fault: string; readonly isGone?: true };

/** A frame of a video takes long on a small machine, and a disk may hang; the mail matters more than its picture. */
const timeoutMs = 20_000;

/** A detection to draw. */
export type Seen = Pick<DetectionSource, "objectType" | "confidence" | "box">;

/**
 * Reads the picture of a detection: upright, small, without metadata, with the boxes of `seen` (default: its own). Never throws and takes
 * at most `waitMs` (default 20 s).
 */
export async function mailPicture(
  source: DetectionSource,
  roots: readonly string[],
  signal: AbortSignal,
  waitMs = timeoutMs,
  seen: readonly Seen[] = [source],
): Promise<MailPicture> {
  const timeout = new AbortController();
  const end = (): void => timeout.abort();
  const tooLate = new Promise<MailPicture>((resolve) => {
    const onTimeout = (): void => resolve({ fault: "No picture: reading it took too long." });
    timeout.signal.addEventListener("abort", onTimeout, { once: true });
  });
  // Not AbortSignal.any with AbortSignal.timeout: the garbage collector may remove it
  const timer = setTimeout(end, waitMs);
  signal.addEventListener("abort", end, { once: true });
  if (signal.aborted) end();
  try {
    return await Promise.race([tooLate, make(source, seen, roots, timeout.signal)]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", end);
  }
}

async function make(source: DetectionSource, seen: readonly Seen[], roots: readonly string[], signal: AbortSignal): Promise<MailPicture> {
  try {
    const bytes = await readPictureOf(source, roots, signal);
    const { sharp } = await import("../../monitoring/images/decoder.ts");
    const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" });
    const { autoOrient } = await image.metadata();
    const scale = Math.min(1, longestEdge / Math.max(autoOrient.width, autoOrient.height));
    const [width, height] = [autoOrient.width, autoOrient.height].map((edge) => Math.max(1, Math.round(edge * scale)));
    const size = { width: width ?? 1, height: height ?? 1 };
    const marks = seen.flatMap((each) => (each.box ? [{ box: scaledBox(each.box, scale), label: labelOf(each) }] : []));
    const resized = image.autoOrient().resize({ ...size, fit: "fill" });
    const drawn = marks.length === 0 ? resized : resized.composite([{ input: Buffer.from(overlay(size, marks, dotSize)) }]);
    return { jpeg: await drawn.jpeg({ quality: 82 }).toBuffer() };
  } catch (error) {
    // A mail must not contain the path on the disk
    const reason = error instanceof Problem ? error.message.split(`${source.filePath}, `).at(-1) : "cannot be decoded";
    const isGone = error instanceof Problem && error.kind === "not_found";
    return { fault: `No picture: it ${reason}.`, ...(isGone && { isGone }) };
  }
}
