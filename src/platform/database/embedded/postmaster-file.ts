import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** No system assigns this pid. */
const nobody = 2_147_483_646;

/** Contents of postmaster.pid, which a running server writes into its data folder. */
export interface PostmasterFile {
  readonly pid: number;
  readonly port: number;
  readonly socketDir: string;
  readonly ready: boolean;
}

/** Reads the file; undefined if there is none, or while it is being written. */
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
 * Replaces the pid in the file by an unused one. The file must not be removed: from its last lines PostgreSQL learns that sessions of the
 * dead server still write to the data, and waits for them.
 */
export async function disownPostmasterFile(cluster: string): Promise<void> {
  const path = join(cluster, "postmaster.pid");
  const [, ...rest] = (await readFile(path, "utf8")).split("\n");
  await writeFile(path, [nobody, ...rest].join("\n"));
}
