import type { LedgerImage } from "../monitoring/images/images-repository.ts";
import { extractFrames, type ReadingOptions, VideoError, type VideoFrame } from "../monitoring/images/video.ts";
import { type Unread, whyUnread } from "./read-picture.ts";

/**
 * Yields the frames of a video until its end or `isEnough`, if the file is and stays the registered version. Otherwise, or if the file
 * cannot be read, the last item says why, and the frames before it do not count. Throws the signal's reason if aborted.
 */
export async function* readFrames(
  image: LedgerImage,
  {
    signal,
    onLength,
    isEnough = () => false,
  }: Pick<ReadingOptions, "onLength"> & { readonly signal: AbortSignal; readonly isEnough?: () => boolean },
): AsyncGenerator<({ readonly kind: "frame" } & VideoFrame) | Unread> {
  const before = await whyUnread(image);
  if (before) {
    yield before;
    return;
  }
  let failure: Unread | undefined;
  try {
    for await (const frame of extractFrames(image.path, { signal, onLength })) {
      yield { kind: "frame", ...frame };
      if (isEnough()) break;
    }
  } catch (cause) {
    if (!(cause instanceof VideoError)) throw cause;
    failure = unreadFor(cause);
  }
  const after = await whyUnread(image);
  // If the file was removed or its permissions changed during the read, its frames still count.
  const isOther = after?.kind === "trouble" || (after?.kind === "skipped" && after.reason === "overwritten");
  const unread = failure ? (after ?? failure) : isOther ? after : undefined;
  if (unread) yield unread;
}

function unreadFor({ reason, message }: VideoError): Unread {
  return reason === "video_unreadable"
    ? { kind: "skipped", reason, detail: message, bury: true }
    : { kind: "trouble", reason, detail: message };
}
