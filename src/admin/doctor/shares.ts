import type { Config } from "../../platform/config/config.ts";
import { isInside } from "../../platform/disk/files.ts";
import { type Mount, readMounts, realMountOf, sharesOf } from "../../platform/disk/mounts.ts";
import { shareAnswers } from "../../platform/disk/share-answers.ts";
import type { Machine } from "./machine.ts";

/** A working share answers within milliseconds. */
export const shareTimeoutMs = 2_000;

/** The network shares that hold folders of homesec. */
export interface Shares {
  readonly all: readonly string[];
  /** Shares that do not answer. */
  readonly silent: readonly string[];
  /** Silent shares that the data folder needs. */
  readonly silentForData: readonly string[];
}

/** Finds the network shares and probes each in a child process, which can be killed: a call in this process would hang as long as the share. */
export async function findShares(
  { proc, stat }: Machine,
  { dataDir, cameraRoot, cameraExtraRoots }: Pick<Config, "dataDir" | "cameraRoot" | "cameraExtraRoots">,
): Promise<Shares> {
  const mounts = await readMounts(proc);
  const roots = [cameraRoot, ...cameraExtraRoots];
  const forCameras = (await Promise.all(roots.map((root) => sharesOf(mounts, root)))).flat();
  const own = await realMountOf(mounts, dataDir);
  // camera folders are often inside the data folder, and hold none of its data
  const isOfCameras = ({ folder }: Mount): boolean => roots.some((root) => isInside(root, folder));
  const forData = (await sharesOf(mounts, dataDir)).filter((mount) => mount === own || !isOfCameras(mount)).map(({ folder }) => folder);
  const all = [...new Set([...forData, ...forCameras.map(({ folder }) => folder)])];
  const answered = await Promise.all(all.map((folder) => shareAnswers(folder, shareTimeoutMs, stat)));
  const silent = all.filter((_, at) => !answered[at]);
  return { all, silent, silentForData: silent.filter((folder) => forData.includes(folder)) };
}
