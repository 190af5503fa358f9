import { nearest } from "../../src/platform/config/nearest.ts";
import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";
import { mostRows, pages } from "../output/pages.ts";

/** The camera id most similar to the missing one in the message or command line; undefined if there is none. Never throws. */
export async function similarId(message: string, { command, arguments: texts }: Typed, io: Io): Promise<string | undefined> {
  if (!message.includes(" does not exist")) return undefined;
  const [, named] = /^Camera (\S+) /.exec(message) ?? [];
  const given = named ?? texts[Object.keys(command.arguments).indexOf("camera_id")];
  if (given === undefined) return undefined;
  return nearest(given, (await cameraIds(io)) ?? []);
}

/** The ids of live or deleted cameras. Undefined on errors: the user needs the first error, not one about the hint. */
async function cameraIds(io: Io, which: "live" | "deleted" = "live"): Promise<readonly string[] | undefined> {
  try {
    const ids: string[] = [];
    if (which === "live")
      for await (const { cameras } of pages(mostRows, (page) => io.call("listCameras", { query: page }))) ids.push(...cameras.map(idOf));
    else
      for await (const { items } of pages(mostRows, (page) => io.call("listDeletedCameras", { query: page }))) ids.push(...items.map(idOf));
    return ids;
  } catch {
    return undefined;
  }
}

const idOf = ({ camera_id }: { readonly camera_id: string }): string => camera_id;

/** Notes each id without a camera, or with a deleted one: after a typo a list stays empty. Never throws. */
export async function noteUnknownCameras(io: Io, ids: readonly string[] | null = []): Promise<void> {
  for (const sentence of await unknownCameras(io, ids ?? [])) io.output.note(sentence);
}

/**
 * One sentence for each id without a camera, or with a deleted one, with the id that was meant. Fetches cameras only if there are ids.
 * Never throws: empty if the cameras cannot be fetched.
 */
export async function unknownCameras(io: Io, ids: readonly string[]): Promise<readonly string[]> {
  const known = ids.length > 0 ? await cameraIds(io) : undefined;
  const missing = [...new Set(ids)].filter((id) => known && !known.includes(id));
  const deleted = missing.length > 0 ? await cameraIds(io, "deleted") : [];
  if (!known || !deleted) return [];
  return missing.map((id) => {
    const guess = nearest(id, known);
    if (deleted.includes(id)) return `camera ${id} is deleted; restore it with \`homesec cameras restore ${id}\``;
    return `camera ${id} does not exist; ${guess === undefined ? "`homesec cameras list` lists all cameras" : `did you mean ${guess}?`}`;
  });
}
