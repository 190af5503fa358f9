import { realpath } from "node:fs/promises";
import type { Log } from "../src/base/log/log.ts";
import { Problem } from "../src/contract/problem.ts";
import { makeFolder } from "../src/platform/database/make-folder.ts";
import { NoAnswer } from "../src/platform/disk/files.ts";
import { recordRealPath, statWithTimeout } from "../src/platform/disk/fs-timeout.ts";

/**
 * Creates the folder that cameras upload to if it is missing. A folder that does not reply is left for later, since cameras elsewhere do
 * not need it. Throws `Problem("unavailable")` if the folder cannot be created or is not a folder.
 */
export async function makeCameraRoot(path: string, log: Log): Promise<void> {
  try {
    const make = async (): Promise<string> => {
      await makeFolder(path);
      return await realpath(path);
    };
    recordRealPath(path, await statWithTimeout(path, make));
  } catch (cause) {
    if (cause instanceof NoAnswer) {
      log.error({ folder: path }, "the camera root does not respond; its cameras start when it does");
      return;
    }
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === "EEXIST" || code === "ENOTDIR" ? "a file is in its place" : code === "ENOENT" ? "no folder can be created there" : code;
    throw new Problem(
      "unavailable",
      `The camera folder ${path} cannot be created (${reason}). Create it and make it writable for this user, or choose another with CAMERA_ROOT`,
      { cause },
    );
  }
}
