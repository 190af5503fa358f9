import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason, writingReason } from "../../src/platform/disk/file-reason.ts";
import { replacedFile } from "../../src/platform/disk/replaced-file.ts";

/** The sequence kept in the file; undefined when there is no file yet. Throws `Problem("invalid")` when it holds something else. */
export function readPlace(file: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Problem("invalid", `--state ${file} cannot be read: ${readingReason(cause)}`, { cause });
  }
  if (!/^\d{1,15}$/.test(text)) throw new Problem("invalid", `--state ${file} holds no sequence; delete it to begin anew`);
  return Number(text);
}

/** Replaces the file in one step, so that it always holds a whole number. Throws `Problem("invalid")` when it cannot. */
export function writePlace(file: string, sequence: number): void {
  try {
    const place = replacedFile(file);
    writeFileSync(`${place}.part`, `${sequence}\n`);
    renameSync(`${place}.part`, place);
  } catch (cause) {
    throw new Problem("invalid", `--state ${file} cannot be written: ${writingReason(cause)}`, { cause });
  }
}
