import { readdir } from "node:fs/promises";

/** Replaces bytes in a name that are not UTF-8. */
const replacement = "\ufffd";

/** Tells whether a path may contain bytes that are not UTF-8: as a string it is then useless. */
export function isGarbled(path: string): boolean {
  return path.includes(replacement);
}

/** Joins a path as bytes, which reaches a file whatever its name is. */
export function rawPath(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/** Returns the paths, as bytes, of all names in a folder that are not UTF-8; keyed by the names as strings. */
export async function rawPaths(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const names = await readdir(folder, { encoding: "buffer" });
  return new Map(names.map((name) => [name.toString(), rawPath(folder, name)] as const).filter(([name]) => isGarbled(name)));
}
