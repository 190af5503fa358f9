import { watch } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { networkMount } from "../../src/monitoring/cameras/folder.ts";
import { versionOf } from "../../src/monitoring/images/inspect-file.ts";
import { isIgnoredFolder, isRecorded, kindOf } from "../../src/monitoring/images/picture.ts";
import { isGone } from "../../src/platform/disk/files.ts";
import { listWithTimeout, shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { isGarbled, rawPath, rawPaths } from "../../src/platform/disk/raw-paths.ts";
import { nameSet } from "./name-set.ts";
import { SerialQueue } from "./serial-queue.ts";
import { hasBirthtime, inodeOf, type ListedFile, unlistedFolder, type WatchedFolder } from "./watched-folder.ts";

/** Some file systems store times this coarsely: a folder that changed this shortly before its listing is listed again. */
const coarseTimeMs = 2_500;
const chunkSize = 500;
/** Regular listings of a large folder take at most one part in this many of the time, so that its pictures come first. */
const watchedThrottle = 1_000;
const polledThrottle = 20;
const longestRetryMs = 15_000;
/** A folder with an event within this time is compared file by file when events may have been lost. */
const activeWithinMs = 60_000;

/** Receives what a tree finds. */
export interface TreeListener {
  /** Something happened to a file with the name of a picture or video; `raw` as in ListedFile. */
  onEvent(path: string, raw: Buffer | undefined): void;
  /** A listing shows new files, or a full comparison shows all of them. Resolves when more can be taken. */
  onListed(files: readonly ListedFile[]): Promise<void>;
  /** The top folder is gone or cannot be read. */
  onLost(error: NodeJS.ErrnoException): void;
}

/** Dependencies of a tree. */
export interface TreeOptions {
  readonly path: string;
  /** Whether a folder below belongs to another camera. */
  readonly isForeign: (path: string) => boolean;
  readonly listener: TreeListener;
  readonly polling: boolean;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * A camera's folder with all folders below it: watched, listed again when it may have changed, and compared in full on request. Folders are
 * entered, and new ones listed, while a large one is still being compared: hence three queues.
 */
export class FolderTree {
  readonly path: string;
  readonly #options: TreeOptions;
  readonly #folders = new Map<string, WatchedFolder>();
  readonly #warned = new Set<string>();
  readonly #unreadableFolders = new Set<string>();
  readonly #structure: SerialQueue;
  readonly #newListings: SerialQueue;
  readonly #listings: SerialQueue;
  #polling: boolean;
  #stopped = false;
  #starting = true;
  #events = 0;

  constructor(options: TreeOptions) {
    const { path, log } = options;
    this.path = path;
    this.#options = options;
    this.#polling = options.polling;
    this.#structure = new SerialQueue(log, `folders of ${path}`);
    this.#newListings = new SerialQueue(log, `new folders of ${path}`);
    this.#listings = new SerialQueue(log, `files of ${path}`);
  }

  /** Watches the top folder; the rest follows in the background. Rejects when the top folder cannot be read. */
  async start(): Promise<void> {
    this.#polling ||= (await networkMount(this.path)) !== undefined;
    const found = await stat(this.path);
    if (!found.isDirectory()) throw Object.assign(new Error(`${this.path} is not a folder`), { code: "ENOTDIR" });
    this.#structure.push(async () => {
      await this.#tryAdding(this.path);
      this.#starting = false;
    });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all([this.#structure.stop(), this.#newListings.stop(), this.#listings.stop()]);
    this.#remove(this.path);
  }

  /** Checks time and inode of each folder and lists the changed ones: `polled` those without a watch, `at_once` large ones too. */
  async check(which: "all" | "polled" | "at_once"): Promise<void> {
    for (const path of [...this.#unreadableFolders]) this.addFolder(path);
    for (const folder of [...this.#folders.values()]) {
      if (this.#stopped) return;
      if (which !== "polled" || !folder.watcher) await this.#checkFolder(folder, which === "at_once");
    }
  }

  /** Compares every file, or only those in folders with recent events, because events may have been lost. */
  compare(which: "all" | "active"): void {
    const since = this.#options.clock.monotonic() - activeWithinMs;
    for (const folder of this.#folders.values()) {
      if (which === "all" || folder.lastEventAt > since) this.#list(folder, "full");
    }
  }

  /** Adds a folder, such as one whose name looked like a file. */
  addFolder(path: string): void {
    this.#structure.push(() => this.#tryAdding(path));
  }

  /** Marks a file as known to the ledger, so that the next listing does not report it. */
  markRegistered(path: string): void {
    this.#folders.get(dirname(path))?.names?.add(basename(path));
  }

  /** Whether any folder has no watch. */
  get isPolling(): boolean {
    return [...this.#folders.values()].some(({ watcher }) => !watcher);
  }

  /** Number of events since the last call. */
  takeEvents(): number {
    const taken = this.#events;
    this.#events = 0;
    return taken;
  }

  /** Resolves when no listing is left. */
  async idle(): Promise<void> {
    await this.#structure.idle();
    await Promise.all([this.#newListings.idle(), this.#listings.idle()]);
  }

  /** On a share, one request runs at a time and none while it hangs: otherwise a few cameras on it would hold all threads. */
  #request<T>(request: () => Promise<T>): Promise<T> {
    return shareOf(this.path) === undefined ? request() : statWithTimeout(this.path, request);
  }

  async #requestNames<T>(request: () => Promise<T>): Promise<T> {
    if (shareOf(this.path) === undefined) return await request();
    await statWithTimeout(this.path, () => stat(this.path));
    return await listWithTimeout(this.path, request);
  }

  #warnOnce(key: string, fields: object, message: string): void {
    if (this.#warned.has(key)) return;
    this.#warned.add(key);
    this.#options.log.warn(fields, message);
  }

  /** Watches a folder, then those below it, then requests a listing: anything that appears meanwhile is seen by the watch or the listing. */
  async #add(path: string): Promise<void> {
    if (this.#stopped || (path !== this.path && this.#options.isForeign(path))) return;
    const found = await this.#request(() => (path === this.path ? stat(path, { bigint: true }) : lstat(path, { bigint: true })));
    if (!found.isDirectory()) return;
    const known = this.#folders.get(path);
    if (known?.inode === inodeOf(found)) {
      this.#list(known, "names");
      return;
    }
    if (known) this.#remove(path);
    const folder = unlistedFolder(path, found);
    this.#folders.set(path, folder);
    this.#watch(folder);
    for (const entry of await this.#requestNames(() => readdir(path, { withFileTypes: true }))) {
      if (entry.isDirectory() && !isIgnoredFolder(entry.name)) await this.#tryAdding(join(path, entry.name));
      else if (entry.isSymbolicLink()) await this.#warnOfLinkedFolder(join(path, entry.name));
    }
    this.#list(folder, "full");
  }

  /** Adds a folder. One that cannot be read does not keep its neighbours from being read. */
  async #tryAdding(path: string): Promise<void> {
    this.#unreadableFolders.delete(path);
    try {
      await this.#add(path);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (path === this.path) this.#options.listener.onLost(error as NodeJS.ErrnoException);
      else if (code !== "ENOENT" && code !== "ENOTDIR") {
        this.#unreadableFolders.add(path);
        const message = "a folder cannot be read; give the user that runs homesec the right to read it";
        this.#warnOnce(path, { folder: path, error: String(error) }, message);
      }
      this.#remove(path);
    }
  }

  async #warnOfLinkedFolder(path: string): Promise<void> {
    const target = await this.#request(() => stat(path)).catch(() => undefined);
    if (target?.isDirectory())
      this.#warnOnce(path, { link: path }, "homesec does not follow a link to a folder; add a camera for its target");
  }

  /** Forgets a folder and all below it. */
  #remove(path: string): void {
    if (this.#folders.has(path)) this.#folders.get(dirname(path))?.removed.add(basename(path));
    for (const folder of this.#folders.values()) {
      if (folder.path !== path && !folder.path.startsWith(`${path}/`)) continue;
      folder.watcher?.close();
      this.#folders.delete(folder.path);
    }
  }

  #watch(folder: WatchedFolder): void {
    if (this.#polling) return;
    const { log } = this.#options;
    try {
      folder.watcher = watch(folder.path, { encoding: "buffer" }, (type, name) => this.#onEvent(folder, type, name));
      folder.watcher.on("error", (error) => {
        folder.watcher?.close();
        folder.watcher = undefined;
        log.warn({ folder: folder.path, error: String(error) }, "the watch of a folder failed; homesec polls the folder instead");
        this.#list(folder, "full");
      });
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "ENOENT" || code === "EACCES") throw error;
      const fix =
        code === "ENOSPC" ? "raise fs.inotify.max_user_watches" : "raise fs.inotify.max_user_instances or the limit of open files";
      const message = `no more folders can be watched; homesec polls them, which is slower; ${fix}`;
      this.#warnOnce("watches", { folder: folder.path, code }, message);
    }
  }

  #onEvent(folder: WatchedFolder, type: string, bytes: Buffer | null): void {
    this.#events += 1;
    folder.lastEventAt = this.#options.clock.monotonic();
    if (!bytes) {
      this.#list(folder, "names");
      return;
    }
    const name = bytes.toString();
    const path = join(folder.path, name);
    if (isRecorded(kindOf(name))) this.#options.listener.onEvent(path, isGarbled(name) ? rawPath(folder.path, bytes) : undefined);
    if (type !== "rename" || this.#folders.get(folder.path) !== folder) return;
    if (name === basename(folder.path)) this.#structure.push(() => this.#onOwnName(folder, path));
    if (this.#folders.has(path) || (kindOf(name) === "other" && !isIgnoredFolder(name))) this.#structure.push(() => this.#refresh(path));
  }

  /** Reads the present state of a name. The folder is looked up only now, because it may have been removed while this job was queued. */
  async #refresh(path: string): Promise<void> {
    const known = this.#folders.get(path);
    if (known) await this.#verify(known);
    else await this.#tryAdding(path);
  }

  /** An event with the folder's own name means that it was removed or renamed, and its watch with it, unless an entry has the same name. */
  async #onOwnName(folder: WatchedFolder, entry: string): Promise<void> {
    const found = await stat(folder.path, { bigint: true }).catch(() => undefined);
    const isSame = found && folder.isBirthtimeKnown && found.birthtimeNs === folder.birthtimeNs;
    if (!isSame && !(await lstat(entry).catch(() => undefined))) await this.#replace(folder);
    // it may have been elsewhere in the meantime
    else if ((await this.#verify(folder)) !== undefined) this.#list(folder, "names");
  }

  /** Another folder may have the path, and even the inode, of the watched one. */
  async #replace(folder: WatchedFolder): Promise<void> {
    if (this.#folders.get(folder.path) !== folder) return;
    this.#remove(folder.path);
    await this.#tryAdding(folder.path);
  }

  /** Leaves a folder that is gone and enters one that was replaced. Returns the modification time when it is still the same folder. */
  async #verify(folder: WatchedFolder): Promise<bigint | undefined> {
    if (this.#folders.get(folder.path) !== folder) return undefined;
    try {
      const found = await this.#request(() => stat(folder.path, { bigint: true }));
      if (inodeOf(found) === folder.inode) return found.mtimeNs;
      await this.#replace(folder);
    } catch (error) {
      this.#remove(folder.path);
      if (folder.path === this.path) this.#options.listener.onLost(error as NodeJS.ErrnoException);
      else if ((error as NodeJS.ErrnoException).code !== "ENOENT") this.#unreadableFolders.add(folder.path);
    }
    return undefined;
  }

  async #checkFolder(folder: WatchedFolder, atOnce: boolean): Promise<void> {
    const modifiedNs = await this.#verify(folder);
    if (modifiedNs === undefined || (folder.names && !atOnce && this.#options.clock.monotonic() < folder.throttledUntil)) return;
    const mayHideChanges = folder.listedAtMs - Number(folder.modifiedNs / 1_000_000n) < coarseTimeMs;
    if (!folder.names || modifiedNs !== folder.modifiedNs || mayHideChanges) this.#list(folder, "names");
  }

  #list(folder: WatchedFolder, how: "names" | "full"): void {
    const isQueued = folder.requested !== undefined;
    if (folder.requested !== "full") folder.requested = how;
    if (!isQueued) (folder.names || this.#starting ? this.#listings : this.#newListings).push(() => this.#tryListing(folder));
  }

  async #tryListing(folder: WatchedFolder): Promise<void> {
    try {
      await this.#listNow(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === "ENOENT") return;
      this.#retryListing(folder, { folder: folder.path, error: String(error) }, "a folder could not be listed; trying again");
    }
  }

  /** Lists the folder again after a delay that doubles with each failure. Warns of the first failure in a row. */
  #retryListing(folder: WatchedFolder, fields: object, message: string): void {
    if (folder.failures === 0) this.#options.log.warn(fields, message);
    folder.failures += 1;
    const again = (): void => {
      folder.retry = undefined;
      this.#list(folder, "names");
    };
    folder.retry ??= setTimeout(again, Math.min(500 * 2 ** folder.failures, longestRetryMs)).unref();
  }

  async #listNow(folder: WatchedFolder): Promise<void> {
    const all = folder.requested === "full" || !folder.names;
    folder.requested = undefined;
    if (this.#folders.get(folder.path) !== folder) return;
    const { clock } = this.#options;
    const listedAtMs = clock.now().getTime();
    const before = await this.#request(() => stat(folder.path, { bigint: true }));
    const startedAt = clock.monotonic();
    const names = await this.#requestNames(() => readdir(folder.path));
    const { names: earlier, removed, unreadable: unreadableBefore } = folder;
    folder.names = undefined;
    folder.removed = new Set();
    folder.isBirthtimeKnown ||= hasBirthtime(before) && before.birthtimeNs === folder.birthtimeNs;
    folder.throttledUntil = startedAt + (clock.monotonic() - startedAt) * (folder.watcher ? watchedThrottle : polledThrottle);
    const added = all || !earlier ? names : names.filter((name) => !earlier.has(name) || removed.has(name));
    const wasThere = (name: string): boolean => earlier === undefined || earlier.has(name) || unreadableBefore.has(name);
    const unreadable = await this.#report(folder, added, (file, name) =>
      // a file that was not there at the last listing arrived since, whatever the clock of a server says
      file.changedAtMs < folder.listedAtMs && !wasThere(name) ? { ...file, changedAtMs: listedAtMs } : file,
    );
    folder.modifiedNs = before.mtimeNs;
    folder.listedAtMs = listedAtMs;
    // only now, so that a listing that fails half-way is repeated in full
    folder.names = nameSet(names.filter((name) => !removed.has(name) && !unreadable.has(name)));
    folder.unreadable = unreadable;
    const [first] = unreadable;
    if (!first) folder.failures = 0;
    else {
      const fields = { path: join(folder.path, first[0]), error: String(first[1]), files: unreadable.size };
      this.#retryListing(folder, fields, "some files of a folder cannot be read; trying again");
    }
  }

  /** Reports the files with these names to the listener. Returns those whose details a damaged disk does not give: the others are still seen. */
  async #report(
    folder: WatchedFolder,
    names: readonly string[],
    dated: (file: ListedFile, name: string) => ListedFile,
  ): Promise<ReadonlyMap<string, unknown>> {
    const raw = names.some(isGarbled) ? await this.#requestNames(() => rawPaths(folder.path)) : new Map<string, Buffer>();
    const unreadable = new Map<string, unknown>();
    const examine = async (name: string): Promise<ListedFile | undefined> => {
      try {
        const file = await this.#examine(folder, name, raw.get(name));
        return file && dated(file, name);
      } catch (error) {
        if (!isGone(error)) unreadable.set(name, error);
        return undefined;
      }
    };
    for (let at = 0; at < names.length && !this.#stopped; at += chunkSize) {
      const files = await Promise.all(names.slice(at, at + chunkSize).map(examine));
      await this.#options.listener.onListed(files.filter((file) => file !== undefined));
    }
    return unreadable;
  }

  async #examine(folder: WatchedFolder, name: string, raw: Buffer | undefined): Promise<ListedFile | undefined> {
    const kind = kindOf(name);
    const path = join(folder.path, name);
    if (kind === "temporary" || isIgnoredFolder(name) || this.#folders.has(path)) return undefined;
    const found = await this.#request(() => lstat(raw ?? path, { bigint: true }));
    if (!found.isDirectory()) return isRecorded(kind) ? { path, ...versionOf(found), changedAtMs: Number(found.ctimeMs), raw } : undefined;
    if (raw) this.#warnOnce(path, { folder: path }, "the name of a folder is not valid UTF-8, so homesec cannot read it; rename it");
    this.addFolder(path);
    return undefined;
  }
}
