/**
 * Why a file has no detections: the complete list of `images.reason`, each with its meaning. `detail` describes the single file, with the
 * fix.
 */
export const imageReasons = {
  empty: "The file stayed at zero bytes for a minute",
  incomplete: "The file stopped before its format says it is complete",
  not_an_image: "The content is no picture, whatever the name says",
  too_large: "The picture is too large to be decoded safely",
  unsupported: "A picture or video of a format that is not read",
  unreadable: "The file may not be read, or could not be; it is tried again",
  outside_root: "A link that leads out of the allowed folders",
  reupload: "The camera sent the same file again",
  moved: "A file that was looked at under another name: it was renamed since, or has both",
  no_ffmpeg: "A video, and ffmpeg is not installed; it is tried again",
  video_unreadable: "A video from which no frame could be read",
  missing: "The file was gone before the detector saw it; it is looked at when it is there again",
  overwritten: "The file was written over before the detector saw it; the new content has an entry of its own",
  refused: "The detector refused the picture",
  failed_repeatedly: "Looking at the picture failed again and again",
} as const;
export type ImageReason = keyof typeof imageReasons;

/**
 * Outcomes that a later inspection of the same, unchanged file may turn into a detection, unless the detect stage set them after it had
 * read the file.
 */
export const retriedReasons: readonly ImageReason[] = ["unreadable", "no_ffmpeg", "outside_root", "missing"];

/** Why a file is not processed again. */
export interface SeenBefore {
  readonly reason: Extract<ImageReason, "reupload" | "moved">;
  readonly detail: string;
}

/** A file that was already processed under the same name. */
export const reupload: SeenBefore = {
  reason: "reupload",
  detail: "The camera sent the same file again; it was looked at the first time.",
};
