import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "../../contract/problem.ts";
import { makeFolder } from "./make-folder.ts";
import { processIdentity } from "./process-identity.ts";

const lockName = "homesec.pid";
const standoffMs = 1_000;

/** The data folder is ours until the release. */
export interface DataFolderLock {
  release(): Promise<void>;
}

/**
 * Makes the data folder where it is missing (0700) and takes it for this process. The lock is the file `homesec.pid`
 * with the number and the identity of its holder; it counts only while that process lives.
 * Throws `Problem`: `conflict` when another living homesec holds it, `unavailable` when the folder cannot be used.
 *
 * Of several starters exactly one wins: each first leaves a claim under a name of its own, then looks for living others.
 * Of two claims the later one always sees the earlier. Who sees nobody renames the claim to the lock; all others withdraw
 * theirs. Claims have unique names, so removing those of dead processes can never hit a living one.
 */
export async function lockDataFolder(dataDir: string): Promise<DataFolderLock> {
  await ensureDataFolder(dataDir);
  const lock = join(dataDir, lockName);
  const identity = await processIdentity(process.pid);
  const giveUpAt = performance.now() + standoffMs;
  for (;;) {
    const claim = `${lock}.${process.pid}.${identity}.${randomBytes(4).toString("hex")}`;
    await usable(dataDir, () => writeFile(claim, `${process.pid} ${identity}\n`, { mode: 0o600, flag: "wx" }));
    const rival = await findRival(dataDir, claim);
    if (rival === undefined) {
      await rename(claim, lock);
      let released: Promise<void> | undefined;
      return {
        release: () => {
          // once only: the next lock there may be somebody else's
          released ??= rm(lock, { force: true });
          return released;
        },
      };
    }
    await rm(claim, { force: true });
    // two that claim at the same time both withdraw and try again
    if (rival.holds || performance.now() > giveUpAt) {
      const who = rival.pid === process.pid ? "already in use by this process" : `in use by another homesec (pid ${rival.pid})`;
      throw new Problem(
        "conflict",
        `The data folder ${dataDir} is ${who}; stop that one first (kill ${rival.pid}), or give this one a folder of its own with DATA_DIR`,
      );
    }
    await sleep(5 + Math.random() * 45);
  }
}

interface Rival {
  readonly pid: number;
  readonly holds: boolean;
}

async function findRival(dataDir: string, ownClaim: string): Promise<Rival | undefined> {
  // claims before the lock: one that becomes the lock in between is seen as either
  for (const name of await readdir(dataDir)) {
    const [, pid, identity] = /^homesec\.pid\.(\d+)\.([^.]+)\.\w+$/.exec(name) ?? [];
    const path = join(dataDir, name);
    if (pid === undefined || path === ownClaim) continue;
    if ((await processIdentity(Number(pid))) === identity) return { pid: Number(pid), holds: false };
    await rm(path, { force: true });
  }
  const holder = await dataFolderHolder(dataDir);
  return holder?.lives ? { pid: holder.pid, holds: true } : undefined;
}

/** Who has taken a data folder, and whether that process still lives. */
export interface DataFolderHolder {
  readonly pid: number;
  readonly lives: boolean;
}

/** Who has taken the data folder; undefined when nobody has, or has given it back. Changes nothing. */
export async function dataFolderHolder(dataDir: string): Promise<DataFolderHolder | undefined> {
  const [, pid, identity] = /^(\d+) (\S+)$/m.exec(await readIfThere(join(dataDir, lockName))) ?? [];
  if (pid === undefined) return undefined;
  return { pid: Number(pid), lives: (await processIdentity(Number(pid))) === identity };
}

async function readIfThere(path: string): Promise<string> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if (["ENOENT", "ENOTDIR"].includes((error as NodeJS.ErrnoException).code ?? "")) return "";
    throw error;
  }
}

/** Makes the data folder for this user alone where it is missing, and the folders above it as usual. Throws `Problem` when it cannot be made. */
export async function ensureDataFolder(dataDir: string): Promise<void> {
  await usable(dataDir, async () => {
    await makeFolder(dataDir, 0o700);
  });
}

async function usable(dataDir: string, use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } catch (cause) {
    throw new Problem(
      "unavailable",
      `The data folder ${dataDir} cannot be used (${(cause as NodeJS.ErrnoException).code}); choose another with DATA_DIR, or make it and give it to this user`,
      { cause },
    );
  }
}
