import { execFile } from "node:child_process";
import type { Config } from "../config/config.ts";
import { isNetworkType, readMounts, realMountOf } from "../disk/mounts.ts";
import type { Machine } from "./machine.ts";

/** A server that is alive answers within milliseconds. */
export const shareAnswerMs = 2_000;

/** The network shares on which folders of homesec lie, and those among them that do not answer. */
export interface Shares {
  readonly all: readonly string[];
  readonly silent: readonly string[];
}

/** Looks for network shares, and asks each in a process of its own, which can be killed: a call of ours would hang as long as the share does. */
export async function lookAtShares(
  { proc, stat }: Machine,
  { dataDir, cameraRoot, cameraExtraRoots }: Pick<Config, "dataDir" | "cameraRoot" | "cameraExtraRoots">,
): Promise<Shares> {
  const mounts = await readMounts(proc);
  const found = await Promise.all([dataDir, cameraRoot, ...cameraExtraRoots].map((path) => realMountOf(mounts, path)));
  const all = [...new Set(found.flatMap((mount) => (mount && isNetworkType(mount.type) ? [mount.folder] : [])))];
  const answered = await Promise.all(all.map((folder) => answers(stat, folder)));
  return { all, silent: all.filter((_, at) => !answered[at]) };
}

function answers(command: string, folder: string): Promise<boolean> {
  return new Promise((resolve) => {
    execFile(command, ["-f", folder], { timeout: shareAnswerMs, killSignal: "SIGKILL" }, (error) => resolve(error?.killed !== true));
  });
}
