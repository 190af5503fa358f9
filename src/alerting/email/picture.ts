import { Problem } from "../../contract/problem.ts";
import type { DetectionSource } from "../../monitoring/detections/detection.ts";
import { markedPicture, type Seen } from "../../monitoring/detections/marked.ts";

/** A picture for a mail, or why there is none. `isGone`: its file was deleted, so another picture may do. */
export type MailPicture = { readonly jpeg: Buffer } | { readonly fault: string; readonly isGone?: true };

/** A frame of a video takes long on a small machine, and a disk may hang; the mail matters more than its picture. */
const timeoutMs = 20_000;

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
    return { jpeg: await markedPicture(source, seen, roots, signal) };
  } catch (error) {
    // A mail must not contain the path on the disk
    const reason = error instanceof Problem ? error.message.split(`${source.filePath}, `).at(-1) : "cannot be decoded";
    const isGone = error instanceof Problem && error.kind === "not_found";
    return { fault: `No picture: it ${reason}.`, ...(isGone && { isGone }) };
  }
}
