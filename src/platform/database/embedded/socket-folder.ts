import { createHash } from "node:crypto";
import { chmod, chown, lstat, mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Problem } from "../../../contract/problem.ts";
import type { Account } from "../account.ts";

/** Maximum length of a socket's path. */
const maxPathBytes = process.platform === "darwin" ? 103 : 107;

/**
 * Returns a folder for the server's socket that only its account may enter: in the data folder, or in the temporary folder if that path
 * would be too long. The same data folder always has the same one. Throws `Problem` if another user has created the temporary one.
 */
export async function ensureSocketFolder(dataDir: string, port: number, account: Account): Promise<string> {
  const near = join(dataDir, "run");
  const fits = (folder: string) => Buffer.byteLength(`${folder}/.s.PGSQL.${port}`) <= maxPathBytes;
  const name = `homesec-${createHash("sha256").update(dataDir).digest("hex").slice(0, 12)}`;
  const folder = [near, join(tmpdir(), name)].find(fits) ?? join("/tmp", name);
  try {
    await mkdir(folder, { mode: 0o700 });
    if (account.foreign) await chown(folder, account.uid, account.gid);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = await lstat(folder);
  if (found.isDirectory() && found.uid !== account.uid && found.uid === process.getuid?.()) {
    // Ours from a run as another user, or from a run that was killed before it handed the folder over
    await chown(folder, account.uid, account.gid);
  } else if (!found.isDirectory() || found.uid !== account.uid) {
    throw new Problem(
      "conflict",
      `${folder} is needed for the database's socket, but belongs to another user; remove it or choose a shorter DATA_DIR`,
    );
  }
  await chmod(folder, 0o700);
  return folder;
}
