import { rootsOf } from "../../monitoring/cameras/roots.ts";
import { detectionsBeside, findSource } from "../../monitoring/detections/detections-repository.ts";
import type { Message } from "../delivery/message.ts";
import { type MailPicture, mailPicture } from "../email/picture.ts";
import { newestPictures } from "./facts-repository.ts";
import type { TransportContext } from "./transports.ts";

/** When the best picture of an event was deleted, this many others are tried. */
const otherPictures = 3;

/**
 * Reads the picture for a message, and returns the message with the detection that it shows: when the best picture was deleted, another one
 * of the event. A message that lists several events shows no picture.
 */
export async function withPicture(
  { db, config }: Pick<TransportContext, "db" | "config">,
  message: Message,
  signal: AbortSignal,
): Promise<{ readonly about: Message; readonly picture: MailPicture | undefined }> {
  const { alert, heldBack } = message;
  if (!alert || heldBack || alert.detectionId === null) return { about: message, picture: undefined };
  const pictureOf = async (id: number): Promise<MailPicture | undefined> => {
    const { source, seen } = await db.query(async (sql) => ({ source: await findSource(sql, id), seen: await detectionsBeside(sql, id) }));
    return source && (await mailPicture(source, rootsOf(config), signal, undefined, seen.length > 0 ? seen : [source]));
  };
  const picture = await pictureOf(alert.detectionId);
  if (!picture || "jpeg" in picture || !picture.isGone) return { about: message, picture };
  for (const id of await db.query((sql) => newestPictures(sql, alert.eventId, otherPictures))) {
    const other = id === alert.detectionId ? undefined : await pictureOf(id);
    if (other && "jpeg" in other) return { about: { ...message, alert: { ...alert, detectionId: id } }, picture: other };
  }
  return { about: message, picture };
}
