import { Problem } from "../../src/contract/problem.ts";
import type { Command } from "../command.ts";
import type { Io } from "../io.ts";
import { fullId } from "./find.ts";
import { cameraIdOf, mayBeSlug } from "./find-camera.ts";
import type { IdKind } from "./options.ts";

/** The values of a command line by name. */
interface Given {
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly options: Readonly<Record<string, unknown>>;
}

/** Changes one id or name of a kind. */
type Change = (kind: IdKind, given: string) => Promise<string>;

/**
 * Replaces the short ids and names of a command line by whole ids. Whole ids cost no request; a camera that the command itself asks the
 * daemon for is looked up only after a 404 (see `resolveMissingCamera`). An unknown camera stays as it is, for the daemon to refuse.
 * Throws `Problem("conflict")` for a text that means several things, and `Problem("not_found")`.
 */
export async function resolveIds(command: Command, given: Given, io: Io): Promise<Given> {
  return await changed(command, given, async (kind, text) => {
    switch (kind) {
      case "camera":
      case "deletedCamera":
        return mayBeSlug(text) ? text : await cameraIdOf(io, text, kind);
      case "cameraFilter":
        return await cameraIdOf(io, text, kind);
      case "rule":
      case "webhook":
      case "channel":
      case "recipient":
      case "alert":
      case "silence":
      case "share":
      case "entity":
      case "delivery":
        return await fullId(io, kind, text);
      default:
        return text;
    }
  });
}

/** After "Camera X does not exist": the command line with the camera that X names; undefined if there is none. Throws `Problem("conflict")`. */
export async function resolveMissingCamera(error: unknown, command: Command, given: Given, io: Io): Promise<Given | undefined> {
  if (!(error instanceof Problem) || error.kind !== "not_found") return undefined;
  let isOther = false;
  const named = await changed(command, given, async (kind, text) => {
    if ((kind !== "camera" && kind !== "deletedCamera") || !error.message.startsWith(`Camera ${text} does not exist`)) return text;
    const id = await cameraIdOf(io, text, kind);
    isOther ||= id !== text;
    return id;
  });
  return isOther ? named : undefined;
}

async function changed(command: Command, given: Given, change: Change): Promise<Given> {
  const valuesOf = async (declared: Command["arguments"] | Command["options"], values: Given["options"]) => {
    const entries = Object.entries(values).map(async ([name, value]) => {
      const kind = declared[name]?.idOf;
      return [name, kind === undefined ? value : await changedValue(kind, value, change)] as const;
    });
    return Object.fromEntries(await Promise.all(entries));
  };
  return { arguments: await valuesOf(command.arguments, given.arguments), options: await valuesOf(command.options, given.options) };
}

/** Changes a text, or each text of a list. Two names of the same thing become one id. */
async function changedValue(kind: IdKind, value: unknown, change: Change): Promise<unknown> {
  if (typeof value === "string") return await change(kind, value);
  if (!Array.isArray(value)) return value;
  return [...new Set(await Promise.all(value.map((text) => change(kind, String(text)))))];
}
