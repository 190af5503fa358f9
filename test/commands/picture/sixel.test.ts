import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import sharp from "sharp";
import { expect, it } from "vitest";
import { cellWidth } from "../../../commands/live/text.ts";
import { decode } from "../../../commands/picture/decode.ts";
import { createGraphics, drawn } from "../../../commands/picture/graphics.ts";
import { picturePath } from "../../support/pictures.ts";
import { decodeSixel } from "../../support/sixel.ts";

const file = await readFile(picturePath());
const image = await decode(file, true);
const screen = { protocol: "sixel", cell: { columns: 10, rows: 20 } } as const;

it("sixel: a terminal draws every pixel once, in nearly the colours of the picture", async () => {
  const { width, height, data, drawnPixels } = decodeSixel(drawn(screen, image, { columns: 40, rows: 15 }));
  expect(width).toBeLessThanOrEqual(400);
  expect(height).toBeLessThanOrEqual(300);
  expect(Math.max(width / 400, height / 300)).toBeGreaterThan(0.98);
  expect(drawnPixels).toBe(width * height);
  const wanted = await sharp(file).resize(width, height, { fit: "fill" }).removeAlpha().raw().toBuffer();
  const difference = data.reduce((sum, value, at) => sum + Math.abs(value - (wanted[at] ?? 0)), 0) / data.length;
  expect(difference).toBeLessThan(6);
});

it("sixel: a picture that is gone is written over, and one that stays is not sent again", () => {
  const graphics = createGraphics(screen, cellWidth);
  const frame = ["title", ...graphics.linesFor(image, { columns: 40, rows: 15 }).map((line) => `ab${line}`)];
  expect(graphics.update(frame, false).startsWith("\u001b[2;3H\u001bP0;1q")).toBe(true);
  expect(graphics.update(frame, false)).toBe("");
  expect(graphics.update(["title"], false)).toBe("");
});

it("sixel: noise on a huge screen stays within a megabyte and 800 x 600 pixels", async () => {
  const noise = await sharp(randomBytes(240 * 180 * 3), { raw: { width: 240, height: 180, channels: 3 } })
    .png()
    .toBuffer();
  const text = drawn(screen, await decode(noise, true), { columns: 300, rows: 90 });
  expect(text.length).toBeLessThan(1_000_000);
  expect(decodeSixel(text)).toMatchObject({ width: 800, height: 600, drawnPixels: 480_000 });
});

it.each([
  [1, 1],
  [7, 5],
  [400, 3],
])("sixel: a picture of %i x %i pixels is drawn whole", async (width, height) => {
  const tiny = await sharp({ create: { width, height, channels: 3, background: "#3366cc" } })
    .png()
    .toBuffer();
  const result = decodeSixel(drawn(screen, await decode(tiny, true), { columns: 4, rows: 1 }));
  expect(result.drawnPixels).toBe(result.width * result.height);
  expect([...result.data.subarray(0, 3)].map((value, at) => Math.abs(value - ([0x33, 0x66, 0xcc][at] ?? 0)) <= 2)).toEqual([
    true,
    true,
    true,
  ]);
});
