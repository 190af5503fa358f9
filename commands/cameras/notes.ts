import { isAbsolute } from "node:path";
import type { Io } from "../io.ts";
import { plain } from "../output/terminal-format.ts";
import type { Camera } from "./view.ts";

/** The largest number of cameras named one by one. */
const mostNamed = 3;
const states = { error: "in error", offline: "offline" } as const;

/** Notes below a table which cameras send no pictures, and the command that says why. */
export function noteTrouble({ output }: Io, cameras: readonly Camera[]): void {
  if (output.format !== "table" || output.fields !== undefined) return;
  const troubled = cameras.filter((camera) => camera.status in states);
  for (const { camera_id, status } of troubled.slice(0, mostNamed)) {
    output.note(
      plain(`${camera_id} is ${states[status as keyof typeof states]}: \`homesec explain --camera ${camera_id} --at now\` says why`),
    );
  }
  const rest = troubled.length - mostNamed;
  if (rest > 0) output.note(`${rest} more ${rest === 1 ? "is" : "are"} offline or in error; \`homesec doctor\` lists the reasons`);
}

/**
 * Notes why homesec cannot read the folder of a camera: it is missing, unreadable or outside the roots. `typed` is the folder
 * as typed on the command line.
 */
export async function noteUnread(io: Io, camera: Camera, typed?: string): Promise<void> {
  if (camera.status !== "error") return;
  const { invalid_cameras } = await io.call("validateCameraPaths", {});
  const issues = invalid_cameras.find(({ camera_id }) => camera_id === camera.camera_id)?.issues ?? [];
  const reason = issues.join("; ") || "the daemon checks the folder again in a moment";
  io.output.note(`homesec reads no pictures from ${camera.folder_path}: ${reason}`);
  if (typed !== undefined && !isAbsolute(typed)) {
    io.output.note(
      `--folder-path ${typed} is relative to CAMERA_ROOT, not to the working directory; give an absolute path to use another folder`,
    );
  }
}
