import { nearest } from "../../src/config/nearest.ts";
import type { Io } from "../io.ts";

/**
 * Notes each of `ids` that no camera has: with a slip of the fingers a list stays empty, and a rule is never met. Asks for the cameras
 * only when there are ids. Never throws: what the command did is done.
 */
export async function noteUnknownCameras(io: Io, ids: readonly string[] = []): Promise<void> {
  if (ids.length === 0) return;
  let known: readonly string[];
  try {
    const { cameras } = await io.call("listCameras", { query: { limit: 1000 } });
    known = cameras.map(({ camera_id }) => camera_id);
  } catch {
    return;
  }
  for (const id of new Set(ids)) {
    if (known.includes(id)) continue;
    const guess = nearest(id, known);
    const meant = guess === undefined ? "`homesec cameras list` shows which there are" : `did you mean ${guess}?`;
    io.output.note(`there is no camera ${id}; ${meant}`);
  }
}
