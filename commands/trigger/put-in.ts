import { randomBytes } from "node:crypto";
import { copyFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import { kindOf } from "../../src/monitoring/images/picture.ts";
import { writingReason } from "../../src/platform/disk/file-reason.ts";
import type { Host } from "../host.ts";

/**
 * Copies a file into a camera's folder under a temporary name and renames it then, as cameras do. Resolves to its path.
 * Throws `Problem("not_found")` without the file, `Problem("invalid")` for one that homesec does not read, and where the folder is not here.
 */
export async function putIn({ cwd, clock }: Host, file: string, folder: string): Promise<string> {
  const source = resolve(cwd, file);
  const found = await stat(source).catch(() => undefined);
  if (!found?.isFile()) throw new Problem("invalid", `${file} is not a file that can be read`);
  const kind = kindOf(source);
  if (kind === "other" || kind === "temporary" || kind === "unsupported") {
    throw new Problem("invalid", `${file} is no picture that homesec reads: jpg, png, webp, or a video`);
  }
  const target = await realpath(folder).catch(() => undefined);
  if (target === undefined) {
    throw new Problem("invalid", `the folder ${folder} of the camera is not on this machine; trigger works only where the daemon runs`);
  }
  const extension = extname(source);
  const time = clock
    .now()
    .toISOString()
    .replaceAll(/[^\dTZ]/g, "");
  // a name of its own, so that it is never taken for a picture that was sent before
  const name = `trigger-${time}-${randomBytes(3).toString("hex")}-${basename(source, extension).slice(0, 100)}${extension}`;
  const part = join(target, `.${name}.part`);
  try {
    await copyFile(source, part);
    await rename(part, join(target, name));
  } catch (cause) {
    await rm(part, { force: true });
    throw new Problem("invalid", `${file} cannot be copied into ${folder}: ${writingReason(cause)}`, { cause });
  }
  return join(target, name);
}
