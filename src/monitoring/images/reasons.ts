/**
 * Why a file has no detections: the complete list of `images.reason`, each with its meaning. `detail` describes the single file, with the
 * fix.
 */
export const imageReasons = {
  empty: "The file stayed at zero bytes for a minute",
  incomplete: "The file stopped before its format says it is complete",
  not_an_image: "The content is not a picture",
  too_large: "The picture is too large to be decoded safely",
  unsupported: "homesec does not support the format of this picture or video",
  unreadable: "The file could not be read; homesec retries it",
  outside_root: "A link to a file outside the allowed folders",
  reupload: "The camera sent the same file again",
  moved: "The file was processed under another name: it was renamed, or has both names",
  no_ffmpeg: "A video, and ffmpeg is not installed; homesec retries it",
  video_unreadable: "No frame of the video could be read",
  missing: "The file was gone before detection; homesec processes it when it is back",
  overwritten: "The file was overwritten before detection; its new content has a separate entry",
  replaced: "A later version of the same file replaced it and its detections",
  refused: "The detector refused the picture",
  failed_repeatedly: "Processing the picture failed repeatedly",
} as const;
export type ImageReason = keyof typeof imageReasons;

/**
 * Outcomes that a later inspection of the same, unchanged file may turn into a detection, unless the detect stage set them after it had
 * read the file.
 */
export const retriedReasons: readonly ImageReason[] = ["unreadable", "no_ffmpeg", "outside_root", "missing"];

/** The reason and detail of an entry whose file went on in another one. */
export function replacedBy(imageId: number): { readonly reason: ImageReason; readonly detail: string } {
  return { reason: "replaced", detail: `A later version of the file, image ${imageId}, replaced this one and its detections.` };
}

/** Why a file is not processed again. */
export interface SeenBefore {
  readonly reason: Extract<ImageReason, "reupload" | "moved">;
  readonly detail: string;
}

/** A file that was already processed under the same name. */
export const reupload: SeenBefore = {
  reason: "reupload",
  detail: "The camera sent the same file again. homesec processed it the first time.",
};
