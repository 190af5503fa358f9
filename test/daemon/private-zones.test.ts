import { readFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, expect, it } from "vitest";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { type MailServer, mailServer } from "../support/mail-server.ts";
import { type ModelServer, modelServer } from "../support/model-servers.ts";
import { renameIn } from "../support/pictures.ts";
import { detectorStandIn, type SeenRequest, type StandIn, verdictText, visionStandIn } from "../support/upstream.ts";

/* The real daemon with private zones: what each part outside of it receives. */

/** The left half of the picture, which shows the neighbour's window. */
const neighbour = [
  { x: 0, y: 0 },
  { x: 0.5, y: 0 },
  { x: 0.5, y: 1 },
  { x: 0, y: 1 },
];
const person = { class: "person", confidence: 0.9, bbox: { x: 500, y: 300, width: 60, height: 120 } };

let database: TestDatabase;
let detector: StandIn;
let vision: StandIn;
let model: ModelServer;
let mails: MailServer;
let daemon: TestDaemon;
const seen: SeenRequest[] = [];

beforeAll(async () => {
  const answer = (request: SeenRequest) => {
    seen.push(request);
    return { detections: [person], inference_time_ms: 1, image_width: 768, image_height: 576 };
  };
  [database, detector, vision, model, mails] = await Promise.all([
    testDatabase(),
    detectorStandIn({ answer }),
    visionStandIn(),
    modelServer("ollama", { answer: () => verdictText(80) }),
    mailServer(),
  ]);
  daemon = await testDaemon({
    env: {
      ...{ DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url, LANGUAGE_MODEL_PICTURES: "local" },
      ...{ VISION_EXTRACTION_ENABLED: "true", VISION_URL: vision.url, BATCH_WINDOW_SECONDS: "2", BATCH_IDLE_TIMEOUT_SECONDS: "1" },
      ...{ SMTP_HOST: "127.0.0.1", SMTP_PORT: String(mails.port), SMTP_FROM_ADDRESS: "home@example.org" },
      DEFAULT_EMAIL_RECIPIENTS: "me@example.org",
    },
  });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([detector.close(), vision.close(), model.close(), mails.close()]);
  await database.close();
});

async function ask<T>(method: string, path: string, body?: object): Promise<T> {
  const response = await fetch(`${daemon.url}${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });
  expect(response.status, `${method} ${path}`).toBeLessThan(300);
  return (await response.json()) as T;
}

const bytesOf = async (path: string): Promise<Buffer> => Buffer.from(await (await fetch(`${daemon.url}${path}`)).arrayBuffer());

/** The JPEG in the body of a form. */
const pictureIn = ({ body }: SeenRequest): Buffer =>
  body.subarray(body.indexOf(Buffer.from("ffd8ff", "hex")), body.lastIndexOf(Buffer.from("ffd9", "hex")) + 2);

/** How bright the left and the right part of a picture are, away from its middle: 0 to 255 on average. */
async function halves(bytes: Buffer): Promise<{ readonly left: number; readonly right: number }> {
  const { data, info } = await sharp(bytes).greyscale().resize(16, 12, { fit: "fill" }).raw().toBuffer({ resolveWithObject: true });
  const mean = (from: number, to: number): number => {
    const values = [...data].filter((_, at) => at % info.width >= from && at % info.width < to);
    return values.reduce((sum, value) => sum + value, 0) / values.length;
  };
  return { left: mean(1, 7), right: mean(9, 15) };
}

/** A picture of a white wall with a number, so that each is another one. */
async function wall(number: number): Promise<Buffer> {
  return await sharp({ create: { width: 768, height: 576, channels: 3, background: { r: 250, g: 250, b: 255 - (number % 50) } } })
    .jpeg()
    .toBuffer();
}

interface Detection {
  readonly id: number;
  readonly event_id: number | null;
  readonly preview_url: string;
}
const newest = async (): Promise<Detection> => {
  const { items } = await ask<{ items: Detection[] }>("GET", "/api/detections?limit=1");
  return items[0] as Detection;
};

it("private zones: the detector, vision, mails, pictures, thumbnails, snapshots and shared pages get them black; the file stays", async () => {
  await ask("POST", "/api/cameras", { name: "yard" });
  const zone = await ask<object>("PUT", "/api/cameras/yard/zones/neighbour", { points: neighbour, private: true });
  expect(zone).toMatchObject({ name: "neighbour", private: true });
  await ask("POST", "/api/alerts/rules", { name: "Anyone", severity: "high", channels: ["email"], cooldown_seconds: 0 });
  const path = join(daemon.cameraRoot, "yard", "1.jpg");
  const original = await wall(1);
  await renameIn(path, original);
  await eventually(() => mails.mails.length > 0, { what: "the mail", timeoutMs: 60_000 });
  await eventually(() => vision.last, { what: "the question to vision" });
  const { id, event_id: eventId, preview_url: preview } = await newest();
  const { token } = await ask<{ token: string }>("POST", `/api/events/${eventId}/shares`, {});
  const sent: Readonly<Record<string, Buffer>> = {
    detector: pictureIn(seen[0] as SeenRequest),
    vision: pictureIn(vision.last as SeenRequest),
    mail: mails.mails[0]?.mail.pictures[0]?.bytes ?? Buffer.alloc(0),
    picture: await bytesOf(`/api/detections/${id}/image`),
    "picture with boxes": await bytesOf(`/api/detections/${id}/image?boxes=true`),
    thumbnail: await bytesOf(`/api/detections/${id}/thumbnail`),
    preview: await bytesOf(preview),
    snapshot: await bytesOf("/api/cameras/yard/snapshot"),
    "small snapshot": await bytesOf("/api/cameras/yard/snapshot?width=320"),
    "shared picture": await bytesOf(`/api/shared/${token}/pictures/1`),
    "shared thumbnail": await bytesOf(`/api/shared/${token}/pictures/1/thumbnail`),
  };
  for (const [where, bytes] of Object.entries(sent)) {
    const { left, right } = await halves(bytes);
    expect(left, where).toBeLessThan(8);
    expect(right, where).toBeGreaterThan(150);
  }
  // The model sees the part around the object: it starts right of the zone.
  const { body } = model.questions.findLast(({ body }) => body.messages[0].images?.length > 0) ?? {};
  const shown = await halves(Buffer.from(body.messages[0].images[0], "base64"));
  expect([shown.left > 150, shown.right > 150]).toEqual([true, true]);
  const event = await ask<{ shown_detection_ids: number[] }>("GET", `/api/events/${eventId}`);
  expect(event.shown_detection_ids).toEqual([id]);
  expect(await readFile(path)).toEqual(original);
});

it("private zones: stay private when their corners change, and show what was behind them once they are not", async () => {
  const before = await newest();
  const moved = neighbour.map(({ x, y }) => ({ x: x + 0.5, y }));
  expect(await ask<object>("PUT", "/api/cameras/yard/zones/Neighbour", { points: moved })).toMatchObject({ private: true });
  const thumbnail = async () => await halves(await bytesOf(`/api/detections/${before.id}/thumbnail`));
  expect((await thumbnail()).left).toBeGreaterThan(150);
  expect((await thumbnail()).right).toBeLessThan(60);

  await ask("PUT", "/api/cameras/yard/zones/neighbour", { points: neighbour, private: false });
  const { left, right } = await halves(await bytesOf(`/api/detections/${before.id}/image`));
  expect([left > 150, right > 150]).toEqual([true, true]);
  expect((await newest()).preview_url).not.toBe(before.preview_url);
});

it("private zones: a picture that cannot be decoded does not leave, and neither does a whole video", async () => {
  await ask("PUT", "/api/cameras/yard/zones/neighbour", { points: neighbour, private: true });
  const asked = seen.length;
  // complete by its markers, but nothing that a decoder can read
  const broken = await wall(2);
  const scan = broken.indexOf(Buffer.from("ffdb", "hex"));
  broken.fill(0xff, scan + 4, scan + 60);
  await renameIn(join(daemon.cameraRoot, "yard", "2.jpg"), broken);
  const image = await eventually(async () => {
    const { items } = await ask<{ items: { path: string; status: string; detail: string | null }[] }>("GET", "/api/images");
    return items.find(({ path, status }) => path.endsWith("/2.jpg") && status === "skipped");
  });
  expect(image.detail).toContain("private zones");
  expect(seen.length).toBe(asked);

  const { id } = await newest();
  await database.db.query((sql) => sql`update detections set file_type = 'video/mp4', video_offset_seconds = 0 where detection_id = ${id}`);
  const response = await fetch(`${daemon.url}/api/detections/${id}/video`);
  expect(response.status).toBe(404);
  expect(await response.text()).toContain("its camera has private zones");
});
