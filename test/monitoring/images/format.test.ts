import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { NewDetectionItem } from "../../../src/contract/routes/detections.ts";
import { bufferSource } from "../../../src/monitoring/images/byte-source.ts";
import { contentOf, formatOf, headBytes, readMediaTypes } from "../../../src/monitoring/images/format.ts";
import { inspect, isSideFile, kindOf } from "../../../src/monitoring/images/picture.ts";
import { extractFrames, hasFfmpeg } from "../../../src/monitoring/images/video.ts";

const ffmpeg = await hasFfmpeg();
const streams = new Map<string, { readonly bytes: Buffer; readonly mediaType: string }>();
let folder: string;
let jpeg: Buffer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "homesec-format-"));
  jpeg = await readFile(new URL("../../fixtures/pictures/walkway-0001.jpg", import.meta.url));
  streams.set("dav", { bytes: davOf(jpeg, 5), mediaType: "video/x-dav" });
  if (!ffmpeg) return;
  for (const [name, mediaType, ...options] of [
    ["flv", "video/x-flv", "-c:v", "flv1"],
    ["mpg", "video/mpeg", "-r", "25", "-c:v", "mpeg2video", "-f", "mpeg"],
    ["ts", "video/mp2t", "-f", "mpegts"],
    ["m2ts", "video/mp2t", "-f", "mpegts", "-mpegts_m2ts_mode", "1"],
    ["264", "video/h264", "-c:v", "libx264", "-f", "h264"],
    ["265", "video/h265", "-c:v", "libx265", "-f", "hevc"],
  ] as const) {
    const path = join(folder, `sample.${name}`);
    const input = ["-f", "lavfi", "-i", "testsrc=duration=3:size=160x120:rate=5", "-pix_fmt", "yuv420p"];
    await execa("ffmpeg", ["-loglevel", "error", "-y", ...input, ...options, path]);
    streams.set(name, { bytes: await readFile(path), mediaType });
  }
  const program = streams.get("mpg")?.bytes as Buffer;
  streams.set("mpg of a recorder", { bytes: Buffer.concat([recorderHeader(), program]), mediaType: "video/mpeg" });
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** A recording of a recorder: JPEG frames, each in a chunk with its length before and after it. */
function davOf(frame: Buffer, frames: number): Buffer {
  const chunks = Array.from({ length: frames }, (_, n) => {
    const extension = Buffer.from([0x80, 0, 96, 72, 0x81, 0, 3, 1]);
    const head = Buffer.alloc(24);
    const length = head.length + extension.length + frame.length + 8;
    head.write("DHAV", 0, "latin1");
    head[4] = 0xfd;
    head.writeUInt32LE(n, 8);
    head.writeUInt32LE(length, 12);
    // seconds, minutes, hours, day, month and years since 2000, from the lowest bits on
    head.writeUInt32LE(n | (7 << 6) | (14 << 12) | (25 << 17) | (11 << 22) | (26 << 26), 16);
    head.writeUInt16LE((n * 1_000) % 65_536, 20);
    head[22] = extension.length;
    const tail = Buffer.alloc(8);
    tail.write("dhav", 0, "latin1");
    tail.writeUInt32LE(length, 4);
    return Buffer.concat([head, extension, frame, tail]);
  });
  return Buffer.concat(chunks);
}

function recorderHeader(): Buffer {
  const header = Buffer.alloc(40);
  header.write("IMKH", 0, "latin1");
  header.writeUInt16LE(0x101, 4);
  return header;
}

describe("format: streams and recordings", () => {
  it.skipIf(!ffmpeg)("recognises each by its beginning, waits until it is quiet, and ffmpeg reads a frame", async () => {
    expect(streams.size).toBe(8);
    for (const [name, { bytes, mediaType }] of streams) {
      expect(formatOf(bytes.subarray(0, headBytes))?.mediaType, name).toBe(mediaType);
      const source = bufferSource(bytes);
      expect((await inspect(source, 3_000)).state, name).toBe("incomplete");
      expect(await inspect(source, 11_000), name).toEqual({ state: "complete", mediaType, width: null, height: null });
      const path = join(folder, name);
      await writeFile(path, bytes);
      const frames = [];
      for await (const frame of extractFrames(path)) frames.push(frame);
      expect(frames.length, name).toBeGreaterThanOrEqual(1);
      expect(formatOf(frames[0]?.bytes.subarray(0, headBytes) as Buffer)?.mediaType, name).toBe("image/jpeg");
    }
  });

  it("refuses what no one can read, with the reason and the fix", async () => {
    const wmv = Buffer.concat([Buffer.from("3026b2758e66cf11a6d900aa0062ce6c", "hex"), Buffer.alloc(500, 1)]);
    expect(await inspect(bufferSource(wmv), 3_000)).toMatchObject({
      state: "refused",
      reason: "unsupported",
      mediaType: "video/x-ms-asf",
      detail: expect.stringContaining("MP4, MOV, MKV or AVI"),
    });
  });

  it("every format that is read may be stored and served", () => {
    const { file_type: type } = NewDetectionItem.shape;
    expect([...readMediaTypes].filter((mediaType) => !type.safeParse(mediaType).success)).toEqual([]);
  });
});

describe("format: the content of a file with any name", () => {
  it.each([
    ["nothing", "", "undecided"],
    ["a few bytes", "no picture", "undecided"],
    ["text", "no picture, ".repeat(10), "other"],
    ["zeros", "\0".repeat(600), "undecided"],
    ["text that starts like a packet", "GET / HTTP/1.1\n".repeat(6), "undecided"],
    ["more text that starts like a packet", "GET / HTTP/1.1\n".repeat(60), "other"],
    ["a GIF", `GIF89a${"\0".repeat(80)}`, "media"],
  ])("%s", (_title, text, expected) => expect(contentOf(Buffer.from(text, "latin1").subarray(0, headBytes))).toBe(expected));

  it("a longer beginning of the same file never turns a picture into something else", () => {
    fc.assert(
      fc.property(fc.integer({ min: 16, max: headBytes }), (length) => {
        expect(contentOf(jpeg.subarray(0, length))).toBe("media");
      }),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: headBytes, maxLength: headBytes }),
        fc.integer({ min: 64, max: headBytes }),
        (bytes, length) => {
          // a decision on a beginning holds for the whole
          const [part, whole] = [contentOf(Buffer.from(bytes.subarray(0, length))), contentOf(Buffer.from(bytes))];
          if (part !== "undecided") expect(whole).toBe(part);
        },
      ),
    );
  });
});

describe("format: names", () => {
  it.each(["a.dav", "a.FLV", "a.ts", "a.264", "a.h265", "a.mpg", "a.3gp", "a.webm"])("%s is a video", (name) =>
    expect(kindOf(name)).toBe("video"),
  );
  it.each(["a.wmv", "a.jp2"])("%s is not read", (name) => expect(kindOf(name)).toBe("unsupported"));
  it.each(["a.jpg.filepart", "a.jpg.upload"])("%s is unfinished", (name) => expect(kindOf(name)).toBe("temporary"));
  it.each(["a.jpg.1", "a", "a.jpg?x", "2026-11-25", "192.168.1.5"])("the content decides about %s", (name) => {
    expect([kindOf(name), isSideFile(name)]).toEqual(["other", false]);
  });
  it.each(["a.txt", "a.IDX", "Thumbs.db", "a.tar.gz"])("%s is a side file", (name) => {
    expect([kindOf(name), isSideFile(name)]).toEqual(["other", true]);
  });
});
