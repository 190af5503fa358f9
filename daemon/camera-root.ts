import { realpath } from "node:fs/promises";
import type { Log } from "../src/base/log/log.ts";
import { Problem } from "../src/contract/problem.ts";
import { makeFolder } from "../src/platform/database/make-folder.ts";
import { noteReal, statWithTimeout } from "../src/platform/disk/fs-timeout.ts";
import { NoAnswer } from "../src/platform/disk/no-answer.ts";

/**
 * Makes the folder into which cameras upload where it is missing. One that does not answer is left for later: cameras elsewhere need it not.
 * Throws `Problem("unavailable")` when it cannot be made or is no folder.
 */
export async function makeCameraRoot(path: string, log: Log): Promise<void> {
  try {
    const make = async (): Promise<string> => {
      await makeFolder(path);
      return await realpath(path);
    };
    noteReal(path, await statWithTimeout(path, make));
  } catch (cause) {
    if (cause instanceof NoAnswer) {
      log.error({ folder: path }, "the camera root does not answer; its cameras are taken up when it does");
      return;
    }
    const { code } = cause as NodeJS.ErrnoException;
    const reason =
      code === "EEXIST" || code === "ENOTDIR" ? "a file is in its place" : code === "ENOENT" ? "no folder can be made there" : code;
    throw new Problem(
      "unavailable",
      `The folder of the cameras ${path} cannot be made (${reason}); make it and give it to this user, or choose another with CAMERA_ROOT`,
      { cause },
    );
  }
}
