import { readFile, rename, writeFile } from "node:fs/promises";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason, writingReason } from "../../src/platform/disk/file-reason.ts";
import { replacedFile } from "../../src/platform/disk/files.ts";

/** The time of the last exported event; undefined if there is no file yet. Throws `Problem("invalid")` if the file holds something else. */
export async function readWatermark(file: string): Promise<Date | undefined> {
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Problem("invalid", `--watermark ${file} cannot be read: ${readingReason(cause)}`, { cause });
  }
  const time = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text.trim()) ? new Date(text.trim()) : new Date(Number.NaN);
  if (Number.isNaN(time.getTime()))
    throw new Problem("invalid", `--watermark ${file} does not contain a time; delete it to export everything again`);
  return time;
}

/** Replaces the file atomically. Throws `Problem("invalid")` if that fails. */
export async function writeWatermark(file: string, time: Date): Promise<void> {
  try {
    const place = replacedFile(file);
    await writeFile(`${place}.part`, `${time.toISOString()}\n`);
    await rename(`${place}.part`, place);
  } catch (cause) {
    throw new Problem("invalid", `--watermark ${file} cannot be written: ${writingReason(cause)}`, { cause });
  }
}
