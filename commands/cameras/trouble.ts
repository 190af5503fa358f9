import type { Io } from "../io.ts";
import { plain } from "../output/terminal-format.ts";
import type { Camera } from "./view.ts";

/** So many are told one by one. */
const told = 3;
const states = { error: "in error", offline: "offline" } as const;

/** Tells the person who reads a table of cameras how to learn why some of them send nothing. */
export function noteTrouble({ output }: Io, cameras: readonly Camera[]): void {
  if (output.format !== "table" || output.fields !== undefined) return;
  const troubled = cameras.filter((camera) => camera.status in states);
  for (const { camera_id, status } of troubled.slice(0, told)) {
    output.note(
      plain(`${camera_id} is ${states[status as keyof typeof states]}: \`homesec explain --camera ${camera_id} --at now\` says why`),
    );
  }
  if (troubled.length > told) output.note(`so are ${troubled.length - told} more; \`homesec doctor\` has a reason for each`);
}
