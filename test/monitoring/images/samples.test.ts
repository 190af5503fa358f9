import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import { deflateRawSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { bufferSource } from "../../../src/monitoring/images/byte-source.ts";
import { goesOn, hasManyWords, samplesOf } from "../../../src/monitoring/images/samples.ts";
import { picturePath, uniqueJpeg } from "../../support/pictures.ts";

const block = 4_096;

async function isContinued(earlier: Buffer, later: Buffer, mediaType = "video/mp4"): Promise<boolean> {
  const sampled = async (bytes: Buffer) => ({ mediaType, samples: await samplesOf(bufferSource(bytes), mediaType) });
  return goesOn(await sampled(earlier), await sampled(later));
}

const sizes = fc.integer({ min: 2 * block, max: 60 * block });

describe("versions of a file", () => {
  it("go on if the later one begins with the earlier one", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.constantFrom("video/mp4", "image/jpeg"), async (before, more, mediaType) => {
        const bytes = randomBytes(before + more);
        expect(await isContinued(bytes.subarray(0, before), bytes, mediaType)).toBe(true);
        expect(await isContinued(bytes, bytes, mediaType)).toBe(true);
      }),
      { numRuns: 50 },
    );
  });

  it("do not go on if they have only a header in common", async () => {
    await fc.assert(
      fc.asyncProperty(sizes, sizes, fc.constantFrom("video/mp4", "image/jpeg"), async (one, other, mediaType) => {
        const header = randomBytes(block);
        const [a, b] = [one, other].map((size) => Buffer.concat([header, randomBytes(size)])) as [Buffer, Buffer];
        expect(await isContinued(a, b, mediaType)).toBe(false);
      }),
      { numRuns: 50 },
    );
  });

  it("go on if a recorder corrected the beginning of a video when it closed it", async () => {
    const recording = randomBytes(100 * block);
    const closed = Buffer.concat([randomBytes(300), recording.subarray(300), randomBytes(9_000)]);
    expect(await isContinued(recording, closed)).toBe(true);
    // a picture with another beginning is another picture
    expect(await isContinued(recording, closed, "image/jpeg")).toBe(false);
  });

  it("go on if a video gave back the room that it had reserved", async () => {
    const recording = randomBytes(50 * block);
    expect(await isContinued(Buffer.concat([recording, Buffer.alloc(100 * block)]), recording)).toBe(true);
  });

  it("go on if a picture was written over another one in two steps, and not if each is another picture", async () => {
    const [old, next] = await Promise.all([readFile(picturePath(0)), readFile(picturePath(3))]);
    const half = Buffer.concat([next.subarray(0, 20_000), old.subarray(20_000)]);
    expect(await isContinued(half, next, "image/jpeg")).toBe(true);
    expect(await isContinued(old, half, "image/jpeg")).toBe(false);
    expect(await isContinued(old, next, "image/jpeg")).toBe(false);
    const [one, other] = await Promise.all([uniqueJpeg(), uniqueJpeg()]);
    expect(await isContinued(one, other, "image/jpeg")).toBe(false);
  });

  it("do not go on if two pictures only have a black top in common", async () => {
    const top = Buffer.concat([randomBytes(600), Buffer.from("28a28a00".repeat(5_000), "hex")]);
    const [one, other] = [Buffer.concat([top, randomBytes(30_000)]), Buffer.concat([top, randomBytes(30_000)])];
    expect(await isContinued(one, other, "image/jpeg")).toBe(false);
  });

  it("a piece of many different words never shrinks to an eighth, whatever repeats in it", () => {
    const piece = fc
      .tuple(fc.uint8Array({ minLength: 1, maxLength: 1_500 }), fc.integer({ min: 1, max: 256 }))
      .map(([bytes, kinds]) => Buffer.from(Uint8Array.from({ length: block }, (_, at) => (bytes[at % bytes.length] ?? 0) % kinds)));
    fc.assert(
      fc.property(piece, (bytes) => !(hasManyWords(bytes) && deflateRawSync(bytes, { level: 1 }).length < block / 8)),
      { numRuns: 500 },
    );
  });

  it("prove nothing by equal bytes, without content, or in another format", async () => {
    expect(await isContinued(Buffer.alloc(40_000), Buffer.alloc(80_000))).toBe(false);
    expect(await isContinued(Buffer.alloc(40_000), Buffer.alloc(80_000), "image/jpeg")).toBe(false);
    expect(await isContinued(Buffer.from("short"), Buffer.from("short"))).toBe(false);
    const samples = await samplesOf(bufferSource(randomBytes(40_000)), "video/mp4");
    expect(goesOn({ mediaType: "video/mp4", samples }, { mediaType: "image/jpeg", samples })).toBe(false);
    expect(goesOn({ mediaType: null, samples }, { mediaType: null, samples })).toBe(false);
  });
});
