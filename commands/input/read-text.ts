import { readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { Problem } from "../../src/contract/problem.ts";
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
    throw new Problem("invalid", `${name} ${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** A value as YAML or JSON, which YAML contains. `place` is where the text comes from. Throws `Problem("invalid")` with line and reason. */
export async function parseYaml(text: string, place: string): Promise<unknown> {
  const { parse, YAMLError } = await import("yaml");
  try {
    return parse(text, { maxAliasCount: 100 }) as unknown;
  } catch (cause) {
    const reason = cause instanceof YAMLError || cause instanceof ReferenceError ? (cause.message.split("\n")[0] ?? "") : String(cause);
    throw new Problem("invalid", `${place} is neither YAML nor JSON: ${reason.replace(/:$/, "")}`, { cause });
  }
}
