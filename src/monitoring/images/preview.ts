import { dirname } from "node:path";
import { createSemaphore } from "../../base/async/semaphore.ts";
import { Problem } from "../../contract/problem.ts";
import { readWithTimeout } from "../../platform/disk/fs-timeout.ts";
import { openReal } from "../../platform/disk/open-real.ts";
import { mostPixels } from "./picture.ts";

/** Limits concurrent decoding for previews: a page with many cameras asks for all of them at once. */
const decoding = createSemaphore({
  max: 2,
  timeout: { ms: 30_000, error: () => new Problem("unavailable", "Too many ask for pictures just now; try again") },
});

/**
 * Returns a picture file as WebP, upright and at most `width` pixels wide, or undefined when the file is gone or cannot be decoded. Throws
 * what `readWithTimeout` throws when its disk does not answer.
 */
export async function previewOf(path: string, width: number): Promise<Buffer | undefined> {
  return await decoding.run(async () => {
    const bytes = await readWithTimeout(dirname(path), () => readReal(path));
    if (!bytes) return undefined;
    const { sharp } = await import("./decoder.ts");
    try {
      const image = sharp(bytes, { limitInputPixels: mostPixels, failOn: "none" });
      return await image.autoOrient().resize({ width, withoutEnlargement: true }).webp({ quality: 75, effort: 2 }).toBuffer();
    } catch {
      return undefined;
    }
  });
}

async function readReal(path: string): Promise<Buffer | undefined> {
  const file = await openReal(path);
  try {
    return await file?.readFile();
  } finally {
    await file?.close();
  }
}
