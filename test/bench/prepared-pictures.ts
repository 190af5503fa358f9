import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { uniqueJpeg } from "../support/pictures.ts";

let prepared = 0;

/** Writes unique real pictures under unused names. Returns the names. */
export async function preparePictures(folder: string, count: number): Promise<readonly string[]> {
  await mkdir(folder, { recursive: true });
  const names: string[] = [];
  for (let i = 0; i < count; i += 1) {
    prepared += 1;
    const name = `picture-${String(prepared).padStart(6, "0")}.jpg`;
    await writeFile(join(folder, name), await uniqueJpeg(prepared));
    names.push(name);
  }
  return names;
}
