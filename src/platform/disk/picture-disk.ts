import { stat } from "node:fs/promises";
import { type DiskSpace, diskSpace } from "./disk.ts";
import { createFsTimeout } from "./fs-timeout.ts";

/** Disks answer in microseconds; one that takes so long is a share that is away. */
const patienceMs = 500;

/** Whether two folders lie on one disk. Rejects when one is not there. */
export async function areOnOneDisk(one: string, other: string): Promise<boolean> {
  const [first, second] = await Promise.all([stat(one), stat(other)]);
  if (first.dev === second.dev) return true;
  const [whole, own] = await Promise.all([diskSpace(one), diskSpace(other)]);
  // parts of one disk have numbers of their own on some file systems
  return whole.totalBytes > 0 && whole.totalBytes === own.totalBytes && whole.freeBytes === own.freeBytes;
}

/**
 * Makes the look at the disk with the pictures: undefined when it is the one with the data folder, or is not there. It rejects with `NoAnswer`
 * when the disk does not answer.
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
