import { isAbsolute } from "node:path";
import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import type { Io } from "../io.ts";

type Camera = Reply<Routes["getCamera"]>;

/**
 * Says why the pictures of a camera are not read, where that is so: its folder is missing, unreadable or outside of the roots. `asked` is the folder as
 * it was typed.
 */
export async function noteUnread(io: Io, camera: Camera, asked?: string): Promise<void> {
  if (camera.status !== "error") return;
  const { invalid_cameras } = await io.call("validateCameraPaths", {});
  const issues = invalid_cameras.find(({ camera_id }) => camera_id === camera.camera_id)?.issues ?? [];
  const reason = issues.join("; ") || "the daemon looks at its folder again in a moment";
  io.output.note(`no pictures are read from ${camera.folder_path}: ${reason}`);
  if (asked !== undefined && !isAbsolute(asked)) {
    io.output.note(
      `--folder-path ${asked} counts from CAMERA_ROOT, not from the folder in which you are; give the whole path if you mean another one`,
    );
  }
}
