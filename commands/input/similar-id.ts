import { nearest } from "../../src/platform/config/nearest.ts";
import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";
import { pages } from "../output/pages.ts";
import { mostRows } from "./options.ts";

/** The id of a camera that is most like the one that does not exist, by what was typed or the message names; or undefined. Never throws. */
export async function similarId(message: string, { command, arguments: texts }: Typed, io: Io): Promise<string | undefined> {
  if (!message.includes(" does not exist")) return undefined;
  const [, named] = /^Camera (\S+) /.exec(message) ?? [];
  const given = named ?? texts[Object.keys(command.arguments).indexOf("cameraId")];
  if (given === undefined) return undefined;
  return nearest(given, (await cameraIds(io)) ?? []);
}

/** The ids of the cameras, or of the deleted ones. Undefined when they cannot be had: the person hears of the first problem, not of one with the hint. */
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

/**
 * Notes each of `ids` that no camera has, or only a deleted one: with a slip of the fingers a list stays empty, and a rule is never met.
 * Asks for the cameras only when there are ids. Never throws.
 */
export async function noteUnknownCameras(io: Io, ids: readonly string[] | null = []): Promise<void> {
  const known = ids?.length ? await cameraIds(io) : undefined;
  const missing = [...new Set(ids)].filter((id) => known && !known.includes(id));
  const deleted = missing.length > 0 ? await cameraIds(io, "deleted") : [];
  if (!known || !deleted) return;
  for (const id of missing) {
    const guess = nearest(id, known);
    if (deleted.includes(id)) io.output.note(`camera ${id} is deleted; \`homesec cameras restore ${id}\` brings it back`);
    else
      io.output.note(
        `there is no camera ${id}; ${guess === undefined ? "`homesec cameras list` shows which there are" : `did you mean ${guess}?`}`,
      );
  }
}

/** The beginning of a hint at the name that is most like one that does not exist. */
export function similarName(given: string, all: readonly { readonly name: string }[]): string {
  const guess = nearest(
    given,
    all.map(({ name }) => name),
  );
  return guess === undefined ? "" : `did you mean ${JSON.stringify(guess)}? `;
}
