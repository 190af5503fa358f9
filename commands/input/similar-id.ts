import { nearest } from "../../src/config/nearest.ts";
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

/** Undefined when they cannot be had: the person hears of the first problem, not of one with the hint. */
async function cameraIds(io: Io): Promise<readonly string[] | undefined> {
  try {
    const ids: string[] = [];
    const bodies = pages(mostRows, (page) => io.call("listCameras", { query: page }));
    for await (const { cameras } of bodies) ids.push(...cameras.map(({ camera_id }) => camera_id));
    return ids;
  } catch {
    return undefined;
  }
}

/**
 * Notes each of `ids` that no camera has: with a slip of the fingers a list stays empty, and a rule is never met. Asks for the cameras
 * only when there are ids. Never throws.
 */
export async function noteUnknownCameras(io: Io, ids: readonly string[] | null = []): Promise<void> {
  const known = ids?.length ? await cameraIds(io) : undefined;
  if (!known) return;
  for (const id of new Set(ids)) {
    if (known.includes(id)) continue;
    const guess = nearest(id, known);
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
