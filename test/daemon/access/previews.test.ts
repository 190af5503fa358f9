import { readdir, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { eventually } from "../../support/eventually.ts";
import { picturePath, uniqueJpeg } from "../../support/pictures.ts";
import { type AccessHome, accessHome } from "./home.ts";

let home: AccessHome;
beforeAll(async () => {
  home = await accessHome(false);
});
afterAll(() => home?.close());

const forGood = "private, max-age=31536000, immutable";
const askFirst = "private, no-cache";

interface Pictured {
  readonly preview_url: string;
  readonly blur_hash: string | null;
}

const get = async (path: string): Promise<never> => {
  const { status, body, text } = await home.ask(`GET ${path}`);
  if (status !== 200) throw new Error(`${path}: ${status} ${text}`);
  return body as never;
};
const detection = async (camera = "door"): Promise<Pictured> => await get(`/api/detections/${home.detections[camera]}`);
const camera = async (id: string): Promise<Pictured> => {
  const { cameras }: { cameras: (Pictured & { camera_id: string })[] } = await get("/api/cameras");
  return cameras.find(({ camera_id }) => camera_id === id) as Pictured;
};

/** Requests a picture and describes it. */
async function picture(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${home.daemon.url}${path}`, { headers });
  const bytes = Buffer.from(await response.arrayBuffer());
  const { format, width } = response.status === 200 ? await sharp(bytes).metadata() : {};
  return { status: response.status, caching: response.headers.get("Cache-Control"), format, width, bytes };
}

/** Stores a detection in a picture of this size and returns its id. */
async function detectIn(name: string, bytes: Buffer): Promise<number> {
  const file_path = join(home.daemon.cameraRoot, "yard", name);
  await writeFile(file_path, bytes);
  const seen = { camera_id: "yard", file_path, detected_at: new Date().toISOString(), object_type: "cat", confidence: 0.7 };
  const { body } = await home.ask("POST /api/detections/bulk", undefined, { detections: [seen] });
  return (body as { results: [{ id: number }] }).results[0].id;
}

const storedPreviews = async (id: number): Promise<readonly string[]> =>
  (await readdir(join(home.daemon.dataDir, "thumbnails/000/000"))).filter((name) => name.startsWith(`${id}-`) && name.endsWith(".webp"));

describe("preview", () => {
  it("preview: is a WebP of 320 pixels that a browser keeps for good, and its blur hash is in the lists afterwards", async () => {
    const id = home.detections["door"] ?? 0;
    const before = await detection();
    expect(before.blur_hash).toBeNull();
    expect(before.preview_url).toMatch(new RegExp(`^/api/detections/${id}/preview\\?v=[0-9a-f]{16}$`));
    const shown = await picture(before.preview_url);
    expect(shown).toMatchObject({ status: 200, caching: forGood, format: "webp", width: 320 });
    expect(shown.bytes.length).toBeLessThan(20_000);
    const { blur_hash, preview_url } = await detection();
    expect(preview_url).toBe(before.preview_url);
    expect(Buffer.from(blur_hash ?? "", "base64").length).toBeGreaterThan(15);
    // 768 x 576 pixels
    const known = { preview_url, blur_hash, preview_box: { x: 0.0013, y: 0.0035, width: 0.0391, height: 0.0694 } };
    const { items: events }: { items: object[] } = await get("/api/events?camera_id=door");
    const { items: detections }: { items: object[] } = await get(`/api/detections?event_id=${home.events["door"]}`);
    const event: { detections: object[] } = await get(`/api/events/${home.events["door"]}`);
    expect([events[0], detections[0], event, event.detections[0]]).toMatchObject([known, known, known, known]);
  });

  it("preview: an address without the current version is asked for each time", async () => {
    const { preview_url } = await detection();
    const plain = preview_url.replace(/\?.*/, "");
    for (const path of [plain, `${plain}?v=0123456789abcdef`]) expect((await picture(path)).caching).toBe(askFirst);
    expect((await home.ask("GET /api/detections/999999/preview")).status).toBe(404);
  });

  it("preview: a detection that moves to another picture gets another address and another preview", async () => {
    const id = await detectIn("first.jpg", await uniqueJpeg());
    const before: Pictured = await get(`/api/detections/${id}`);
    const first = await picture(before.preview_url);
    const path = join(home.daemon.cameraRoot, "yard", "second.jpg");
    await writeFile(path, await sharp(picturePath()).negate().jpeg().toBuffer());
    await home.database.db.query((sql) => sql`update detections d set file_path = ${path} where d.detection_id = ${id}`);
    const after: Pictured = await get(`/api/detections/${id}`);
    expect(after.preview_url).not.toBe(before.preview_url);
    const second = await picture(after.preview_url);
    expect([second.caching, second.bytes.equals(first.bytes)]).toEqual([forGood, false]);
    expect((await picture(before.preview_url)).caching).toBe(askFirst);
  });

  it("preview: is stored once, outlives its picture, and is deleted with the detection", async () => {
    const id = await detectIn("once.jpg", await uniqueJpeg());
    const { preview_url }: Pictured = await get(`/api/detections/${id}`);
    const answers = await Promise.all(Array.from({ length: 8 }, () => picture(preview_url)));
    expect(new Set(answers.map(({ bytes }) => bytes.toString("base64"))).size).toBe(1);
    expect(await storedPreviews(id)).toHaveLength(1);
    await rm(join(home.daemon.cameraRoot, "yard", "once.jpg"));
    expect((await picture(preview_url)).status).toBe(200);
    await home.ask("DELETE /api/detections/bulk", undefined, { detection_ids: [id] });
    expect((await picture(preview_url)).status).toBe(404);
    expect(await storedPreviews(id)).toEqual([]);
  });

  it("preview: turns a picture upright, keeps a small one as it is, and reads grey, transparent and 16-bit ones", async () => {
    const plain = (width: number, height: number, background = "#38a") => sharp({ create: { width, height, channels: 4, background } });
    const cases: readonly [name: string, bytes: Buffer, width: number][] = [
      ["sideways.jpg", await plain(640, 480).withMetadata({ orientation: 6 }).jpeg().toBuffer(), 320],
      ["small.jpg", await plain(64, 48).jpeg().toBuffer(), 64],
      ["grey.jpg", await plain(640, 480).greyscale().jpeg().toBuffer(), 320],
      ["clear.png", await plain(640, 480, "#38a8").png().toBuffer(), 320],
      ["deep.png", await plain(640, 480).toColourspace("rgb16").png().toBuffer(), 320],
    ];
    for (const [name, bytes, width] of cases) {
      const id = await detectIn(name, bytes);
      const shown = await picture(`/api/detections/${id}/preview`);
      expect([name, shown.status, shown.format, shown.width]).toEqual([name, 200, "webp", width]);
      const { blur_hash }: Pictured = await get(`/api/detections/${id}`);
      expect([name, blur_hash !== null]).toEqual([name, true]);
    }
    const broken = await detectIn("broken.jpg", Buffer.from("no picture"));
    expect((await picture(`/api/detections/${broken}/preview`)).status).toBe(404);
  });

  it("preview: that of a camera has another address with each picture, and its blur hash stays until the next one is known", async () => {
    const add = async (name: string): Promise<void> => {
      const { preview_url: before } = await camera("door");
      await writeFile(join(home.daemon.cameraRoot, "door", name), await uniqueJpeg());
      await eventually(async () => (await camera("door")).preview_url !== before, { what: `the picture ${name}`, timeoutMs: 20_000 });
    };
    await add("b.jpg");
    const first = await camera("door");
    expect(first.preview_url).toMatch(/^\/api\/cameras\/door\/snapshot\?width=320&v=[0-9a-f]{16}$/);
    expect(await picture(first.preview_url)).toMatchObject({ status: 200, caching: forGood, format: "webp", width: 320 });
    const { blur_hash } = await camera("door");
    expect(blur_hash).not.toBeNull();
    const { items }: { items: object[] } = await get("/api/images?camera_id=door&limit=1");
    expect(items).toMatchObject([{ blur_hash }]);
    await add("c.jpg");
    const second = await camera("door");
    expect(second).toMatchObject({ blur_hash });
    // the page of before gets the newer picture under the older address, which must not stay
    expect((await picture(first.preview_url)).caching).toBe(askFirst);
    expect((await picture(second.preview_url)).caching).toBe(forGood);
    expect((await picture(second.preview_url.replace("320", "640"))).caching).toBe(forGood);
  });

  it("preview: a file that the camera has written over since is not kept for good", async () => {
    const { preview_url } = await camera("door");
    const path = join(home.daemon.cameraRoot, "door", "c.jpg");
    await writeFile(path, await sharp(picturePath()).resize(500).jpeg().toBuffer());
    await utimes(path, new Date(), new Date());
    expect((await picture(preview_url.replace("320", "640"))).caching).toBe(askFirst);
  });
});
