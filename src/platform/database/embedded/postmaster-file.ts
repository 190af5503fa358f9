import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** No system gives this number to a process. */
const nobody = 2_147_483_646;

/** What a running server has written about itself into its data folder (postmaster.pid). */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  readonly ready: boolean;
}

/** Reads the file; undefined when there is none, or when it is being written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | undefined> {
  let text: string;
  try {
    text = await readFile(join(cluster, "postmaster.pid"), "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  const [pid, , , port, socketDir, , , status] = text.split("\n");
  if (!pid || Number.isNaN(Number(pid))) return undefined;
  return { pid: Number(pid), port: Number(port), socketDir: socketDir ?? "", ready: status?.trim() === "ready" };
}

/**
 * Makes the file name nobody instead of a stranger. It must not be removed: its last lines are how PostgreSQL finds out that
 * sessions of the dead server still write to the data, and waits for them.
 */
export async function disownPostmasterFile(cluster: string): Promise<void> {
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [nobody, ...rest].join("\n"));
}
