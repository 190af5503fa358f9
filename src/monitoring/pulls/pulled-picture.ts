import { bufferSource } from "../images/byte-source.ts";
import { inspect } from "../images/picture.ts";

/** Why no picture came, for a person: what happened, and what to do. Contains no password. */
export class PullFault extends Error {
  override name = "PullFault";
}

/** Larger answers are not read. */
export const mostPulledBytes = 20 * 1024 * 1024;
/** The answer is complete, so a picture without its end was cut off by the camera. */
const quietMs = 10_000;

/** A picture of a camera. */
export interface PulledPicture {
  readonly bytes: Buffer;
  readonly mediaType: string;
  readonly width: number | null;
  readonly height: number | null;
}

const endings: Readonly<Record<string, string>> = { "image/jpeg": "jpg", "image/png": "png", "image/webp": "webp" };

/** Returns the ending of a file with this picture. */
export function endingOf({ mediaType }: Pick<PulledPicture, "mediaType">): string {
  return endings[mediaType] ?? "jpg";
}

/** Judges an answer by its bytes, whatever its media type says. Throws `PullFault` unless it is a picture that homesec reads. */
export async function checkPicture(bytes: Buffer, contentType: string | undefined): Promise<PulledPicture> {
  if (bytes.length === 0) throw new PullFault("the camera answered without a picture; open the address in a browser");
  const inspected = await inspect(bufferSource(bytes), quietMs);
  if (inspected.state === "complete" && endings[inspected.mediaType] !== undefined) {
    return { bytes, mediaType: inspected.mediaType, width: inspected.width, height: inspected.height };
  }
  const type = /^[\w.+-]+\/[\w.+-]+/.exec(contentType ?? "")?.[0]?.toLowerCase();
  if (inspected.state === "complete")
    throw new PullFault(`answered ${inspected.mediaType}, not a picture: give the address of a JPEG picture`);
  if (type?.startsWith("image/") && inspected.state === "refused")
    throw new PullFault(`answered a picture that homesec cannot read: ${inspected.detail}`);
  if (inspected.state === "incomplete") throw new PullFault("the camera sent only a part of a picture");
  throw new PullFault(`answered ${type ?? "no media type"}, not a picture: open the address in a browser`);
}
