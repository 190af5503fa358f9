import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";
import { allCameras } from "./find-camera.ts";
import { type Candidate, guessId } from "./match-id.ts";

/** The camera id most similar to the missing one in the message or command line; undefined if there is none. Never throws. */
export async function similarId(message: string, { command, arguments: texts }: Typed, io: Io): Promise<string | undefined> {
  if (!message.includes(" does not exist")) return undefined;
  const [, named] = /^Camera (.+?) does not exist/.exec(message) ?? [];
  const given = named ?? texts[Object.keys(command.arguments).indexOf("camera_id")];
  return given === undefined ? undefined : similarCamera(given, (await allCameras(io, "live")) ?? []);
}

/** The id of the camera whose id or name a text resembles. */
function similarCamera(given: string, cameras: readonly Candidate[]): string | undefined {
  const guess = guessId(given, cameras);
  return cameras.find(({ id, name }) => id === guess || name === guess)?.id;
}

/** Notes each id without a camera, or with a deleted one: after a typo a list stays empty. Resolves to whether there was one. Never throws. */
export async function noteUnknownCameras(io: Io, ids: readonly string[] | null = []): Promise<boolean> {
  const sentences = await unknownCameras(io, ids ?? []);
  for (const sentence of sentences) io.output.note(sentence);
  return sentences.length > 0;
}

/**
 * One sentence for each id without a camera, or with a deleted one, with the id that was meant. Fetches cameras only if there are ids.
 * Never throws: empty if the cameras cannot be fetched.
 */
export async function unknownCameras(io: Io, ids: readonly string[]): Promise<readonly string[]> {
  const known = ids.length > 0 ? await allCameras(io, "live") : undefined;
  const missing = [...new Set(ids)].filter((id) => known && !known.some((camera) => camera.id === id));
  const deleted = missing.length > 0 ? await allCameras(io, "deleted") : [];
  if (!known || !deleted) return [];
  return missing.map((id) => {
    const guess = similarCamera(id, known);
    if (deleted.some((camera) => camera.id === id)) return `camera ${id} is deleted; restore it with \`homesec cameras restore ${id}\``;
    return `camera ${id} does not exist; ${guess === undefined ? "`homesec cameras list` lists all cameras" : `did you mean ${guess}?`}`;
  });
}
