import { createSemaphore } from "../../base/async/semaphore.ts";
import type { Bytes } from "../../contract/answer.ts";
import { Problem } from "../../contract/problem.ts";
import { shareEnds } from "../../contract/routes/shares.ts";
import { hashOf } from "../../platform/keys/keyring.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import { rootsOf } from "../cameras/roots.ts";
import type { Detection, DetectionSource } from "../detections/detection.ts";
import { findSource } from "../detections/detections-repository.ts";
import { readPictureOf } from "../detections/picture.ts";
import { findWithDetections } from "../events/event-detections-repository.ts";
import { mostPixels } from "../images/picture.ts";
import { findShareByHash, type Share } from "./shares-repository.ts";

type Context = Pick<OperationContext, "db" | "clock">;
type FullEvent = Awaited<ReturnType<typeof findWithDetections>>;

/** Each decoding takes a core and the memory of the whole picture, and anyone with the address can ask for one. */
const decoding = createSemaphore({
  max: 2,
  timeout: { ms: 30_000, error: () => new Problem("unavailable", "Too many ask for shared pictures just now; try again") },
});

/** Finds an active share with its event. Throws `Problem`: `not_found` for an unknown token, `gone` with the reason for an ended share. */
export async function findShown({ db, clock }: Context, token: string): Promise<{ readonly share: Share; readonly event: FullEvent }> {
  return await db.query(async (sql) => {
    const share = await findShareByHash(sql, hashOf(token), clock.now());
    if (!share) {
      throw new Problem("not_found", "This link is not valid: a part of it may be missing; ask the person who sent it for a new one");
    }
    if (share.status === "ended" || share.event_id === null) throw new Problem("gone", `${endOf(share, clock.now())}; ask for a new link`);
    return { share, event: await findWithDetections(sql, share.event_id) };
  });
}

function endOf({ ended_at, expires_at }: Share, now: Date): string {
  if (ended_at) return shareEnds.revoked;
  return expires_at <= now ? shareEnds.expired : shareEnds.deleted;
}

/** Groups detections by picture, oldest first; frames of a video differ in their time. */
export function picturesOf(detections: readonly Detection[]): readonly (readonly [Detection, ...Detection[]])[] {
  const byPicture = new Map<string, [Detection, ...Detection[]]>();
  for (const detection of detections) {
    const key = `${detection.file_path} ${detection.detected_at.getTime()}`;
    const known = byPicture.get(key);
    if (known) known.push(detection);
    else byPicture.set(key, [detection]);
  }
  return [...byPicture.values()];
}

/** Finds the first detection of a picture of a shared event. Throws `Problem` as `findShown` does, and `not_found` for another number. */
export async function findShownSource(context: Context, token: string, number: number): Promise<DetectionSource> {
  const { event } = await findShown(context, token);
  const detection = picturesOf(event.detections)[number - 1]?.[0];
  const source = detection && (await context.db.query((sql) => findSource(sql, detection.id)));
  if (!source) throw new Problem("not_found", `There is no picture ${number}`);
  return source;
}

/** Runs the read of a picture. Its problems name a file and an id, which are nothing for a visitor. */
export async function withoutPlace<T>(read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof Problem)) throw error;
    if (error.kind === "not_found") throw new Problem("not_found", "This picture is no longer on the disk", { cause: error });
    if (error.kind === "unavailable") throw new Problem("unavailable", "The picture cannot be read just now; try again", { cause: error });
    if (error.kind === "bad_request") throw new Problem("bad_request", "It is a picture, not a video", { cause: error });
    throw error;
  }
}

/** Returns the picture as a new JPEG: upright, and without the place and device that a camera may have written into the file. */
export async function barePicture(source: DetectionSource, { config, caller }: OperationContext): Promise<Bytes> {
  const buffer = await decoding.run(async () => {
    const picture = await readPictureOf(source, rootsOf(config), caller?.gone);
    const { sharp } = await import("../images/decoder.ts");
    try {
      return await sharp(picture, { limitInputPixels: mostPixels, failOn: "none" }).autoOrient().jpeg({ quality: 88 }).toBuffer();
    } catch (cause) {
      throw new Problem("not_found", "The picture cannot be decoded", { cause });
    }
  }, caller?.gone);
  return { mediaType: "image/jpeg", content: { buffer } };
}
