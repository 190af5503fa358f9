import { mkdtemp, open, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import sharp from "sharp";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { bufferSource, fileSource } from "../../../src/monitoring/images/byte-source.ts";
import { type Inspection, inspect, kindOf, mendPicture } from "../../../src/monitoring/images/picture.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { makeVideo } from "./make-video.ts";

const ffmpeg = await hasFfmpeg();
const samples = new Map<string, { readonly bytes: Buffer; readonly complete: Inspection }>();
let folder: string;

const look = (bytes: Buffer, quietMs = 0): Promise<Inspection> => inspect(bufferSource(bytes), quietMs);
const sample = (name: string): Buffer => samples.get(name)?.bytes as Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-picture-"));
  const jpeg = await readFile(new URL("../../fixtures/pictures/walkway-0001.jpg", import.meta.url));
  const picture = (mediaType: string, width: number, height: number): Inspection => ({ state: "complete", mediaType, width, height });
  const add = (name: string, bytes: Buffer, complete: Inspection): void => void samples.set(name, { bytes, complete });
  add("jpeg", jpeg, picture("image/jpeg", 768, 576));
  add("progressive jpeg", await sharp(jpeg).jpeg({ progressive: true }).toBuffer(), picture("image/jpeg", 768, 576));
  const thumbnail = await sharp(jpeg).resize(160).jpeg().toBuffer();
  add("jpeg with a thumbnail", withSegment(jpeg, 0xe1, thumbnail), picture("image/jpeg", 768, 576));
  add("png", await sharp(jpeg).resize(300, 200).png().toBuffer(), picture("image/png", 300, 200));
  add("interlaced png", await sharp(jpeg).resize(300, 200).png({ progressive: true }).toBuffer(), picture("image/png", 300, 200));
  add("png with a palette", await sharp(jpeg).resize(300, 200).png({ palette: true }).toBuffer(), picture("image/png", 300, 200));
  add("webp", await sharp(jpeg).resize(300, 200).webp().toBuffer(), picture("image/webp", 300, 200));
  add("lossless webp", await sharp(jpeg).resize(300, 200).webp({ lossless: true }).toBuffer(), picture("image/webp", 300, 200));
  const alpha = sharp(jpeg).resize(300, 200).ensureAlpha(0.5);
  add("webp with alpha", await alpha.webp().toBuffer(), picture("image/webp", 300, 200));
  if (!ffmpeg) return;
  const video = (mediaType: string): Inspection => ({ state: "complete", mediaType, width: null, height: null });
  for (const [extension, mediaType] of [
    ["mp4", "video/mp4"],
    ["mov", "video/quicktime"],
    ["mkv", "video/x-matroska"],
    ["avi", "video/x-msvideo"],
  ] as const) {
    add(extension, await readFile(await makeVideo(folder, extension, 3)), video(mediaType));
  }
  add("faststart mp4", await readFile(await makeVideo(folder, "mp4", 2, ["-movflags", "faststart"])), video("video/mp4"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

function withSegment(jpeg: Buffer, marker: number, content: Buffer): Buffer {
  const head = Buffer.from([0xff, marker, 0, 0]);
  head.writeUInt16BE(content.length + 2, 2);
  return Buffer.concat([jpeg.subarray(0, 2), head, content, jpeg.subarray(2)]);
}

describe("kindOf", () => {
  it.each([
    ["/a/b.jpg", "jpeg"],
    ["/a/b.JPEG", "jpeg"],
    ["b.Png", "png"],
    ["b.webp", "webp"],
    ["b.MP4", "video"],
    ["b.mkv", "video"],
    ["b.avi", "video"],
    ["b.mov", "video"],
    ["b.jpg.part", "temporary"],
    ["b.tmp", "temporary"],
    ["b.partial", "temporary"],
    ["b.jpg.crdownload", "temporary"],
    ["b.jpg~", "temporary"],
    [".b.jpg", "temporary"],
    ["/a.jpg/b", "other"],
    ["b.gif", "unsupported"],
    ["b.heic", "unsupported"],
    ["b.txt", "other"],
    ["jpg", "other"],
    ["", "other"],
  ])("%s is %s", (path, kind) => expect(kindOf(path)).toBe(kind));
});

describe("inspect", () => {
  it("knows complete files of each format, from memory and from disk", async () => {
    expect(samples.size).toBe(ffmpeg ? 14 : 9);
    for (const [name, { bytes, complete }] of samples) {
      expect(await look(bytes), name).toEqual(complete);
      const path = join(folder, "file");
      await writeFile(path, bytes);
      const file = await open(path);
      expect(await inspect(fileSource(file, bytes.length), 0), name).toEqual(complete);
      await file.close();
    }
  });

  it("never takes a beginning for the whole", async () => {
    for (const [name, { bytes }] of samples) {
      for (let part = 0; part < 400; part += 1) {
        const cut = Math.floor((bytes.length - 2) * (part / 400));
        expect((await look(bytes.subarray(0, cut))).state, `${name} cut at ${cut}`).toBe("incomplete");
      }
    }
  });

  it("is not misled by the end marker of a thumbnail in the header", async () => {
    const bytes = sample("jpeg with a thumbnail");
    const end = bytes.indexOf("ffd9", 0, "hex") + 2;
    expect(end).toBeLessThan(10_000);
    expect((await look(bytes.subarray(0, end), 60_000)).state).toBe("incomplete");
  });

  it("tolerates padding at once, and anything else behind the end when the file is quiet", async () => {
    for (const name of ["jpeg", "png"]) {
      const { bytes, complete } = samples.get(name) as { bytes: Buffer; complete: Inspection };
      expect(await look(Buffer.concat([bytes, Buffer.alloc(3_000)]))).toEqual(complete);
      expect(await look(Buffer.concat([bytes, Buffer.from("\r\n")]))).toEqual(complete);
      const trailed = Buffer.concat([bytes, Buffer.from("camera: front, temperature: 21")]);
      expect((await look(trailed)).state).toBe("incomplete");
      expect(await look(trailed, 3_000)).toEqual(complete);
    }
  });

  it("reads a JPEG with a segment of a wrong length, as decoders do", async () => {
    const { bytes, complete } = samples.get("jpeg") as { bytes: Buffer; complete: Inspection };
    const comment = Buffer.concat([bytes.subarray(0, 2), Buffer.from("fffe0ffe", "hex"), Buffer.alloc(4_700), bytes.subarray(2)]);
    expect(await look(comment)).toEqual(complete);
    expect(await look(comment.subarray(0, 3_000), 3_000)).toMatchObject({ state: "incomplete" });
    await sharp(comment, { failOn: "error" }).stats();
  });

  it("takes a whole JPEG without its end marker as complete once it is quiet, also with bytes behind it", async () => {
    const { bytes, complete } = samples.get("jpeg") as { bytes: Buffer; complete: Inspection };
    const open = bytes.subarray(0, -2);
    for (const whole of [open, Buffer.concat([open, Buffer.alloc(5_000)]), Buffer.concat([open, Buffer.from("camera: front")])]) {
      expect((await look(whole)).state).toBe("incomplete");
      expect(await look(whole, 3_000)).toEqual(complete);
      const { bytes: mended, isCutOff } = await mendPicture(whole);
      expect(isCutOff).toBe(false);
      await sharp(mended, { failOn: "error" }).stats();
    }
    expect((await mendPicture(bytes)).bytes).toBe(bytes);
  });

  it("takes a JPEG that was cut off as complete after two minutes, and mends it for strict decoders", async () => {
    const { bytes, complete } = samples.get("jpeg") as { bytes: Buffer; complete: Inspection };
    for (const length of [bytes.length - 40, Math.floor(bytes.length / 2)]) {
      const cut = bytes.subarray(0, length);
      expect((await look(cut, 60_000)).state).toBe("incomplete");
      expect(await look(cut, 120_000)).toEqual(complete);
      await expect(sharp(cut, { failOn: "error" }).stats()).rejects.toThrow();
      const { bytes: mended, isCutOff } = await mendPicture(cut);
      expect(isCutOff).toBe(true);
      await sharp(mended, { failOn: "error" }).stats();
    }
    const noData = bytes.subarray(0, 300);
    expect((await look(noData, 120_000)).state).toBe("incomplete");
    for (const other of [sample("webp"), Buffer.from("<html>"), Buffer.from([0xff, 0xd8]), Buffer.from([0x89])]) {
      expect(await mendPicture(other)).toEqual({ bytes: other, isCutOff: false });
    }
  });

  it.each(["png", "interlaced png", "png with a palette"])(
    "takes a %s that was cut off as complete after two minutes, and fills it up",
    async (name) => {
      const { bytes, complete } = samples.get(name) as { bytes: Buffer; complete: Inspection };
      const pixels = await sharp(bytes).raw().toBuffer();
      const cut = bytes.subarray(0, Math.floor(bytes.length / 2));
      expect((await look(cut, 60_000)).state).toBe("incomplete");
      expect(await look(cut, 120_000)).toEqual(complete);
      if (name === "png") await expect(sharp(cut, { failOn: "error" }).stats()).rejects.toThrow();
      const { bytes: mended, isCutOff } = await mendPicture(cut);
      expect(isCutOff).toBe(true);
      const shown = await sharp(mended, { failOn: "error" }).raw().toBuffer();
      expect(shown).toHaveLength(pixels.length);
      if (name === "png") {
        expect(shown.subarray(0, pixels.length / 4)).toEqual(pixels.subarray(0, pixels.length / 4));
        expect(shown.subarray(-300)).toEqual(Buffer.alloc(300));
      }
      // there is nothing to show of a file without picture data
      expect((await look(bytes.subarray(0, 36), 120_000)).state).toBe("incomplete");
    },
  );

  it("takes a whole PNG without its end as complete once it is quiet, also with bytes or zeros behind it", async () => {
    const { bytes, complete } = samples.get("png") as { bytes: Buffer; complete: Inspection };
    for (const whole of [bytes.subarray(0, -12), bytes.subarray(0, -6), Buffer.concat([bytes.subarray(0, -12), Buffer.alloc(5_000)])]) {
      expect((await look(whole)).state).toBe("incomplete");
      expect(await look(whole, 3_000)).toEqual(complete);
      const { bytes: mended, isCutOff } = await mendPicture(whole);
      expect(isCutOff).toBe(false);
      expect(await sharp(mended, { failOn: "error" }).raw().toBuffer()).toEqual(await sharp(bytes).raw().toBuffer());
    }
    const trailed = Buffer.concat([bytes, Buffer.from("camera: front")]);
    expect((await mendPicture(trailed)).bytes).toBe(trailed);
    await sharp(trailed, { failOn: "error" }).stats();
  });

  it("corrects wrong checksums in a PNG, which strict decoders refuse", async () => {
    const bytes = Buffer.from(sample("png"));
    expect((await mendPicture(bytes)).bytes).toBe(bytes);
    const data = bytes.indexOf("IDAT", 0, "latin1");
    const wrong = Buffer.from(bytes);
    wrong.writeUInt32BE(0, data + 4 + wrong.readUInt32BE(data - 4));
    wrong.writeUInt32BE(0, 29);
    expect(await look(wrong)).toMatchObject({ state: "complete" });
    const { bytes: mended, isCutOff } = await mendPicture(wrong);
    expect(isCutOff).toBe(false);
    expect(mended.equals(bytes)).toBe(true);
  });

  it("waits for a file that was given its length before its content", async () => {
    const bytes = sample("jpeg");
    const half = Buffer.concat([bytes.subarray(0, 20_000), Buffer.alloc(bytes.length - 20_000)]);
    expect((await look(half, 60_000)).state).toBe("incomplete");
    expect((await look(Buffer.alloc(1_000), 60_000)).state).toBe("incomplete");
  });

  it("refuses what is no picture, once it is quiet", async () => {
    for (const text of ["<html>", "530 Login incorrect\r\n", "a", "RIFF\x00\x00\x00\x00WAVEfmt ", "%PDF-1.7"]) {
      expect((await look(Buffer.from(text))).state, text).toBe("incomplete");
      expect(await look(Buffer.from(text), 3_000), text).toMatchObject({ state: "refused", reason: "not_an_image" });
    }
  });

  it.each([
    ["image/gif", "GIF89a\x01\x00\x01\x00"],
    ["image/heic", "\x00\x00\x00\x18ftypheic\x00\x00\x00\x00"],
    ["image/avif", "\x00\x00\x00\x18ftypavif\x00\x00\x00\x00"],
    ["image/tiff", "II*\x00\x08\x00\x00\x00"],
    ["image/bmp", `BM\x00\x10\x00\x00\x00\x00\x00\x00${"\x00".repeat(20)}`],
  ])("names %s as unsupported", async (mediaType, head) => {
    expect(await look(Buffer.from(head, "latin1"))).toMatchObject({ state: "refused", reason: "unsupported", mediaType });
  });

  it("reads the size of a picture of 50 megapixels and refuses one of more, without decoding either", async () => {
    const bytes = Buffer.from(sample("png"));
    bytes.writeUInt32BE(10_000, 16);
    bytes.writeUInt32BE(5_000, 20);
    expect(await look(bytes)).toMatchObject({ state: "complete", width: 10_000, height: 5_000 });
    bytes.writeUInt32BE(5_001, 20);
    expect(await look(bytes)).toMatchObject({ state: "refused", reason: "too_large" });
    bytes.writeUInt32BE(0xffffffff, 16);
    bytes.writeUInt32BE(0xffffffff, 20);
    expect(await look(bytes)).toMatchObject({ state: "refused", reason: "too_large" });
  });

  it.skipIf(!ffmpeg)("takes a recording that does not say where it ends once it is quiet", async () => {
    const fragmented = await readFile(await makeVideo(folder, "mp4", 4, ["-movflags", "frag_keyframe+empty_moov"]));
    const live = await readFile(await makeVideo(folder, "mkv", 4, ["-live", "1"]));
    for (const bytes of [fragmented, live]) {
      expect((await look(bytes, 1_000)).state).toBe("incomplete");
      expect((await look(bytes, 11_000)).state).toBe("complete");
    }
  });

  it("never throws, and always ends, whatever the bytes are", async () => {
    const names = [...samples.keys()];
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...names),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 30 }),
        fc.nat(400),
        fc.constantFrom(0, 3_000, 60_000),
        async (name, part, changes, within, quietMs) => {
          const bytes = Buffer.from(sample(name).subarray(0, Math.ceil(sample(name).length * part)));
          // most decisions depend on the header
          for (const [at, value] of changes) if (bytes.length > 0) bytes[at % Math.min(bytes.length, within + 8)] = value;
          const { state } = await look(bytes, quietMs);
          expect(["complete", "incomplete", "refused"]).toContain(state);
        },
      ),
      { numRuns: 1_500 },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.constantFrom("\xff\xd8\xff", "\x89PNG\r\n\x1a\n", "RIFF0000WEBP", "0000ftypisom", "\x1a\x45\xdf\xa3", "RIFF0000AVI "),
        async (random, magic) => {
          expect((await look(Buffer.concat([Buffer.from(magic, "latin1"), random]), 60_000)).state).toBeTypeOf("string");
        },
      ),
      { numRuns: 1_500 },
    );
  });
});
