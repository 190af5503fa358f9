import sharp from "sharp";
import { expect, test } from "vitest";
import { drawMarks } from "../../../src/monitoring/detections/thumbnail.ts";

test("drawn boxes: lie on the picture at its full size, upright", async () => {
  // Stored sideways, with an orientation tag.
  const picture = await sharp({ create: { width: 300, height: 600, channels: 3, background: "#0000ff" } })
    .withMetadata({ orientation: 8 })
    .jpeg()
    .toBuffer();
  const box = { x: 100, y: 50, width: 200, height: 150 };
  const drawn = await drawMarks(picture, [{ box, label: "person 91%" }]);
  const { data, info } = await sharp(drawn).raw().toBuffer({ resolveWithObject: true });
  expect(info).toMatchObject({ width: 600, height: 300, channels: 3 });
  const red = (x: number, y: number) => data[3 * (y * info.width + x)] ?? 0;
  expect([red(100, 120), red(300, 120), red(200, 200)].every((value) => value > 150)).toBe(true);
  expect([red(200, 120), red(50, 120), red(500, 250)].every((value) => value < 80)).toBe(true);
});
