import fc from "fast-check";
import sharp from "sharp";
import { describe, expect, it } from "vitest";
import { exifTime } from "../../../src/monitoring/camera-times/exif.ts";
import { bufferSource } from "../../../src/monitoring/images/byte-source.ts";
import { exifBlock } from "../../../src/monitoring/images/exif-block.ts";

const blank = () => sharp({ create: { width: 32, height: 24, channels: 3, background: "#456" } });
const formats = { "image/jpeg": "jpeg", "image/png": "png", "image/webp": "webp" } as const;

/** A picture with these EXIF fields, as a camera writes them. */
async function picture(
  mediaType: keyof typeof formats,
  fields: Record<string, string>,
  main: Record<string, string> = {},
): Promise<Buffer> {
  return await blank()
    .withExif({ IFD0: { Make: "Camera", ...main }, IFD2: fields })
    .toFormat(formats[mediaType])
    .toBuffer();
}

async function read(bytes: Buffer, mediaType: string): Promise<unknown> {
  const block = await exifBlock(bufferSource(bytes), mediaType);
  return block && exifTime(block);
}

const time = { DateTimeOriginal: "2025:03:14 09:30:15", SubSecTimeOriginal: "25", OffsetTimeOriginal: "+01:00" };
const shownMs = Date.parse("2025-03-14T09:30:15.250Z");

describe("EXIF", () => {
  it.each(Object.keys(formats) as (keyof typeof formats)[])("%s: the time, its fraction and its offset are read", async (mediaType) => {
    expect(await read(await picture(mediaType, time), mediaType)).toEqual({ shownMs, offsetMinutes: 60 });
  });

  it("without an offset the time is that of the camera's zone; other times count only without the original one", async () => {
    const { OffsetTimeOriginal: _, ...local } = time;
    expect(await read(await picture("image/jpeg", local), "image/jpeg")).toEqual({ shownMs, offsetMinutes: null });
    const changed = await picture("image/jpeg", {}, { DateTime: "2025:03:14 09:30:15" });
    expect(await read(changed, "image/jpeg")).toMatchObject({ shownMs: shownMs - 250 });
  });

  it("a clock that was never set, and a picture without EXIF, have no time", async () => {
    for (const text of ["0000:00:00 00:00:00", "    :  :     :  :  ", "2025:02:30 10:00:00", "yesterday"])
      expect(await read(await picture("image/jpeg", { DateTimeOriginal: text }), "image/jpeg")).toBeNull();
    for (const [mediaType, format] of Object.entries(formats))
      expect(await read(await blank().toFormat(format).toBuffer(), mediaType)).toBeUndefined();
    expect(await read(Buffer.from("no picture"), "video/mp4")).toBeUndefined();
  });

  it("hostile bytes give no time and no error", async () => {
    const whole = Object.fromEntries(
      await Promise.all(
        Object.keys(formats).map(async (mediaType) => [mediaType, await picture(mediaType as keyof typeof formats, time)] as const),
      ),
    );
    const change = fc.record({ at: fc.nat(2_000), value: fc.nat(255) });
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...Object.keys(formats)),
        fc.array(change, { maxLength: 30 }),
        fc.nat(3_000),
        async (mediaType, changes, length) => {
          const bytes = Buffer.from(whole[mediaType] ?? Buffer.alloc(0)).subarray(0, length);
          for (const { at, value } of changes) if (at < bytes.length) bytes[at] = value;
          const found = (await read(bytes, mediaType)) as { shownMs: number } | null | undefined;
          expect(found === null || found === undefined || Number.isFinite(found.shownMs)).toBe(true);
        },
      ),
      { numRuns: 1_000 },
    );
    fc.assert(
      fc.property(fc.constantFrom("II*\0", "MM\0*", "Exif\0\0II*\0"), fc.uint8Array({ maxLength: 300 }), (head, rest) => {
        const found = exifTime(Buffer.concat([Buffer.from(head, "latin1"), rest]));
        expect(found === null || Number.isFinite(found.shownMs)).toBe(true);
      }),
    );
  });
});
