import { createWriteStream, rmSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Problem } from "../../src/contract/problem.ts";
import { isWritingTrouble, writingReason } from "../../src/platform/disk/file-reason.ts";

/** Writes a file that must not be there yet. Throws `Problem` for one that is, and for a place where none can be. */
export async function saveNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: "wx" });
  } catch (cause) {
    throw explained(file, cause);
  }
}

/** The same for parts as they come. What broke off in the middle, or was interrupted, is not left lying there as if it were whole. */
export async function streamNew(file: string, parts: AsyncIterable<Uint8Array>, interrupted: AbortSignal): Promise<void> {
  let isOurs = false;
  // at once: the program ends without waiting for the rest
  const remove = (): void => {
    if (isOurs) rmSync(file, { force: true });
  };
  interrupted.addEventListener("abort", remove);
  try {
    const target = createWriteStream(file, { flags: "wx" });
    target.once("open", () => {
      isOurs = true;
    });
    await pipeline(parts, target);
  } catch (cause) {
    remove();
    throw explained(file, cause);
  } finally {
    interrupted.removeEventListener("abort", remove);
  }
}

function explained(file: string, cause: unknown): unknown {
  const { code } = cause as NodeJS.ErrnoException;
  if (code === "EEXIST") return new Problem("conflict", `${file} is there already; choose another name with --to`, { cause });
  return isWritingTrouble(cause) ? new Problem("invalid", `${file} cannot be written: ${writingReason(cause)}`, { cause }) : cause;
}
