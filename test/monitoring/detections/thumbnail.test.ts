import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { execa } from "execa";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Box } from "../../../src/monitoring/detections/detection.ts";
import { insertDetections } from "../../../src/monitoring/detections/detections-repository.ts";
import { detectionOperations } from "../../../src/monitoring/detections/operations.ts";
import { drawThumbnail } from "../../../src/monitoring/detections/thumbnail.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { type Desk, openDesk } from "../../support/operations.ts";
import { picturePath } from "../../support/pictures.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
  await mkdir(join(desk.cameraRoot, "gate"));
  await desk.db.query(
    (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('gate', 'Gate', ${join(desk.cameraRoot, "gate")})`,
  );
});
afterAll(() => desk.close());

const inFolder = (name: string) => join(desk.cameraRoot, "gate", name);

async function detect(
  filePath: string,
  more: { readonly box?: Box | null; readonly videoOffsetSeconds?: number; readonly fileType?: string } = {},
) {
  const now = new Date("2026-03-01T12:00:00Z");
  const [record] = await desk.db.transaction((sql) =>
    insertDetections(sql, [
      {
        cameraId: "gate",
        imageId: null,
        batchId: null,
        filePath,
        fileType: more.fileType ?? "image/jpeg",
        videoOffsetSeconds: more.videoOffsetSeconds ?? null,
        detectedAt: now,
        objectType: "person",
        confidence: 0.874,
        box: more.box === undefined ? { x: 100, y: 100, width: 50, height: 80 } : more.box,
        createdAt: now,
      },
    ]),
  );
  const params = { detection_id: String(record?.id) };
  return {
    id: record?.id ?? 0,
    thumbnail: () => desk.askBytes("getDetectionThumbnail", { params }),
    image: () => desk.askBytes("getDetectionImage", { params }),
    record: () => desk.ask("getDetection", { params }),
  };
}

async function bytesOf({ content }: { readonly content: { readonly file: string } | { readonly buffer: Buffer } }): Promise<Buffer> {
  return "file" in content ? await readFile(content.file) : content.buffer;
}

/** The colour of a pixel, as red, green and blue. */
async function pixel(jpeg: Buffer, x: number, y: number): Promise<readonly number[]> {
  const { data, info } = await sharp(jpeg).raw().toBuffer({ resolveWithObject: true });
  const at = (y * info.width + x) * info.channels;
  return [...data.subarray(at, at + 3)];
}

const isRed = ([red = 0, green = 0, blue = 0]: readonly number[]) => red > 150 && green < 120 && blue < 120;
const isDark = (colour: readonly number[]) => colour.every((part) => part < 40);
const isWhite = (colour: readonly number[]) => colour.every((part) => part > 215);
const plainPicture = (width: number, height: number) => sharp({ create: { width, height, channels: 3, background: "#fff" } }).jpeg();

describe("a thumbnail", () => {
  it("is made of the picture once, kept, and noted on the detection", async () => {
    await writeFile(inFolder("a.jpg"), await readFile(picturePath(3)));
    const detection = await detect(inFolder("a.jpg"));
    expect((await detection.record()).thumbnail_path).toBeNull();
    const thumbnail = await detection.thumbnail();
    const [name = ""] = (await readdir(join(desk.dataDir, "thumbnails/000/000"))).filter((file) => file.startsWith(`${detection.id}-`));
    const kept = `thumbnails/000/000/${name}`;
    expect(thumbnail).toEqual({ mediaType: "image/jpeg", content: { file: join(desk.dataDir, kept) } });
    expect(await sharp(await bytesOf(thumbnail)).metadata()).toMatchObject({ format: "jpeg", width: 320, height: 240 });
    expect((await detection.record()).thumbnail_path).toBe(kept);
    const { ino } = await stat(join(desk.dataDir, kept));
    expect(await detection.thumbnail()).toEqual(thumbnail);
    expect((await stat(join(desk.dataDir, kept))).ino).toBe(ino);
  });

  it("outlives its picture", async () => {
    await writeFile(inFolder("gone.jpg"), await plainPicture(64, 48).toBuffer());
    const detection = await detect(inFolder("gone.jpg"));
    const before = await detection.thumbnail();
    await rm(inFolder("gone.jpg"));
    expect(await detection.thumbnail()).toEqual(before);
    await expect(detection.image()).rejects.toMatchObject({ kind: "not_found" });
  });

  it("is made once for concurrent requests, and leaves no temporary files", async () => {
    await writeFile(inFolder("many.jpg"), await readFile(picturePath(1)));
    const detection = await detect(inFolder("many.jpg"));
    const answers = await Promise.all(Array.from({ length: 12 }, () => detection.thumbnail()));
    expect(new Set(answers.map((answer) => JSON.stringify(answer))).size).toBe(1);
    expect((await readdir(join(desk.dataDir, "thumbnails/000/000"))).filter((name) => !/^\d+-[0-9a-f]{16}\.jpg$/.test(name))).toEqual([]);
  });

  it("shows what the detection was corrected to, also when that happened while it was drawn", async () => {
    await writeFile(inFolder("large.jpg"), await plainPicture(8000, 6000).toBuffer());
    const detection = await detect(inFolder("large.jpg"), { box: null });
    const early = detection.thumbnail();
    await desk.ask("updateDetections", { body: { detections: [{ id: detection.id, object_type: "dog", confidence: 0.5 }] } });
    expect((await bytesOf(await early)).length).toBeGreaterThan(0);
    const corrected = await drawThumbnail(await readFile(inFolder("large.jpg")), { box: null, label: "dog 50%" });
    expect((await bytesOf(await detection.thumbnail())).equals(corrected)).toBe(true);
  });

  it("is never that of another detection which had the number before, as after a restore", async () => {
    await writeFile(inFolder("before.jpg"), await plainPicture(64, 48).toBuffer());
    await writeFile(inFolder("after.jpg"), await readFile(picturePath(2)));
    const detection = await detect(inFolder("before.jpg"), { box: null });
    const before = await bytesOf(await detection.thumbnail());
    await desk.db.query(
      (sql) => sql`update detections set file_path = ${inFolder("after.jpg")}, thumbnail_path = null where detection_id = ${detection.id}`,
    );
    const after = await bytesOf(await detection.thumbnail());
    expect(after.equals(before)).toBe(false);
    expect(after.equals(await drawThumbnail(await readFile(inFolder("after.jpg")), { box: null, label: "person 87%" }))).toBe(true);
    expect(await desk.ask("deleteDetections", { body: { detection_ids: [detection.id] } })).toMatchObject({ succeeded: 1 });
    const left = (await readdir(join(desk.dataDir, "thumbnails/000/000"))).filter((name) => name.startsWith(`${detection.id}-`));
    expect(left).toEqual([]);
  });

  it("that version 0.1.0 kept is shown still, when it is noted as this detection's", async () => {
    await writeFile(inFolder("old.jpg"), await plainPicture(64, 48).toBuffer());
    const detection = await detect(inFolder("old.jpg"));
    const kept = `thumbnails/000/000/${detection.id}.jpg`;
    await mkdir(join(desk.dataDir, "thumbnails/000/000"), { recursive: true });
    await writeFile(join(desk.dataDir, kept), "of somebody else");
    expect((await bytesOf(await detection.thumbnail())).toString()).not.toBe("of somebody else");
    await desk.db.query((sql) => sql`update detections set thumbnail_path = ${kept} where detection_id = ${detection.id}`);
    await writeFile(inFolder("old.jpg"), "");
    for (const name of await readdir(join(desk.dataDir, "thumbnails/000/000"))) {
      if (name.startsWith(`${detection.id}-`)) await rm(join(desk.dataDir, "thumbnails/000/000", name));
    }
    expect((await bytesOf(await detection.thumbnail())).toString()).toBe("of somebody else");
  });

  it("is answered though it cannot be kept", async () => {
    await writeFile(inFolder("full.jpg"), await plainPicture(64, 48).toBuffer());
    const detection = await detect(inFolder("full.jpg"));
    const blocked = await openDesk();
    const context = { ...desk.context, config: { ...desk.context.config, dataDir: join(blocked.dataDir, "a-file") } };
    await writeFile(join(blocked.dataDir, "a-file"), "");
    const answer = await detectionOperations.getDetectionThumbnail({ params: { detection_id: detection.id } }, context);
    expect(await sharp(await bytesOf(answer)).metadata()).toMatchObject({ width: 320, height: 240 });
    expect((await detection.record()).thumbnail_path).toBeNull();
    await blocked.close();
  });

  it("is not found, with the reason, when its picture cannot be decoded", async () => {
    await writeFile(inFolder("broken.jpg"), "this is no picture");
    const detection = await detect(inFolder("broken.jpg"));
    await expect(detection.thumbnail()).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringMatching(/broken\.jpg, cannot be decoded/),
    });
    await writeFile(inFolder("broken.jpg"), await plainPicture(64, 48).toBuffer());
    expect((await detection.thumbnail()).mediaType).toBe("image/jpeg");
  });
});

describe("a drawing", () => {
  const draw = async (width: number, height: number, box: Box | null, label = "person 87%") =>
    await drawThumbnail(await plainPicture(width, height).toBuffer(), { box, label });

  it("has bars at the sides of what is too high, and above and below what is too wide", async () => {
    const high = await draw(100, 400, null, "");
    expect([isDark(await pixel(high, 5, 120)), isWhite(await pixel(high, 160, 120)), isDark(await pixel(high, 315, 120))]).toEqual([
      true,
      true,
      true,
    ]);
    const wide = await draw(1600, 400, null, "");
    expect([isDark(await pixel(wide, 160, 235)), isWhite(await pixel(wide, 160, 120))]).toEqual([true, true]);
  });

  it("has the box where the object is, and the label above it", async () => {
    const jpeg = await draw(640, 480, { x: 200, y: 200, width: 200, height: 100 });
    for (const [x, y] of [
      [100, 130],
      [200, 130],
      [150, 100],
      [150, 150],
    ] as const)
      expect([x, y, isRed(await pixel(jpeg, x, y))]).toEqual([x, y, true]);
    expect(isWhite(await pixel(jpeg, 150, 125))).toBe(true);
    expect(isRed(await pixel(jpeg, 101, 91))).toBe(true);
    const wide = await draw(1600, 400, { x: 0, y: 0, width: 800, height: 400 });
    expect(isRed(await pixel(wide, 160, 120))).toBe(true);
  });

  it("keeps the label in the picture, whatever the box", async () => {
    for (const box of [
      { x: 0, y: 0, width: 10, height: 10 },
      { x: 635, y: 475, width: 100, height: 100 },
      { x: -500, y: -500, width: 5000, height: 5000 },
      { x: 630, y: 0, width: 1, height: 0 },
    ]) {
      expect(await sharp(await draw(640, 480, box)).metadata()).toMatchObject({ width: 320, height: 240 });
    }
    expect(isRed(await pixel(await draw(640, 480, { x: 639, y: 100, width: 1, height: 1 }), 319, 45))).toBe(true);
    await draw(10, 10, { x: 1, y: 1, width: 2, height: 2 }, `a strange class <&"' ${"long ".repeat(30)}%`);
  });

  it("sets a picture upright as its EXIF data says, the box counted in the upright picture", async () => {
    // stored sideways: 480 x 640 when upright
    const sideways = await sharp({ create: { width: 640, height: 480, channels: 3, background: "#fff" } })
      .withExif({})
      .withMetadata({ orientation: 6 })
      .jpeg()
      .toBuffer();
    const jpeg = await drawThumbnail(sideways, { box: { x: 0, y: 320, width: 480, height: 320 }, label: "" });
    expect(isDark(await pixel(jpeg, 20, 200))).toBe(true);
    expect(isRed(await pixel(jpeg, 160, 120))).toBe(true);
    expect(isWhite(await pixel(jpeg, 160, 180))).toBe(true);
  });

  it("reads PNG and WebP with transparency, and greyscale", async () => {
    for (const picture of [
      sharp({ create: { width: 50, height: 50, channels: 4, background: "#0000" } }).png(),
      sharp({ create: { width: 50, height: 50, channels: 4, background: "#fff8" } }).webp(),
      plainPicture(50, 50).greyscale(),
    ]) {
      expect(await sharp(await drawThumbnail(await picture.toBuffer(), { box: null, label: "cat 50%" })).metadata()).toMatchObject({
        width: 320,
        channels: 3,
      });
    }
  });
});

const ffmpeg = await hasFfmpeg();
describe("of a video", () => {
  it.skipIf(ffmpeg)("is refused with the fix if ffmpeg is not installed", async () => {
    await writeFile(inFolder("film.mp4"), "film");
    const detection = await detect(inFolder("film.mp4"), { videoOffsetSeconds: 2, fileType: "video/mp4" });
    await expect(detection.image()).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("ffmpeg is not installed"),
    });
    await expect(detection.thumbnail()).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("ffmpeg is not installed"),
    });
  });

  it.skipIf(!ffmpeg)("uses the frame with the detection, or reports why it cannot", async () => {
    const colours = ["-f", "lavfi", "-i", "color=black:s=64x48:d=3", "-f", "lavfi", "-i", "color=white:s=64x48:d=3"];
    await execa("ffmpeg", [...colours, "-filter_complex", "[0][1]concat", "-c:v", "mjpeg", inFolder("film.avi")]);
    const film = { fileType: "video/x-msvideo", box: null };
    const early = await detect(inFolder("film.avi"), { ...film, videoOffsetSeconds: 0 });
    const late = await detect(inFolder("film.avi"), { ...film, videoOffsetSeconds: 4 });
    expect(isDark(await pixel(await bytesOf(await early.thumbnail()), 160, 120))).toBe(true);
    expect(isWhite(await pixel(await bytesOf(await late.thumbnail()), 160, 120))).toBe(true);
    expect(await late.image()).toMatchObject({ mediaType: "image/jpeg", content: { buffer: expect.any(Buffer) } });
    const after = await detect(inFolder("film.avi"), { ...film, videoOffsetSeconds: 40 });
    await expect(after.image()).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("no frame at the time") });
    await writeFile(inFolder("film.avi"), "damaged");
    await expect(late.image()).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("film.avi") });
  });
});
