import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Point } from "../../contract/polygon.ts";
import type { PrivateParts } from "../cameras/cameras-repository.ts";
import { pointsOf } from "../zones/zone.ts";
import { mostPixels } from "./picture.ts";

/** A whole picture in its file format. */
export interface Outgoing {
  readonly bytes: Buffer;
  readonly mediaType: string;
}

/** Each blackened picture is decoded as a whole: more at once would only need more memory. */
const decoding = createSemaphore({ max: 2 });
/** Pixels around a zone that are black too, since decoders and resizing mix neighbours. */
const margin = 2;

/**
 * Returns a picture as it may leave homesec: with the private zones of its camera black. Everything that sends or serves a camera's picture
 * calls this first: the detector, the enrichment services, mails, the API and shared pages. Without private zones the bytes stay as they
 * are; otherwise the result is a new JPEG, upright and without metadata. Throws the decoder's error: the picture must stay here then.
 */
export async function outgoing(picture: Outgoing, parts: PrivateParts): Promise<Outgoing> {
  if (parts.length === 0) return picture;
  return await decoding.run(async () => {
    const { sharp } = await import("./decoder.ts");
    const image = sharp(picture.bytes, { limitInputPixels: mostPixels, failOn: "none" });
    const { autoOrient: size } = await image.metadata();
    const black = parts.map((part) => blackArea(pointsOf(part), size));
    const bytes = await image.autoOrient().flatten().composite(black).jpeg({ quality: 92 }).toBuffer();
    return { bytes, mediaType: "image/jpeg" };
  });
}

/** The black picture of a zone, and where it goes in a picture of this size in pixels. */
function blackArea(points: readonly Point[], { width, height }: { readonly width: number; readonly height: number }) {
  const [xs, ys] = [points.map(({ x }) => x * width), points.map(({ y }) => y * height)];
  const left = Math.max(0, Math.floor(Math.min(...xs)) - margin);
  const top = Math.max(0, Math.floor(Math.min(...ys)) - margin);
  const right = Math.min(width, Math.ceil(Math.max(...xs)) + margin);
  const bottom = Math.min(height, Math.ceil(Math.max(...ys)) + margin);
  const corners = points.map((_, at) => `${(xs[at] ?? 0) - left},${(ys[at] ?? 0) - top}`).join(" ");
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${right - left}" height="${bottom - top}" shape-rendering="crispEdges"><polygon points="${corners}" stroke="#000" stroke-width="${2 * margin}" stroke-linejoin="round"/></svg>`;
  return { input: Buffer.from(svg), left, top };
}
