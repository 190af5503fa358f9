import { Problem } from "../src/contract/problem.ts";
import { makeFolder } from "../src/engines/make-folder.ts";

/** Makes the folder into which cameras upload where it is missing. Throws `Problem("unavailable")` when it cannot be made or is no folder. */
export async function makeCameraRoot(path: string): Promise<void> {
  try {
    await makeFolder(path);
  } catch (cause) {
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
