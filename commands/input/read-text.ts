import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason } from "../../src/platform/disk/file-reason.ts";
import type { Host } from "../host.ts";

/** The content of a file, or with `-` what is piped in. `name` is the option, for the error. Throws `Problem("invalid")`. */
export async function readText({ stdin, cwd }: Host, name: string, file: string): Promise<string> {
  if (file === "-") {
    const piped = await textOf(stdin);
    if (piped.trim() === "") throw new Problem("invalid", `${name} -: nothing was piped in`);
    return piped;
  }
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (cause) {
    throw new Problem("invalid", `${name} ${file} cannot be read: ${readingReason(cause)}`, { cause });
  }
}

/** A value as YAML or JSON, which YAML contains. `place` is where the text comes from. Throws `Problem("invalid")` with line and reason. */
export async function parseYaml(text: string, place: string): Promise<unknown> {
  if (isTooDeep(text)) throw new Problem("invalid", `${place} is nested more than ${deepest} levels deep; what homesec reads never is`);
  const { parse, YAMLError } = await import("yaml");
  try {
    // a warning would be printed by Node, with words that are for programmers
    return parse(text, { maxAliasCount: 100, logLevel: "error" }) as unknown;
  } catch (cause) {
    const reason = cause instanceof YAMLError || cause instanceof ReferenceError ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new Problem("invalid", `${place} is neither YAML nor JSON: ${reason.replace(/:$/, "")}`, { cause });
  }
}

const deepest = 100;

/**
 * Whether a text could be YAML of so many levels. The parser calls itself for each, and deep within its calls a regular expression that cannot
 * be compiled any more ends the whole process. A level is a bracket, a column of indentation, or a sign in front of a value.
 */
function isTooDeep(text: string): boolean {
  let brackets = 0;
  for (const line of text.split(/[\r\n]/)) {
    const [indent = ""] = /^ */.exec(line) ?? [];
    if (indent.length > 2 * deepest || (line.match(/[-?:](?=\s|$)/g)?.length ?? 0) > deepest) return true;
    for (const [sign] of line.matchAll(/[[\]{}]/g)) {
      brackets = Math.max(0, brackets + ("[{".includes(sign) ? 1 : -1));
      if (brackets > deepest) return true;
    }
  }
  return false;
}
