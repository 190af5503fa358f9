import type { Config } from "../../platform/config/config.ts";
import { isInside } from "../../platform/disk/files.ts";
import { isNetworkType, type Mount, readMounts, realMountOf, sharesOf } from "../../platform/disk/mounts.ts";
import { shareAnswers } from "../../platform/disk/share-answers.ts";
import type { Machine } from "./machine.ts";

/** A working share answers within milliseconds. */
export const shareTimeoutMs = 2_000;

/** The network shares that hold folders and files of homesec. */
export interface Shares {
  readonly all: readonly string[];
  /** Shares that do not answer. */
  readonly silent: readonly string[];
  /** Silent shares with the data folder or camera folders. */
  readonly silentForFolders: readonly string[];
  /** Silent shares that the data folder needs. */
  readonly silentForData: readonly string[];
  /** The key file and the model of the detector, if they are on a silent share. Reading one would stop the whole process. */
  readonly silentFiles: readonly string[];
}

/** Finds the network shares and probes each in a child process, which can be killed: a call in this process would hang as long as the share. */
export async function findShares(
  { proc, stat }: Machine,
  {
    dataDir,
    cameraRoot,
    cameraExtraRoots,
    secretKeyPath,
    detectorModelPath,
  }: Pick<Config, "dataDir" | "cameraRoot" | "cameraExtraRoots" | "secretKeyPath" | "detectorModelPath">,
): Promise<Shares> {
  const mounts = await readMounts(proc);
  const roots = [cameraRoot, ...cameraExtraRoots];
  const forCameras = (await Promise.all(roots.map((root) => sharesOf(mounts, root)))).flat();
  const own = await realMountOf(mounts, dataDir);
  // camera folders are often inside the data folder, and hold none of its data
  const isOfCameras = ({ folder }: Mount): boolean => roots.some((root) => isInside(root, folder));
  const forData = (await sharesOf(mounts, dataDir)).filter((mount) => mount === own || !isOfCameras(mount)).map(({ folder }) => folder);
  const files = [secretKeyPath, ...(detectorModelPath === undefined ? [] : [detectorModelPath])];
  const forFiles = await Promise.all(files.map((file) => realMountOf(mounts, file)));
  const forFolders = [...forData, ...forCameras.map(({ folder }) => folder)];
  const all = [...new Set([...forFolders, ...forFiles.flatMap((mount) => (mount && isNetworkType(mount.type) ? mount.folder : []))])];
  const answered = await Promise.all(all.map((folder) => shareAnswers(folder, shareTimeoutMs, stat)));
  const silent = all.filter((_, at) => !answered[at]);
  return {
    all,
    silent,
    silentForFolders: silent.filter((folder) => forFolders.includes(folder)),
    silentForData: silent.filter((folder) => forData.includes(folder)),
    silentFiles: files.filter((_, at) => silent.includes(forFiles[at]?.folder ?? "")),
  };
}
