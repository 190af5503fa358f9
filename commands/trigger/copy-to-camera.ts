import { randomBytes } from "node:crypto";
import { copyFile, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, extname, join, resolve } from "node:path";
import { Problem } from "../../src/contract/problem.ts";
import { kindOf } from "../../src/monitoring/images/picture.ts";
import { writingReason } from "../../src/platform/disk/file-reason.ts";
import type { Host } from "../host.ts";

/**
 * Copies a file into the folder of a camera under a temporary name, then renames it, as cameras do. Resolves to its path.
 * Throws `Problem("invalid")` if the file or the folder is missing on this machine, or homesec does not read such files.
 */
export async function copyToCamera({ cwd, clock }: Host, file: string, folder: string): Promise<string> {
  const source = resolve(cwd, file);
  const found = await stat(source).catch(() => undefined);
  if (!found?.isFile()) throw new Problem("invalid", `${file} is not a readable file`);
  const kind = kindOf(source);
  if (kind === "other" || kind === "temporary" || kind === "unsupported") {
    throw new Problem("invalid", `${file} has an unsupported type; homesec reads jpg, png, webp and videos`);
  }
  const target = await realpath(folder).catch(() => undefined);
  if (target === undefined) {
    throw new Problem("invalid", `the camera folder ${folder} is not on this machine; run trigger where the daemon runs`);
  }
  const extension = extname(source);
  const time = clock
    .now()
    .toISOString()
    .replaceAll(/[^\dTZ]/g, "");
  // A unique name, so that homesec never mistakes it for an earlier picture
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
