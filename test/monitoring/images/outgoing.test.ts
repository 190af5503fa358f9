import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import sharp from "sharp";
import { expect, it } from "vitest";
import { contains, type Point, polygonFault } from "../../../src/contract/polygon.ts";
import { outgoing } from "../../../src/monitoring/images/outgoing.ts";
import { literalOf } from "../../../src/monitoring/zones/zone.ts";

const [width, height] = [160, 120];
const white = () => sharp({ create: { width, height, channels: 3, background: "#fff" } });

/** How bright a picture is at each pixel, 0 to 255, when it is upright. */
async function brightness(bytes: Buffer): Promise<{ readonly width: number; readonly at: (x: number, y: number) => number }> {
  const { data, info } = await sharp(bytes).greyscale().raw().toBuffer({ resolveWithObject: true });
  return { width: info.width, at: (x, y) => data[(y * info.width + x) * info.channels] ?? -1 };
}

const upperLeft: readonly Point[] = [
  { x: 0, y: 0 },
  { x: 0.5, y: 0 },
  { x: 0.5, y: 0.5 },
  { x: 0, y: 0.5 },
];

it("private zones: every pixel inside is black, and those further away stay", async () => {
  const picture = { bytes: await white().png().toBuffer(), mediaType: "image/png" };
  const corner = fc.record({ x: fc.double({ min: 0, max: 1, noNaN: true }), y: fc.double({ min: 0, max: 1, noNaN: true }) });
  const polygons = fc.array(corner, { minLength: 3, maxLength: 6 }).filter((points) => polygonFault(points) === undefined);
  await fc.assert(
    fc.asyncProperty(fc.array(polygons, { minLength: 1, maxLength: 3 }), async (zones) => {
      const sent = await outgoing(picture, zones.map(literalOf));
      expect(sent.mediaType).toBe("image/jpeg");
      const grey = await brightness(sent.bytes);
      for (let x = 4; x < width; x += 8) {
        for (let y = 4; y < height; y += 8) {
          const isIn = zones.some((zone) => contains(zone, { x: x / width, y: y / height }));
          const place = `${x}, ${y} of ${JSON.stringify(zones)}`;
          if (isIn) expect(grey.at(x, y), place).toBeLessThan(64);
          // JPEG mixes the pixels of a block, and the edge is a little wider than the zone
          else if (zones.every((zone) => distanceToEdge(zone, x, y) > 20)) expect(grey.at(x, y), place).toBeGreaterThan(200);
        }
      }
    }),
    { numRuns: 15 },
  );
});

/** The distance to the next edge of a zone, in pixels. */
function distanceToEdge(zone: readonly Point[], x: number, y: number): number {
  return Math.min(
    ...zone.map((corner, at) => {
      const [a, b] = [corner, zone[(at + 1) % zone.length] as Point].map((point) => ({
        x: point.x * width - x,
        y: point.y * height - y,
      })) as [Point, Point];
      const [dx, dy] = [b.x - a.x, b.y - a.y];
      const share = Math.min(1, Math.max(0, -(a.x * dx + a.y * dy) / (dx * dx + dy * dy || 1)));
      return Math.hypot(a.x + share * dx, a.y + share * dy);
    }),
  );
}

it("private zones: lie in the upright picture, whatever its EXIF orientation and format", async () => {
  for (const format of ["jpeg", "png", "webp"] as const) {
    const turned = await white()
      .withExif({ IFD0: { Make: "Camera" } })
      .withMetadata({ orientation: 6 })
      .toFormat(format)
      .toBuffer();
    const { bytes } = await outgoing({ bytes: turned, mediaType: `image/${format}` }, [literalOf(upperLeft)]);
    const grey = await brightness(bytes);
    expect(grey.width, format).toBe(height);
    expect([grey.at(10, 10), grey.at(110, 10), grey.at(10, 150)].map((value) => value > 128)).toEqual([false, true, true]);
    const { exif, orientation } = await sharp(bytes).metadata();
    expect([exif, orientation]).toEqual([undefined, undefined]);
  }
});

it("private zones: without them the bytes stay as they are, and what cannot be decoded does not leave", async () => {
  const picture = { bytes: Buffer.from("no picture"), mediaType: "image/jpeg" };
  expect(await outgoing(picture, [])).toBe(picture);
  await expect(outgoing(picture, [literalOf(upperLeft)])).rejects.toThrow();
});

it("private zones: only modules that black them out read a camera's pictures for someone outside", () => {
  const readers = /\b(readUnchanged|readFrames|extractFrames|openReal|outgoingFile)\(/;
  const root = join(import.meta.dirname, "../../../src");
  const found = readdirSync(root, { recursive: true, encoding: "utf8" })
    .filter((path) => /\.tsx?$/.test(path) && readers.test(readFileSync(join(root, path), "utf8")))
    .toSorted();
  // A new one must call `outgoing` before the picture leaves, and then stand here
  expect(found).toEqual([
    "admin/evidence/originals.ts",
    "monitoring/detections/picture.ts",
    "monitoring/images/compare.ts",
    "monitoring/images/operations.ts",
    "monitoring/images/preview.ts",
    "monitoring/images/video.ts",
    "pipeline/detect.ts",
    "pipeline/enrich.ts",
    "pipeline/read-picture.ts",
    "pipeline/read-video.ts",
    "platform/disk/open-real.ts",
    "work/operations/direct-client.ts",
  ]);
});
