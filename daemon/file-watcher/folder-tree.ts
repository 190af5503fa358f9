import { type BigIntStats, type FSWatcher, watch } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { networkMount } from "../../src/monitoring/cameras/folder.ts";
import { type Version, versionOf } from "../../src/monitoring/images/look.ts";
import { isIgnoredFolder, isRecorded, kindOf } from "../../src/monitoring/images/picture.ts";
import { isGone } from "../../src/platform/disk/files.ts";
import { listWithTimeout, shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { isGarbled, rawPath, rawPaths } from "../../src/platform/disk/raw-paths.ts";
import { createLane } from "./lane.ts";
import { type NameSet, nameSet } from "./name-set.ts";

/** Times of folders are no finer than this on some file systems: what changed so recently is listed once more. */
const coarseTimeMs = 2_500;
const chunkSize = 500;
/** A regular listing of a large folder takes at most one part in so many of the time, so that it costs little beside its pictures. */
const watchedRest = 1_000;
const polledRest = 20;
const longestRetryMs = 15_000;
/** A folder with an event within this time is compared file by file when events may have been lost. */
const activeWithinMs = 60_000;

/** A file as a listing shows it. */
export interface ListedFile extends Version {
  readonly path: string;
  readonly changedAtMs: number;
  /** The path byte for byte, where the name is not UTF-8. */
  readonly raw?: Buffer | undefined;
}

/** What a tree tells about. */
export interface TreeListener {
  /** Something happened to a file with the name of a picture or video; `raw` as of a listed one. */
  onEvent(path: string, raw: Buffer | undefined): void;
  /** Such files were listed that were not there before, or all of them in a full scan. Resolves when more can be taken. */
  onListed(files: readonly ListedFile[]): Promise<void>;
  /** The top folder is gone or cannot be read. */
  onLost(error: NodeJS.ErrnoException): void;
}

interface Folder {
  readonly path: string;
  readonly inode: string;
  /** When it was made, if that can be trusted: not every file system keeps it, and some give the time of the last change instead. */
  readonly bornNs: bigint;
  isBirthKnown: boolean;
  watcher: FSWatcher | undefined;
  /** The time of the folder before it was last listed, and when that was. */
  modifiedNs: bigint;
  listedAtMs: number;
  /** What was in it then, or came since and is in the ledger; absent when it has to be compared in full. */
  names: NameSet | undefined;
  /** Files of which nothing could be told then. */
  missed: ReadonlyMap<string, unknown>;
  /** Folders in it that were taken out since: under such a name another one may come, which is new although the name is known. */
  left: Set<string>;
  lastEventAt: number;
  wanted: "names" | "full" | undefined;
  /** A regular listing costs the processor so much that the next one has to wait until then. */
  restUntil: number;
  /** Listings in a row that could not tell of all that is in it, and when the next one is due. */
  failures: number;
  retry: NodeJS.Timeout | undefined;
}

/** A folder with all below it: watched, listed again when it may have changed, compared in full when asked to. */
export interface FolderTree {
  readonly path: string;
  /** Watches the top folder; the rest follows in the background. Rejects when the top folder cannot be read. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Looks at the time and inode of each folder, lists what changed: `polled` those that cannot be watched, `at_once` large ones too. */
  check(which: "all" | "polled" | "at_once"): Promise<void>;
  /** Compares every file, or those in folders with events of late: some may have been lost. */
  compare(which: "all" | "active"): void;
  /** A name that looked like a file is a folder. */
  addFolder(path: string): void;
  /** A file that came with an event was looked at and is in the ledger: the next listing takes it for one that it knows. */
  noteEntered(path: string): void;
  readonly polledFolders: number;
  /** Events since the last call. */
  takeEvents(): number;
  /** Resolves when nothing is left to be listed. */
  idle(): Promise<void>;
}

export interface TreeOptions {
  readonly path: string;
  /** Whether a folder below belongs to somebody else. */
  readonly isForeign: (path: string) => boolean;
  readonly listener: TreeListener;
  readonly polling: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/** Whether the time at which a folder was made is kept, and is not merely its last change. */
const tellsBirth = ({ birthtimeNs, ctimeNs }: BigIntStats): boolean => birthtimeNs !== 0n && birthtimeNs !== ctimeNs;

/** Makes the tree of one camera's folder. */
export function createFolderTree(options: TreeOptions): FolderTree {
  const { path: top, listener, log, clock } = options;
  const folders = new Map<string, Folder>();
  const told = new Set<string>();
  const unreadable = new Set<string>();
  // folders are entered and new ones listed while a large one is still being compared
  const structure = createLane(log, `folders of ${top}`);
  const freshListings = createLane(log, `new folders of ${top}`);
  const listings = createLane(log, `files of ${top}`);
  let stopped = false;
  let polling = options.polling;
  let events = 0;
  let starting = true;

  /** Of what lies on a share one thing is asked at a time, and nothing while it hangs: else a few cameras on it would hold all threads. */
  const ask = <T>(question: () => Promise<T>): Promise<T> => (shareOf(top) === undefined ? question() : statWithTimeout(top, question));
  const askForNames = async <T>(question: () => Promise<T>): Promise<T> => {
    if (shareOf(top) === undefined) return await question();
    await statWithTimeout(top, () => stat(top));
    return await listWithTimeout(top, question);
  };

  const tellOnce = (key: string, fields: object, message: string): void => {
    if (told.has(key)) return;
    told.add(key);
    log.warn(fields, message);
  };

  /** Watches a folder, then those below it, then asks for a listing: whatever appears meanwhile is seen by one of the two. */
  const enter = async (path: string): Promise<void> => {
    if (stopped || (path !== top && options.isForeign(path))) return;
    const found = await ask(() => (path === top ? stat(path, { bigint: true }) : lstat(path, { bigint: true })));
    if (!found.isDirectory()) return;
    const inode = `${found.dev}:${found.ino}`;
    const known = folders.get(path);
    if (known?.inode === inode) {
      list(known, "names");
      return;
    }
    if (known) leave(path);
    const folder: Folder = {
      ...{ path, inode, bornNs: found.birthtimeNs, isBirthKnown: tellsBirth(found), watcher: undefined, modifiedNs: -1n, listedAtMs: 0 },
      ...{ names: undefined, left: new Set<string>(), lastEventAt: Number.NEGATIVE_INFINITY, wanted: undefined, restUntil: 0 },
      ...{ missed: new Map<string, unknown>(), failures: 0, retry: undefined },
    };
    folders.set(path, folder);
    watchFolder(folder);
    for (const entry of await askForNames(() => readdir(path, { withFileTypes: true }))) {
      if (entry.isDirectory() && !isIgnoredFolder(entry.name)) await enterBelow(join(path, entry.name));
      else if (entry.isSymbolicLink()) await tellOfLinkedFolder(join(path, entry.name));
    }
    list(folder, "full");
  };

  /** A folder that cannot be read does not keep its neighbours from being read. */
  const enterBelow = async (path: string): Promise<void> => {
    unreadable.delete(path);
    try {
      await enter(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (path === top) listener.onLost(error as NodeJS.ErrnoException);
      else if (code !== "ENOENT" && code !== "ENOTDIR") {
        unreadable.add(path);
        tellOnce(path, { folder: path, error: String(error) }, "a folder cannot be read; give the user that runs homesec the right to");
      }
      leave(path);
    }
  };

  const tellOfLinkedFolder = async (path: string): Promise<void> => {
    const target = await ask(() => stat(path)).catch(() => undefined);
    if (target?.isDirectory()) tellOnce(path, { link: path }, "a link to a folder is not followed; give its target a camera of its own");
  };

  const leave = (path: string): void => {
    if (folders.has(path)) folders.get(dirname(path))?.left.add(basename(path));
    for (const folder of folders.values()) {
      if (folder.path !== path && !folder.path.startsWith(`${path}/`)) continue;
      folder.watcher?.close();
      folders.delete(folder.path);
    }
  };

  const watchFolder = (folder: Folder): void => {
    if (polling) return;
    try {
      folder.watcher = watch(folder.path, { encoding: "buffer" }, (type, name) => onEvent(folder, type, name));
      folder.watcher.on("error", (error) => {
        folder.watcher?.close();
        folder.watcher = undefined;
        log.warn({ folder: folder.path, error: String(error) }, "the watch of a folder broke; it is polled from now on");
        list(folder, "full");
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "EACCES") throw error;
      const remedy =
        code === "ENOSPC" ? "raise fs.inotify.max_user_watches" : "raise fs.inotify.max_user_instances or the limit of open files";
      tellOnce("watches", { folder: folder.path, code }, `folders cannot be watched any more and are polled, which is slower; ${remedy}`);
    }
  };

  const onEvent = (folder: Folder, type: string, bytes: Buffer | null): void => {
    events += 1;
    folder.lastEventAt = clock.monotonic();
    if (!bytes) return void list(folder, "names");
    const name = bytes.toString();
    const path = join(folder.path, name);
    if (isRecorded(kindOf(name))) listener.onEvent(path, isGarbled(name) ? rawPath(folder.path, bytes) : undefined);
    if (type !== "rename" || folders.get(folder.path) !== folder) return;
    if (name === basename(folder.path)) structure.push(() => lookAtItself(folder, path));
    if (folders.has(path) || (kindOf(name) === "other" && !isIgnoredFolder(name))) structure.push(() => look(path));
  };

  /** Takes in what has this name by now. What is known is asked only when its turn comes: meanwhile it may have been taken out. */
  const look = async (path: string): Promise<void> => {
    const known = folders.get(path);
    if (known) await verify(known);
    else await enterBelow(path);
  };

  /** The name of the folder itself means that it was removed or renamed, and its watch with it, unless it is the name of something in it. */
  const lookAtItself = async (folder: Folder, below: string): Promise<void> => {
    const found = await stat(folder.path, { bigint: true }).catch(() => undefined);
    const isTheSame = found && folder.isBirthKnown && found.birthtimeNs === folder.bornNs;
    if (!isTheSame && !(await lstat(below).catch(() => undefined))) await enterAgain(folder);
    // it may have been elsewhere meanwhile
    else if ((await verify(folder)) !== undefined) list(folder, "names");
  };

  /** Another folder may have the place, and even the inode, of the one that was watched. */
  const enterAgain = async (folder: Folder): Promise<void> => {
    if (folders.get(folder.path) !== folder) return;
    leave(folder.path);
    await enterBelow(folder.path);
  };

  /** Takes a folder out that is gone, in again that is another one by now; answers its time when it is the one that is known. */
  const verify = async (folder: Folder): Promise<bigint | undefined> => {
    if (folders.get(folder.path) !== folder) return undefined;
    try {
      const found = await ask(() => stat(folder.path, { bigint: true }));
      if (`${found.dev}:${found.ino}` === folder.inode) return found.mtimeNs;
      await enterAgain(folder);
    } catch (error) {
      leave(folder.path);
      if (folder.path === top) listener.onLost(error as NodeJS.ErrnoException);
      else if ((error as NodeJS.ErrnoException).code !== "ENOENT") unreadable.add(folder.path);
    }
    return undefined;
  };

  const list = (folder: Folder, how: "names" | "full"): void => {
    const queued = folder.wanted !== undefined;
    if (folder.wanted !== "full") folder.wanted = how;
    if (!queued) (folder.names || starting ? listings : freshListings).push(() => tryListing(folder));
  };

  const tryListing = async (folder: Folder): Promise<void> => {
    try {
      await listNow(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      if (folder.failures === 0) log.warn({ folder: folder.path, error: String(error) }, "a folder could not be listed; trying again");
      listAgain(folder);
    }
  };

  const listAgain = (folder: Folder): void => {
    folder.failures += 1;
    const again = (): void => {
      folder.retry = undefined;
      list(folder, "names");
    };
    folder.retry ??= setTimeout(again, Math.min(500 * 2 ** folder.failures, longestRetryMs)).unref();
  };

  const listNow = async (folder: Folder): Promise<void> => {
    const all = folder.wanted === "full" || !folder.names;
    folder.wanted = undefined;
    if (folders.get(folder.path) !== folder) return;
    const listedAtMs = clock.now().getTime();
    const before = await ask(() => stat(folder.path, { bigint: true }));
    const startedAt = clock.monotonic();
    const names = await askForNames(() => readdir(folder.path));
    const { names: earlier, left, missed: missedBefore } = folder;
    const wasThere = (name: string): boolean => earlier === undefined || earlier.has(name) || missedBefore.has(name);
    folder.names = undefined;
    folder.left = new Set();
    const fresh = all || !earlier ? names : names.filter((name) => !earlier.has(name) || left.has(name));
    folder.isBirthKnown ||= tellsBirth(before) && before.birthtimeNs === folder.bornNs;
    folder.restUntil = startedAt + (clock.monotonic() - startedAt) * (folder.watcher ? watchedRest : polledRest);
    const raw = fresh.some(isGarbled) ? await askForNames(() => rawPaths(folder.path)) : new Map<string, Buffer>();
    const missed = new Map<string, unknown>();
    const tryOne = async (name: string): Promise<ListedFile | undefined> => {
      try {
        const file = await examine(folder, name, raw.get(name));
        // what was not there at the last listing came since then, whatever the clock of a server says
        return file && file.changedAtMs < folder.listedAtMs && !wasThere(name) ? { ...file, changedAtMs: listedAtMs } : file;
      } catch (error) {
        // one file of which a damaged disk cannot tell does not keep the others from being seen
        missed.set(name, error);
        return undefined;
      }
    };
    for (let at = 0; at < fresh.length && !stopped; at += chunkSize) {
      const files = await Promise.all(fresh.slice(at, at + chunkSize).map(tryOne));
      await listener.onListed(files.filter((file) => file !== undefined));
    }
    // only now: a listing that failed half-way is made again in full
    folder.names = nameSet(names.filter((name) => !left.has(name) && !missed.has(name)));
    folder.modifiedNs = before.mtimeNs;
    folder.listedAtMs = listedAtMs;
    folder.missed = missed;
    if (missed.size > 0) tryMissed(folder);
    else folder.failures = 0;
  };

  const tryMissed = (folder: Folder): void => {
    if (folder.failures === 0) {
      const [path, error] = [...folder.missed].map(([name, reason]) => [join(folder.path, name), String(reason)])[0] ?? [];
      log.warn({ path, error, files: folder.missed.size }, "files of a folder cannot be looked at, the others are; trying again");
    }
    listAgain(folder);
  };

  const examine = async (folder: Folder, name: string, raw: Buffer | undefined): Promise<ListedFile | undefined> => {
    const kind = kindOf(name);
    const path = join(folder.path, name);
    if (kind === "temporary" || isIgnoredFolder(name) || folders.has(path)) return undefined;
    try {
      const found = await ask(() => lstat(raw ?? path, { bigint: true }));
      if (found.isDirectory()) {
        if (raw) tellOnce(path, { folder: path }, "a folder's name is not valid UTF-8, so what is in it is not seen; rename it");
        structure.push(() => enterBelow(path));
        return undefined;
      }
      if (!isRecorded(kind)) return undefined;
      return { path, ...versionOf(found), changedAtMs: Number(found.ctimeMs), raw };
    } catch (error) {
      if (isGone(error)) return undefined;
      throw error;
    }
  };

  const checkOne = async (folder: Folder, atOnce: boolean): Promise<void> => {
    const modifiedNs = await verify(folder);
    if (modifiedNs === undefined || (folder.names && !atOnce && clock.monotonic() < folder.restUntil)) return;
    const mayHideChanges = folder.listedAtMs - Number(folder.modifiedNs / 1_000_000n) < coarseTimeMs;
    if (!folder.names || modifiedNs !== folder.modifiedNs || mayHideChanges) list(folder, "names");
  };

  return {
    path: top,
    start: async () => {
      polling ||= (await networkMount(top)) !== undefined;
      const found = await stat(top);
      if (!found.isDirectory()) throw Object.assign(new Error(`${top} is not a folder`), { code: "ENOTDIR" });
      structure.push(async () => {
        await enterBelow(top);
        starting = false;
      });
    },
    stop: async () => {
      stopped = true;
      await Promise.all([structure.stop(), freshListings.stop(), listings.stop()]);
      leave(top);
    },
    check: async (which) => {
      for (const path of [...unreadable]) structure.push(() => enterBelow(path));
      for (const folder of [...folders.values()]) {
        if (stopped) return;
        if (which !== "polled" || !folder.watcher) await checkOne(folder, which === "at_once");
      }
    },
    compare: (which) => {
      const since = clock.monotonic() - activeWithinMs;
      for (const folder of folders.values()) {
        if (which === "all" || folder.lastEventAt > since) list(folder, "full");
      }
    },
    addFolder: (path) => structure.push(() => enterBelow(path)),
    noteEntered: (path) => folders.get(dirname(path))?.names?.add(basename(path)),
    get polledFolders() {
      return [...folders.values()].filter(({ watcher }) => !watcher).length;
    },
    takeEvents: () => {
      const taken = events;
      events = 0;
      return taken;
    },
    idle: async () => {
      await structure.idle();
      await Promise.all([freshListings.idle(), listings.idle()]);
    },
  };
}
