import { createWriteStream, rmSync } from "node:fs";
import { rm, writeFile } from "node:fs/promises";
import { pipeline } from "node:stream/promises";
import { Problem } from "../../src/contract/problem.ts";

/** Writes a file that must not be there yet. Throws `Problem` for one that is, and for a place where none can be. */
export async function saveNew(file: string, bytes: Uint8Array): Promise<void> {
  try {
    await writeFile(file, bytes, { flag: "wx" });
  } catch (cause) {
    throw unwritable(file, (cause as NodeJS.ErrnoException).code, cause);
  }
}

/** The same for parts as they come. What broke off in the middle, or was interrupted, is not left lying there as if it were whole. */
export async function streamNew(file: string, parts: AsyncIterable<Uint8Array>, interrupted: AbortSignal): Promise<void> {
  const target = createWriteStream(file, { flags: "wx" });
  let isOurs = false;
  target.once("open", () => {
    isOurs = true;
  });
  // at once: the program ends without waiting for the rest
  const remove = (): void => {
    if (isOurs) rmSync(file, { force: true });
  };
  interrupted.addEventListener("abort", remove);
  try {
    await pipeline(parts, target);
  } catch (cause) {
    const code =
      cause instanceof Error && "syscall" in cause && cause.syscall !== "write" ? (cause as NodeJS.ErrnoException).code : undefined;
    if (code !== undefined) throw unwritable(file, code, cause);
    await rm(file, { force: true });
    throw cause;
  } finally {
    interrupted.removeEventListener("abort", remove);
  }
}

function unwritable(file: string, code: string | undefined, cause: unknown): Problem {
  if (code === "EEXIST") return new Problem("conflict", `${file} is there already; choose another name with --to`, { cause });
  return new Problem("invalid", `${file} cannot be written: ${code}; choose another place with --to`, { cause });
}
