import { readFile, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { Problem } from "../../contract/problem.ts";

/** The user account that runs the server. `foreign`: another account than this process, so that files must be handed over to it. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
  readonly name: string;
  readonly foreign: boolean;
}

const unprivileged = ["postgres", "nobody"];

/**
 * Returns the account for the server. PostgreSQL refuses to run as root, so for root it is an existing unprivileged user. Throws
 * `Problem` if there is none.
 */
export async function serverAccount(): Promise<Account> {
  const uid = process.getuid?.() ?? -1;
  const gid = process.getgid?.() ?? -1;
  if (uid !== 0) return { uid, gid, name: `uid ${uid}`, foreign: false };
  const entries = (await readFile("/etc/passwd", "utf8")).split("\n").map((line) => line.split(":"));
  for (const name of unprivileged) {
    const entry = entries.find((fields) => fields[0] === name);
    if (entry) return { uid: Number(entry[2]), gid: Number(entry[3]), name, foreign: true };
  }
  throw new Problem(
    "unavailable",
    `The embedded PostgreSQL cannot run as root, and neither user ${unprivileged.join(" nor ")} exists; run homesec as an ordinary user, create one of them, or set DATABASE_URL`,
  );
}

/**
 * Returns the first folder on the way to `path` (itself included) that the account may not enter, or undefined. Does not check access
 * lists.
 */
export async function barrierTo(path: string, account: Account): Promise<string | undefined> {
  if (!account.foreign) return undefined;
  const folders: string[] = [];
  for (let folder = path; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (folder === dirname(folder)) break;
  }
  for (const folder of folders) {
    const { mode, uid, gid } = await stat(folder);
    const bit = uid === account.uid ? 0o100 : gid === account.gid ? 0o010 : 0o001;
    if ((mode & bit) === 0) return folder;
  }
  return undefined;
}
