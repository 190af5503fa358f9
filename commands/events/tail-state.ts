import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason, writingReason } from "../../src/platform/disk/file-reason.ts";
import { replacedFile } from "../../src/platform/disk/files.ts";

/** The sequence in the file; undefined if there is no file yet. Throws `Problem("invalid")` if it holds something else. */
export function readSequence(file: string): number | undefined {
  let text: string;
  try {
    text = readFileSync(file, "utf8").trim();
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT") return undefined;
    throw new Problem("invalid", `--state ${file} cannot be read: ${readingReason(cause)}`, { cause });
  }
  if (!/^\d{1,15}$/.test(text)) throw new Problem("invalid", `--state ${file} does not contain a sequence; delete it to start over`);
  return Number(text);
}

/** Replaces the file atomically. Throws `Problem("invalid")` if that fails. */
export function writeSequence(file: string, sequence: number): void {
  try {
    const place = replacedFile(file);
    writeFileSync(`${place}.part`, `${sequence}\n`);
    renameSync(`${place}.part`, place);
  } catch (cause) {
    throw new Problem("invalid", `--state ${file} cannot be written: ${writingReason(cause)}`, { cause });
  }
}
