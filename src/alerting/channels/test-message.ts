import { randomUUID } from "node:crypto";
import type { ChannelKindName } from "../../contract/constants.ts";
import type { Config } from "../../platform/config/config.ts";
import type { OperationContext } from "../../work/operations/operation.ts";
import type { Outcome } from "../delivery/outcome.ts";
import { openChannel, type StoredChannel } from "./channel.ts";
import { storeLastAttempt } from "./channels-repository.ts";
import type { PhoneMessage } from "./phone-message.ts";
import { sendToPhone } from "./send.ts";

/** Browsers and the app of Home Assistant load pictures themselves, and the drawn one has no address. */
const testPicturePath = "/icon-512.png";

/** A person waits for the answer. */
const timeoutMs = 20_000;

/**
 * Sends a test message with a picture through a channel, and stores the result with the channel. Throws `Problem("unavailable")` if its
 * secrets were sealed with another key file.
 */
export async function sendTest(row: StoredChannel, { db, config, sealer, outbound, clock }: OperationContext): Promise<Outcome> {
  const message: PhoneMessage = {
    id: randomUUID(),
    title: "Test message from homesec",
    text: `Alerts will reach you here through "${row.name}". They look like this one.`,
    urgency: "medium",
    link: undefined,
    pictureLink: config.publicUrl === undefined ? undefined : `${config.publicUrl}${testPicturePath}`,
    paths: { page: undefined, picture: testPicturePath },
    picture: await testPicture(),
    topic: "test",
  };
  const sending = { outbound, timeoutMs, now: () => clock.now() };
  const outcome = await sendToPhone(openChannel(row, sealer), message, sending, new AbortController().signal);
  await db.query((sql) => storeLastAttempt(sql, row.id, outcome, clock.now()));
  return outcome;
}

/** Says why a test message came without its picture, and what to do; empty if it came with one. */
export function pictureNote(kind: ChannelKindName, { publicUrl }: Pick<Config, "publicUrl">): string {
  if (kind === "gotify") return " without its picture, because Gotify takes none";
  return kind === "home_assistant" && publicUrl === undefined ? " without its picture; set PUBLIC_URL, so that the phone can load it" : "";
}

const size = { width: 960, height: 540 };
const box = { x: 380, y: 140, width: 200, height: 330 };

/** Draws the picture of a test message: a person in a box, as an alert would show it. */
async function testPicture(): Promise<Buffer> {
  const { sharp } = await import("../../monitoring/images/decoder.ts");
  const middle = box.x + box.width / 2;
  const drawing = `<svg xmlns="http://www.w3.org/2000/svg" width="${size.width}" height="${size.height}">
    <rect width="100%" height="62%" fill="#33415c"/><rect y="62%" width="100%" height="38%" fill="#5c677d"/>
    <circle cx="${middle}" cy="200" r="38" fill="#d9dee7"/>
    <rect x="${middle - 50}" y="246" width="100" height="205" rx="40" fill="#d9dee7"/>
    <rect x="${box.x}" y="${box.y}" width="${box.width}" height="${box.height}" fill="none" stroke="#ffb703" stroke-width="6"/>
  </svg>`;
  return await sharp(Buffer.from(drawing)).jpeg({ quality: 82 }).toBuffer();
}
