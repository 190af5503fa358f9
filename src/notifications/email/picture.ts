import { Problem } from "../../contract/problem.ts";
import type { DetectionSource } from "../../detections/detection.ts";
import { readPictureOf } from "../../detections/picture.ts";
import { mostPixels } from "../../images/picture.ts";

/** Enough to recognise somebody, and small enough for any mailbox. */
const longestEdge = 960;

/** A picture for a mail, or why there is none. */
export type MailPicture = { readonly jpeg: Buffer } | { readonly fault: string };

/** The picture of a detection, upright and small, without what the camera wrote beside it. Never throws: a mail without it is better than none. */
export async function mailPicture(source: DetectionSource, roots: readonly string[]): Promise<MailPicture> {
  try {
    const bytes = await readPictureOf(source, roots);
    const { sharp } = await import("../../images/decoder.ts");
    const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" });
    const resized = image.autoOrient().resize(longestEdge, longestEdge, { fit: "inside", withoutEnlargement: true });
    return { jpeg: await resized.jpeg({ quality: 82 }).toBuffer() };
  } catch (error) {
    // the path on the disk is nobody's business in a mailbox
    const reason = error instanceof Problem ? error.message.split(`${source.filePath}, `).at(-1) : "cannot be decoded";
    return { fault: `The picture is not in this mail: it ${reason}.` };
  }
}
