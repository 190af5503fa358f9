import type { LedgerImage } from "../monitoring/images/images-repository.ts";
import { extractFrames, type ReadingOptions, VideoError, type VideoFrame } from "../monitoring/images/video.ts";
import { type Unread, whyUnread } from "./read-picture.ts";

/**
 * The frames of a video, if it is the file that was registered and stays so: until no more come, or `isEnough`. Where it is not, or cannot
 * be read, the last item says why, and what was seen of it until then does not count. Throws the signal's reason when aborted.
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
  // what was taken away or closed to us while it was read was read all the same
  const isOther = after?.kind === "trouble" || (after?.kind === "skipped" && after.reason === "overwritten");
  const unread = failure ? (after ?? failure) : isOther ? after : undefined;
  if (unread) yield unread;
}

function unreadFor({ reason, message }: VideoError): Unread {
  return reason === "video_unreadable"
    ? { kind: "skipped", reason, detail: message, bury: true }
    : { kind: "trouble", reason, detail: message };
}
