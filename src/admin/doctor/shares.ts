import type { Config } from "../../platform/config/config.ts";
import { isInside } from "../../platform/disk/inside.ts";
import { type Mount, readMounts, realMountOf, sharesOf } from "../../platform/disk/mounts.ts";
import { shareAnswers } from "../../platform/disk/share-answers.ts";
import type { Machine } from "./machine.ts";

/** A server that is alive answers within milliseconds. */
export const shareAnswerMs = 2_000;

/** The network shares with folders of homesec, and those among them that do not answer. */
export interface Shares {
  readonly all: readonly string[];
  readonly silent: readonly string[];
  /** Of the latter those that are needed for the data folder. */
  readonly silentForData: readonly string[];
}

/** Looks for network shares, and asks each in a process of its own, which can be killed: a call of ours would hang as long as the share does. */
export async function lookAtShares(
  { proc, stat }: Machine,
  { dataDir, cameraRoot, cameraExtraRoots }: Pick<Config, "dataDir" | "cameraRoot" | "cameraExtraRoots">,
): Promise<Shares> {
  const mounts = await readMounts(proc);
  const roots = [cameraRoot, ...cameraExtraRoots];
  const forCameras = (await Promise.all(roots.map((root) => sharesOf(mounts, root)))).flat();
  const own = await realMountOf(mounts, dataDir);
  // cameras often lie in the data folder, and nothing of the data lies with them
  const isOfCameras = ({ folder }: Mount): boolean => roots.some((root) => isInside(root, folder));
  const forData = (await sharesOf(mounts, dataDir)).filter((mount) => mount === own || !isOfCameras(mount)).map(({ folder }) => folder);
  const all = [...new Set([...forData, ...forCameras.map(({ folder }) => folder)])];
  const answered = await Promise.all(all.map((folder) => shareAnswers(folder, shareAnswerMs, stat)));
  const silent = all.filter((_, at) => !answered[at]);
  return { all, silent, silentForData: silent.filter((folder) => forData.includes(folder)) };
}
