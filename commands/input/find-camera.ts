import type { Io } from "../io.ts";
import { mostRows, pages } from "../output/pages.ts";
import { ambiguous } from "./find.ts";
import { type Candidate, matchId } from "./match-id.ts";

/** Live or deleted cameras. */
export type Which = "live" | "deleted";

/** Whether a text has the form of a camera id. */
export function mayBeSlug(text: string): boolean {
  return /^[a-z0-9_-]{1,64}$/.test(text);
}

/** The ids and names of cameras. Undefined on errors: the user needs the error of the command, not one about a look-up. */
export async function allCameras(io: Io, which: Which): Promise<readonly Candidate[] | undefined> {
  const found: Candidate[] = [];
  try {
    if (which === "live")
      for await (const { cameras } of pages(mostRows, (page) => io.call("listCameras", { query: page })))
        found.push(...cameras.map(candidateOf));
    else
      for await (const { items } of pages(mostRows, (page) => io.call("listDeletedCameras", { query: page })))
        found.push(...items.map(candidateOf));
    return found;
  } catch {
    return undefined;
  }
}

const candidateOf = ({ camera_id: id, name }: { readonly camera_id: string; readonly name: string }): Candidate => ({ id, name });

/**
 * The id of the camera that a text means: an id, a name in any case, or on a terminal the unique start of an id. Scripts must name a
 * camera completely: they rely on exit code 3 to find out whether `garage` exists beside `garage-2`. The text itself if it means none.
 * A filter may also name a deleted camera; in a script one with the form of an id is not looked up. Throws `Problem("conflict")` for
 * a text that means several cameras.
 */
export async function cameraIdOf(io: Io, given: string, kind: "camera" | "cameraFilter" | "deletedCamera"): Promise<string> {
  const isTerminal = io.host.stdout.isTTY === true;
  if (kind === "cameraFilter" && !isTerminal && mayBeSlug(given)) return given;
  const live = kind === "deletedCamera" ? [] : ((await allCameras(io, "live")) ?? []);
  if (live.some(({ id }) => id === given)) return given;
  const deleted = (await allCameras(io, "deleted")) ?? [];
  // The id of a deleted camera never means another one of that name
  if (deleted.some(({ id }) => id === given)) return given;
  for (const cameras of kind === "camera" ? [live] : [live, deleted]) {
    const [first, ...others] = matchId(given, cameras, { byPrefix: isTerminal });
    if (others.length > 0 && first) throw ambiguous("cameras", given, [first, ...others], cameras);
    if (first) return first.id;
  }
  return given;
}

/** The rule with the ids of its cameras, which may be named by id or name. Throws `Problem("conflict")`. */
export async function withCameraIds<T extends { readonly camera_ids?: readonly string[] | null | undefined }>(io: Io, rule: T): Promise<T> {
  if (!rule.camera_ids) return rule;
  const ids = await Promise.all(rule.camera_ids.map((text) => cameraIdOf(io, text, "cameraFilter")));
  return { ...rule, camera_ids: [...new Set(ids)] };
}
