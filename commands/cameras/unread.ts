import type { Reply } from "../../src/contract/route.ts";
import type { Routes } from "../../src/contract/routes/index.ts";
import type { Io } from "../io.ts";

type Camera = Reply<Routes["getCamera"]>;

/** Says why the pictures of a camera are not read, where that is so: its folder is missing, unreadable or outside of the roots. */
export async function noteUnread(io: Io, camera: Camera): Promise<void> {
  if (camera.status !== "error") return;
  const { invalid_cameras } = await io.call("validateCameraPaths", {});
  const issues = invalid_cameras.find(({ camera_id }) => camera_id === camera.camera_id)?.issues ?? [];
  io.output.note(`its pictures are not read: ${issues.join("; ") || "the daemon looks at its folder again in a moment"}`);
}
