import { nearest } from "../../src/config/nearest.ts";
import type { Typed } from "../command.ts";
import type { Io } from "../io.ts";

/** The id of a camera that is most like the one that does not exist, by what was typed or the message names; or undefined. Never throws. */
export async function similarId(message: string, { command, arguments: texts }: Typed, io: Io): Promise<string | undefined> {
  if (!message.includes(" does not exist")) return undefined;
  const [, named] = /^Camera (\S+) /.exec(message) ?? [];
  const given = named ?? texts[Object.keys(command.arguments).indexOf("cameraId")];
  if (given === undefined) return undefined;
  try {
    const { cameras } = await io.call("listCameras", { query: { limit: 1000 } });
    return nearest(
      given,
      cameras.map(({ camera_id }) => camera_id),
    );
  } catch {
    // the person hears of the first problem, not of one with the hint
    return undefined;
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
