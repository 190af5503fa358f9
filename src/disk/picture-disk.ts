import { stat } from "node:fs/promises";
import { within } from "../lifecycle/lifecycle.ts";
import { type DiskSpace, diskSpace } from "./disk.ts";

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
 * Makes the look at the disk with the pictures: undefined when it is the one with the data folder, or is not there. It rejects at once when
 * the disk does not answer. One that hangs is not asked a second time before it has answered: each question would hold a thread of the process.
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
  let looking: Promise<DiskSpace | undefined> | undefined;
  let hangs = false;
  return async () => {
    if (hangs) throw new Error("the disk with CAMERA_ROOT does not answer");
    looking ??= look().finally(() => {
      looking = undefined;
      hangs = false;
    });
    const asked = looking;
    try {
      return await within(patienceMs, () => asked);
    } catch (error) {
      hangs = looking === asked;
      throw error;
    }
  };
}
