import { mkdir, open, readFile, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import { decodeColour } from "../../daemon/builtin/detector/decode.ts";
import { openPicture } from "../../daemon/builtin/enrichment/picture.ts";
import { Refusal } from "../../daemon/builtin/service.ts";
import { drawThumbnail } from "../../src/monitoring/detections/thumbnail.ts";
import { bufferSource, fileSource } from "../../src/monitoring/images/byte-source.ts";
import { inspect, mostPixels } from "../../src/monitoring/images/picture.ts";
import { imageReasons } from "../../src/monitoring/images/reasons.ts";
import { extractFrames, hasFfmpeg, VideoError } from "../../src/monitoring/images/video.ts";
import { packFrame, readFrame, unpackFrame } from "../../src/monitoring/scenes/frame.ts";
import { makeVideo } from "../monitoring/images/make-video.ts";
import { bundled } from "../support/bundled.ts";
import { testDaemon } from "../support/daemon.ts";
import { testDatabase } from "../support/database.ts";
import { eventually } from "../support/eventually.ts";
import { picturePath } from "../support/pictures.ts";
import { temporaryFolder } from "../support/temporary.ts";
import { detectorStandIn, languageModelStandIn } from "../support/upstream.ts";
import { bombs } from "./bombs.ts";
import { mutated } from "./bytes.ts";
import { countOf, holds, isLong, sampleOf, seedNote, testTimeoutMs } from "./support.ts";

const ffmpeg = await hasFfmpeg();
const folder = temporaryFolder("pictures");
afterAll(() => folder.remove());

const pictures: Record<string, Buffer> = {};
const videos: Record<string, Buffer> = {};
beforeAll(async () => {
  const real = await readFile(picturePath(3));
  const small = sharp(real).resize(160, 120);
  pictures["camera.jpg"] = real;
  pictures["small.jpg"] = await small
    .clone()
    .withExif({ IFD0: { Orientation: "6", Make: "ACME" } })
    .jpeg({ quality: 60 })
    .toBuffer();
  pictures["progressive.jpg"] = await small.clone().jpeg({ progressive: true }).toBuffer();
  pictures["grey.jpg"] = await small.clone().greyscale().jpeg().toBuffer();
  pictures["cmyk.jpg"] = await small.clone().toColourspace("cmyk").jpeg().toBuffer();
  pictures["rgb.png"] = await small.clone().png().toBuffer();
  pictures["palette.png"] = await small.clone().png({ palette: true }).toBuffer();
  pictures["deep.png"] = await small.clone().toColourspace("rgb16").ensureAlpha().png({ progressive: true }).toBuffer();
  pictures["lossy.webp"] = await small.clone().webp().toBuffer();
  pictures["lossless.webp"] = await small.clone().ensureAlpha(0.5).webp({ lossless: true }).toBuffer();
  pictures["extended.webp"] = await small
    .clone()
    .withExif({ IFD0: { Make: "ACME" } })
    .webp()
    .toBuffer();
  if (!ffmpeg) return;
  for (const extension of ["mp4", "mkv", "avi", "mov"] as const) {
    videos[`a.${extension}`] = await readFile(await makeVideo(folder.path, extension, 1));
  }
});

const all = () => ({ ...pictures, ...videos });

test(
  "fuzz pictures: any file is complete, incomplete or rejected with a reason, from memory as from disk",
  async () => {
    const path = join(folder.path, "looked-at");
    await holds(mutated(all()), { few: 100, many: 40_000 }, async ({ bytes }) => {
      await writeFile(path, bytes);
      const file = await open(path);
      try {
        for (const quietMs of [0, 60_000]) {
          const one = await inspect(bufferSource(bytes), quietMs);
          expect(await inspect(fileSource(file, bytes.length), quietMs)).toEqual(one);
          expect(["complete", "incomplete", "refused"]).toContain(one.state);
          if (one.state === "complete" && one.width !== null && one.height !== null) {
            expect(one.width > 0 && one.height > 0 && one.width * one.height <= mostPixels).toBe(true);
          }
        }
      } finally {
        await file.close();
      }
    });
  },
  testTimeoutMs,
);

/** Decodes a picture. An error may say that it cannot be read, and the process survives. */
async function decoded(what: string, work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    expect(error, what).toBeInstanceOf(Error);
    if (!(error instanceof Refusal)) expect((error as Error).constructor, `${what}: ${String(error)}`).toBe(Error);
  }
}

test(
  "fuzz pictures: every decoder reads any picture or says that it cannot",
  async () => {
    await holds(mutated(pictures), { few: 15, many: 5_000 }, async ({ bytes }) => {
      await decoded("thumbnail", () => drawThumbnail(bytes, { box: { x: 1, y: 1, width: 50, height: 5_000 }, label: "person" }));
      await decoded("frame", async () => {
        const frame = await readFrame(bytes);
        expect(frame.pixels.length).toBe(frame.width * frame.height);
        if (frame.width * frame.height < 1e6) await unpackFrame(await packFrame(frame), frame);
      });
      await decoded("colour", () => decodeColour(bytes, () => ({ width: 64, height: 48 })));
      await decoded("enrichment", () => openPicture(bytes));
    });
  },
  testTimeoutMs,
);

test.skipIf(!ffmpeg)(
  "fuzz pictures: any video gives frames or a reason (needs ffmpeg)",
  async () => {
    const path = join(folder.path, "watched");
    await holds(mutated(videos), { few: 3, many: 1_500 }, async ({ bytes }) => {
      await writeFile(path, bytes);
      let frames = 0;
      try {
        for await (const frame of extractFrames(path, { timeoutMs: 20_000 })) {
          expect(frame.bytes.length).toBeGreaterThan(0);
          frames += 1;
        }
        expect(frames).toBeGreaterThan(0);
      } catch (error) {
        if (!(error instanceof VideoError)) throw error;
        expect(error.message).not.toBe("");
      }
      expect(frames).toBeLessThanOrEqual(30);
    });
  },
  testTimeoutMs,
);

/** Memory that a decoder may use besides Node itself: a picture of 50 megapixels in its largest form, once. */
const mostMib = 650;
const mostMs = 60_000;

test.each(bombs.filter(({ slow }) => isLong || !slow))(
  "fuzz pictures: $name takes bounded memory and time",
  async ({ make, fileName }) => {
    const path = join(folder.path, fileName);
    await writeFile(path, await make());
    const decoders = isLong ? ["inspect", "thumbnail", "frame", "detector", "enrichment"] : ["thumbnail"];
    for (const decoder of decoders) {
      const { stdout } = await execa(process.execPath, [await bundled("test/fuzz/decode.mjs"), decoder, path], { timeout: 2 * mostMs });
      const { mib, ms } = JSON.parse(stdout) as { readonly mib: number; readonly ms: number };
      expect(mib, `${decoder}: ${stdout}`).toBeLessThan(mostMib);
      expect(ms, `${decoder}: ${stdout}`).toBeLessThan(mostMs);
    }
  },
  testTimeoutMs,
);

test(
  "fuzz pictures: each file gets one outcome, with a reason unless it was processed, and the daemon's memory stays bounded",
  async () => {
    const database = await testDatabase({ max: 1 });
    // the long form uses the built-in detector
    const detector = await detectorStandIn();
    const model = await languageModelStandIn();
    const upstream = isLong ? {} : { DETECTOR_URL: detector.url };
    const cameras = folder.path;
    const root = join(cameras, "cameras");
    await mkdir(join(root, "front"), { recursive: true });
    const amount = { few: 25, many: 2_000 };
    const names: string[] = [];
    const put = async (name: string, bytes: Buffer): Promise<void> => {
      const path = join(root, "front", name);
      await writeFile(path, bytes);
      // old enough to be judged at once
      await utimes(path, new Date(Date.now() - 600_000), new Date(Date.now() - 600_000));
      names.push(path);
    };
    for (const [at, { base, bytes }] of sampleOf(mutated(all()), amount).entries()) {
      // homesec waits a minute for empty files and two for pictures that are cut off, because they may still be written
      const isHalf = bytes.length === 0 || (await inspect(bufferSource(bytes), 60_000)).state === "incomplete";
      if (isLong || !isHalf) await put(`${at}-${base}`, bytes);
    }
    for (const { fileName, slow, make } of bombs) if (!slow) await put(`bomb-${fileName}`, await make());
    const before = process.memoryUsage().rss;
    const daemon = await testDaemon({
      env: { DATABASE_URL: database.url, LANGUAGE_MODEL_URL: model.url, CAMERA_ROOT: root, DATABASE_POOL_SIZE: "4", ...upstream },
    });
    try {
      let missing: readonly string[] = names;
      const outcomes = await eventually(
        async () => {
          const rows = await database.db.query(
            (sql) => sql<{ path: string; status: string; reason: string | null; detail: string | null }[]>`
            select r.path || '/' || i.path as path, i.status, i.reason, i.detail from images i cross join camera_root r where i.status not in ('pending', 'deferred')
          `,
          );
          missing = names.filter((name) => !rows.some(({ path }) => path === name));
          return missing.length === 0 ? [...rows] : undefined;
        },
        { timeoutMs: isLong ? 3_000_000 : 60_000, what: `an outcome of each file (${seedNote})` },
      ).catch(async (cause: unknown) => {
        const waiting = await database.db.query(
          (sql) =>
            sql`select i.path, i.status, i.reason, i.detail from images i cross join camera_root r where r.path || '/' || i.path = any (${[...missing]}::text[])`,
        );
        throw new Error(
          `${String(cause)}: ${missing.length} are missing: ${missing.slice(0, 5).join(", ")}; ${JSON.stringify(waiting.slice(0, 3))}`,
          { cause },
        );
      });
      expect(outcomes.map(({ path }) => path).sort()).toEqual(names.sort());
      for (const { path, status, reason, detail } of outcomes) {
        expect(["processed", "skipped"], `${path} ${detail} ${seedNote}`).toContain(status);
        expect(reason === null ? status === "processed" : Object.hasOwn(imageReasons, reason), `${path} ${reason}`).toBe(true);
        if (status === "skipped") expect(detail, path).toMatch(/\S/);
      }
      const list = (await (await fetch(`${daemon.url}/api/detections?limit=1000`)).json()) as { items: { id: number }[] };
      for (const { id } of list.items.slice(0, countOf({ few: 15, many: 1_000 }))) {
        for (const view of ["image", "thumbnail", "video", "video/thumbnail"]) {
          const response = await fetch(`${daemon.url}/api/detections/${id}/${view}`);
          await response.arrayBuffer();
          expect([200, 400, 404], `${view} of ${id} ${seedNote}`).toContain(response.status);
        }
      }
      expect((process.memoryUsage().rss - before) / 1e6).toBeLessThan(900);
    } finally {
      await daemon.stop();
      await Promise.all([detector.close(), model.close()]);
      await database.close();
    }
  },
  testTimeoutMs,
);
