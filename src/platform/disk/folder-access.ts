import type { BigIntStats } from "node:fs";
import { opendir, stat } from "node:fs/promises";

/** Rejects as the system does when a folder cannot be listed or its files cannot be reached. Costs the same for any number of files. */
export async function enter(path: string): Promise<void> {
  await (await opendir(path)).close();
  await detailsInside(path);
}

/** Returns the details of a folder. Rejects if its files cannot be reached, although its names may be readable. */
export async function detailsInside(path: string): Promise<BigIntStats> {
  return await stat(`${path}/.`, { bigint: true });
}

/** Tells whether a folder contains nothing. */
export async function isEmpty(path: string): Promise<boolean> {
  const folder = await opendir(path);
  try {
    return (await folder.read()) === null;
  } finally {
    await folder.close();
  }
}
