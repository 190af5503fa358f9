import { stat } from "node:fs/promises";
import { type DiskSpace, diskSpace } from "./disk.ts";

/**
 * Makes the look at the disk with the pictures: undefined when it is the one with the data folder, or has gone. A disk that hangs, such as a
 * share that is away, is not asked a second time before it has answered: each question that hangs would hold a thread of the process.
 */
export function createPictureDisk(folders: {
  readonly dataDir: string;
  readonly cameraRoot: string;
}): () => Promise<DiskSpace | undefined> {
  const { dataDir, cameraRoot } = folders;
  const look = async (): Promise<DiskSpace | undefined> => {
    const [data, pictures] = await Promise.all([stat(dataDir), stat(cameraRoot).catch(() => undefined)]);
    return pictures && pictures.dev !== data.dev ? await diskSpace(cameraRoot) : undefined;
  };
  let looking: Promise<DiskSpace | undefined> | undefined;
  return () => {
    looking ??= look().finally(() => {
      looking = undefined;
    });
    return looking;
  };
}
