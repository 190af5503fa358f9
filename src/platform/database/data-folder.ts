import { randomBytes } from "node:crypto";
import { readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Problem } from "../../contract/problem.ts";
import { makeFolder } from "./make-folder.ts";
import { processIdentity } from "./process-identity.ts";

const lockName = "homesec.pid";
const standoffMs = 1_000;

/** This process holds the data folder until the release. */
export interface DataFolderLock {
  release(): Promise<void>;
}

/**
 * Creates the data folder if it is missing (0700) and locks it for this process. The lock is the file `homesec.pid` with the pid and the
 * identity of its holder; it is valid only while that process lives. Throws `Problem`: `conflict` if another living homesec holds it,
 * `unavailable` if the folder cannot be used. Of several processes that start together, exactly one succeeds: each first writes a claim
 * with a unique name, then looks for other living ones. Of two claims, the later one always sees the earlier. A process that sees no
 * other renames its claim to the lock; all others withdraw theirs. Since names are unique, removing the claims of dead processes can
 * never remove a living one.
 */
export async function lockDataFolder(dataDir: string): Promise<DataFolderLock> {
  await ensureDataFolder(dataDir);
  const lock = join(dataDir, lockName);
  const identity = await processIdentity(process.pid);
  const deadline = performance.now() + standoffMs;
  for (;;) {
    const claim = `${lock}.${process.pid}.${identity}.${randomBytes(4).toString("hex")}`;
    await usable(dataDir, () => writeFile(claim, `${process.pid} ${identity}\n`, { mode: 0o600, flag: "wx" }));
    const rival = await findRival(dataDir, claim);
    if (rival === undefined) {
      await rename(claim, lock);
      let released: Promise<void> | undefined;
      return {
        release: () => {
          // Only once: a later lock there may belong to another process
          released ??= rm(lock, { force: true });
          return released;
        },
      };
    }
    await rm(claim, { force: true });
    // Two simultaneous claims are both withdrawn and tried again
    if (rival.holds || performance.now() > deadline) {
      const who = rival.pid === process.pid ? "already in use by this process" : `in use by another homesec (pid ${rival.pid})`;
      throw new Problem(
        "conflict",
        `The data folder ${dataDir} is ${who}; stop it first (kill ${rival.pid}), or set DATA_DIR to another folder`,
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
  // Claims come before the lock: a claim that becomes the lock meanwhile is seen as one of the two
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

/** The holder of a data folder, and whether that process still lives. */
export interface DataFolderHolder {
  readonly pid: number;
  readonly lives: boolean;
}

/** Returns the holder of the data folder; undefined if there is none or it has released it. Changes nothing. */
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

/**
 * Creates the data folder, accessible to this user only, if it is missing, and its parent folders with usual permissions. Throws
 * `Problem` if it cannot be created.
 */
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
      `The data folder ${dataDir} cannot be used (${(cause as NodeJS.ErrnoException).code}); choose another with DATA_DIR, or create it and give it to this user`,
      { cause },
    );
  }
}
