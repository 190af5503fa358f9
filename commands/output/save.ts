import { createWriteStream, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Problem } from "../../src/contract/problem.ts";
import { isWritingTrouble, writingReason } from "../../src/platform/disk/file-reason.ts";
import type { View } from "./view.ts";

/** Pictures and events of a home are for the user who asked for them. */
const ownerOnly = 0o600;

/** Writes a new file that only this user can read. Throws `Problem("conflict")` if it exists, `Problem("invalid")` if it cannot be written. */
export async function saveNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: "wx", mode: ownerOnly });
  } catch (cause) {
    throw problemOf(file, cause);
  }
}

/** Writes a new file part by part, which only this user can read. Removes it again after an error or when interrupted, so that no incomplete file remains. */
export async function streamNew(file: string, parts: AsyncIterable<Uint8Array>, interrupted: AbortSignal): Promise<void> {
  let isOurs = false;
  // Synchronous: on an interrupt the program exits without waiting for promises
  const remove = (): void => {
    if (isOurs) rmSync(file, { force: true });
  };
  interrupted.addEventListener("abort", remove);
  try {
    const target = createWriteStream(file, { flags: "wx", mode: ownerOnly });
    target.once("open", () => {
      isOurs = true;
    });
    await pipeline(parts, target);
  } catch (cause) {
    remove();
    throw problemOf(file, cause);
  } finally {
    interrupted.removeEventListener("abort", remove);
  }
}

function problemOf(file: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return new Problem("conflict", `${file} already exists; choose another name with --to`, { cause });
  return isWritingTrouble(cause) ? new Problem("invalid", `${file} cannot be written: ${writingReason(cause)}`, { cause }) : cause;
}

/** A file that a command wrote. */
export interface Saved {
  readonly file: string;
  readonly media_type: string;
  readonly size_bytes: number;
}

export const savedView: View<Saved> = {
  plural: "files",
  fields: () => ["file", "media_type", "size_bytes"],
  id: (saved) => saved.file,
  columns: [],
  details: (saved) => [["saved", { text: `${saved.file} (${saved.size_bytes} bytes)` }]],
};

/** The file name extension of a picture. */
export function extensionOf(mediaType: string): string {
  return { "image/png": "png", "image/webp": "webp" }[mediaType] ?? "jpg";
}
