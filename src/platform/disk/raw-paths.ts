import { readdir } from "node:fs/promises";

/** Stands in a name for bytes that are not UTF-8. */
const replacement = "\ufffd";

/** Whether there may be bytes in a path that are not UTF-8: as a string it leads nowhere then. */
export function isGarbled(path: string): boolean {
  return path.includes(replacement);
}

/** A path byte for byte, by which a file is reached whatever its name is. */
export function rawPath(folder: string, name: Buffer): Buffer {
  return Buffer.concat([Buffer.from(`${folder}/`), name]);
}

/** The paths in a folder, byte for byte, of all whose names are not UTF-8; by the names as strings. */
export async function rawPaths(folder: string): Promise<ReadonlyMap<string, Buffer>> {
  const names = await readdir(folder, { encoding: "buffer" });
  return new Map(names.map((name) => [name.toString(), rawPath(folder, name)] as const).filter(([name]) => isGarbled(name)));
}
