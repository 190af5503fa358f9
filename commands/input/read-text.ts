import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { Problem } from "../../src/contract/problem.ts";
import { readingReason } from "../../src/platform/disk/file-reason.ts";
import type { Host } from "../host.ts";

/** Reads a file, or stdin for `-`. `name` is the option, for errors. Throws `Problem("invalid")`. */
export async function readText({ stdin, cwd }: Host, name: string, file: string): Promise<string> {
  if (file === "-") {
    const piped = await textOf(stdin);
    if (piped.trim() === "") throw new Problem("invalid", `${name} - reads stdin, but stdin is empty`);
    return piped;
  }
  try {
    return await readFile(resolve(cwd, file), "utf8");
  } catch (cause) {
    throw new Problem("invalid", `cannot read ${name} ${file}: ${readingReason(cause)}`, { cause });
  }
}

/** Parses YAML, which includes JSON. `place` is the origin of the text. Throws `Problem("invalid")` with line and reason. */
export async function parseYaml(text: string, place: string): Promise<unknown> {
  if (isTooDeep(text)) throw new Problem("invalid", `${place} is nested more than ${deepest} levels deep; flatten it`);
  const { parse, YAMLError } = await import("yaml");
  try {
    // Node would print warnings meant for programmers
    return parse(text, { maxAliasCount: 100, logLevel: "error" }) as unknown;
  } catch (cause) {
    const reason = cause instanceof YAMLError || cause instanceof ReferenceError ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new Problem("invalid", `${place} is neither YAML nor JSON: ${reason.replace(/:$/, "")}`, { cause });
  }
}

const deepest = 100;

/**
 * Whether a text could nest too deeply. The parser is recursive, and deep in its stack a regular expression that can no longer be
 * compiled ends the whole process. A level is a bracket, a column of indentation, or a sign before a value.
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
