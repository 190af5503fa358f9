import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import plainSharp from "sharp";
import { afterAll, expect, it } from "vitest";
import { temporaryFolder } from "../../support/temporary.ts";

// created before the decoder is loaded, because that changes what sharp supports in this process
const plain = plainSharp({ create: { width: 8, height: 6, channels: 3, background: "#888" } });
const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="8" height="6"/>');
const files = {
  jpeg: await plain.jpeg().toBuffer(),
  png: await plain.png().toBuffer(),
  webp: await plain.webp().toBuffer(),
  gif: await plain.gif().toBuffer(),
  tiff: await plain.tiff().toBuffer(),
  avif: await plain.avif().toBuffer(),
  svg,
};
const { sharp } = await import("../../../src/monitoring/images/decoder.ts");
const folder = temporaryFolder("decoder");
afterAll(() => folder.remove());

/** Stores the file under the name of a picture, as a camera could. */
async function uploaded(kind: keyof typeof files): Promise<string> {
  const path = join(folder.path, `${kind}.jpg`);
  await writeFile(path, files[kind]);
  return path;
}

it.each(["jpeg", "png", "webp"] as const)("a %s is decoded", async (kind) => {
  expect(await sharp(await uploaded(kind)).metadata()).toMatchObject({ format: kind, width: 8, height: 6 });
});

it.each(["gif", "tiff", "avif", "svg"] as const)("a %s that calls itself a picture of a camera is not decoded at all", async (kind) => {
  await expect(sharp(await uploaded(kind)).metadata()).rejects.toThrow("unsupported image format");
});
