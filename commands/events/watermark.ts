import { readFile, rename, writeFile } from "node:fs/promises";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason, writingReason } from "../../src/platform/disk/file-reason.ts";
import { replacedFile } from "../../src/platform/disk/replaced-file.ts";

/** The time up to which events were exported; undefined when there is no file yet. Throws `Problem("invalid")` for another file. */
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
  if (Number.isNaN(time.getTime())) throw new Problem("invalid", `--watermark ${file} holds no time; delete it to export everything again`);
  return time;
}

/** Replaces the file in one step, so that it always holds a whole time. Throws `Problem("invalid")` when it cannot. */
export async function writeWatermark(file: string, time: Date): Promise<void> {
  try {
    const place = replacedFile(file);
    await writeFile(`${place}.part`, `${time.toISOString()}\n`);
    await rename(`${place}.part`, place);
  } catch (cause) {
    throw new Problem("invalid", `--watermark ${file} cannot be written: ${writingReason(cause)}`, { cause });
  }
}
