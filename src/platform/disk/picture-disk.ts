import { stat } from "node:fs/promises";
import { type DiskSpace, diskSpace } from "./disk.ts";
import { createFsTimeout } from "./fs-timeout.ts";

/** Disks respond in microseconds; after this time it is a share whose server is down. */
const patienceMs = 500;

/** Tells whether two folders are on one disk. Rejects if one of them does not exist. */
export async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one), stat(other)]);
  if (first.dev === second.dev) return true;
  const [whole, own] = await Promise.all([diskSpace(one), diskSpace(other)]);
  // On some file systems, parts of one disk have different device numbers
  return whole.totalBytes > 0 && whole.totalBytes === own.totalBytes && whole.freeBytes === own.freeBytes;
}

/**
 * Creates a function that returns the space of the disk with the pictures: undefined if it is the one with the data folder, or does not
 * exist. It rejects with `NoAnswer` if the disk does not respond.
 */
export function createPictureDisk(folders: {
  readonly dataDir: string;
  readonly cameraRoot: string;
}): () => Promise<DiskSpace | undefined> {
  const { dataDir, cameraRoot } = folders;
  const look = async (): Promise<DiskSpace | undefined> => {
    const isNoOther = await areOnOneDisk(dataDir, cameraRoot).catch(() => true);
    return isNoOther ? undefined : await diskSpace(cameraRoot);
  };
  const ask = createFsTimeout(patienceMs);
  return () => ask(cameraRoot, look);
}
