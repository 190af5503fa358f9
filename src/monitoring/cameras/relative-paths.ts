import type { Log } from "../../base/log/log.ts";
import type { Database, Sql } from "../../platform/database/database.ts";
import { isInside } from "../../platform/disk/files.ts";
import { nameRoot, pathTables, shortenFolders, shortenPaths, someFolderIsLong, storedRoot } from "./relative-paths-repository.ts";

/** Rows that one transaction checks. */
const rowsAtOnce = 5_000;

/**
 * Makes stored paths relative to the folder that the database names, and names `CAMERA_ROOT`, the first of these roots, if it names none.
 * `moves` tells that no other daemon uses the database: then stored paths follow `CAMERA_ROOT` to another place, as after a copy of the data
 * folder, unless the former one is among the roots. Shortens paths below it that were stored in full, by an older version.
 */
export async function settleCameraRoot(
  db: Database,
  { roots, moves, log }: { readonly roots: readonly string[]; readonly moves: boolean; readonly log: Log },
): Promise<void> {
  const root = await db.transaction((sql) => rootFor(sql, roots, moves));
  if (root === undefined) return;
  db.setCameraRoot(root);
  await shortenStoredPaths(db, root, log);
}

/** Makes stored paths relative to the folder that the database names, if it names one. */
export async function adoptStoredRoot(db: Database): Promise<void> {
  const root = await db.query(storedRoot);
  if (root !== undefined) db.setCameraRoot(root);
}

async function rootFor(sql: Sql, roots: readonly string[], moves: boolean): Promise<string | undefined> {
  const [cameraRoot] = roots;
  if (cameraRoot === undefined) return undefined;
  const before = await storedRoot(sql);
  const isGone = before !== undefined && !roots.some((root) => isInside(root, before));
  return await nameRoot(sql, cameraRoot, { replace: moves && isGone });
}

/**
 * Shortens in small transactions, the folders of the cameras last, so that a killed run is repeated.
 */
async function shortenStoredPaths(db: Database, root: string, log: Log): Promise<void> {
  if (!(await db.query((sql) => someFolderIsLong(sql, root)))) return;
  let rows = 0;
  for (const table of pathTables) {
    for (let after: number | undefined = 0; after !== undefined; ) {
      const from: number = after;
      const done = await db.transaction((sql) => shortenPaths(sql, table, { root, after: from, limit: rowsAtOnce }));
      rows += done.changed;
      after = done.last;
    }
  }
  const cameras = await db.transaction((sql) => shortenFolders(sql, root));
  log.info({ cameras, rows }, "Paths below CAMERA_ROOT are now stored relative to it");
}

/**
 * Fits the paths of restored data to this machine, in the caller's transaction: those below `formerRoot` follow it to `CAMERA_ROOT`, the
 * first of these roots, unless it is among them.
 */
export async function moveStoredPaths(sql: Sql, formerRoot: string, roots: readonly string[]): Promise<void> {
  for (const table of pathTables) await shortenPaths(sql, table, { root: formerRoot, after: 0, limit: undefined });
  await shortenFolders(sql, formerRoot);
  await nameRoot(sql, formerRoot, { replace: true });
  await rootFor(sql, roots, true);
}
