// Over 400 lines: events, entries and checks of folders change the same three maps, in an order that matters
import { type BigIntStats, watch } from "node:fs";
import { lstat, readdir, realpath, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { type Clock, dayMs } from "../../src/base/clock/clock.ts";
import type { Log } from "../../src/base/log/log.ts";
import { networkMount } from "../../src/monitoring/cameras/folder.ts";
import { fileReasons, linkedFolderReason } from "../../src/monitoring/cameras/passed-over.ts";
import type { Version } from "../../src/monitoring/images/inspect-file.ts";
import { isIgnoredFolder, isRecorded, isSideFile, kindOf } from "../../src/monitoring/images/picture.ts";
import { isGone } from "../../src/platform/disk/files.ts";
import { detailsInside, enter, isEmpty } from "../../src/platform/disk/folder-access.ts";
import { listWithTimeout, shareOf, statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { isGarbled, rawPath } from "../../src/platform/disk/raw-paths.ts";
import type { PassedOver } from "../../src/work/operations/runtime.ts";
import { FolderFaults } from "./folder-faults.ts";
import { FolderLister } from "./folder-lister.ts";
import { IdleFolders } from "./idle-folders.ts";
import { PassedOverCounts } from "./passed-over-names.ts";
import { SerialQueue } from "./serial-queue.ts";
import { inodeOf, type ListedFile, passedOverIn, unlistedFolder, type WatchedFolder } from "./watched-folder.ts";

/** Some file systems store times this coarsely: a folder that changed this shortly before its listing is listed again. */
const coarseTimeMs = 2_500;
const longestRetryMs = 15_000;
/** A folder with an event within this time is compared file by file when events may have been lost. */
const activeWithinMs = 60_000;

/** Receives what a tree finds. */
export interface TreeListener {
  /** Something happened to a file that may be a picture or video; `raw` and `byContent` as in ListedFile. */
  onEvent(path: string, raw: Buffer | undefined, byContent: boolean): void;
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
  /** Whether a file belongs to no camera by the file patterns; absent where all files belong to one. */
  readonly isUnassigned?: ((path: string) => boolean) | undefined;
  readonly listener: TreeListener;
  readonly polling: boolean;
  /** Unreadable folders that were logged already, by any tree. */
  readonly loggedFaults: Set<string>;
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
  readonly #faults: FolderFaults;
  readonly #idle = new IdleFolders();
  readonly #lister: FolderLister;
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
    this.#faults = new FolderFaults(log, options.loggedFaults);
    this.#lister = new FolderLister({
      clock: options.clock,
      request: (request) => this.#request(request),
      requestNames: (request) => this.#requestNames(request),
      isKnownFolder: (folder) => this.#folders.has(folder) || this.#idle.has(folder),
      onFolder: (folder) => this.addFolder(folder),
      onLink: (link) => this.#noteLinkedFolder(link),
      onGarbledFolder: (folder, name) => this.#onGarbledFolder(folder, name),
      onListed: (files) => options.listener.onListed(files),
      isUnassigned: options.isUnassigned,
      isStopped: () => this.#stopped,
    });
    this.#structure = new SerialQueue(log, `folders of ${path}`);
    this.#newListings = new SerialQueue(log, `new folders of ${path}`);
    this.#listings = new SerialQueue(log, `files of ${path}`);
  }

  /** Watches the top folder; the rest follows in the background. Rejects when the top folder cannot be read. */
  async start(): Promise<void> {
    this.#polling ||= (await networkMount(this.path)) !== undefined;
    const found = await stat(this.path);
    if (!found.isDirectory()) throw Object.assign(new Error(`${this.path} is not a folder`), { code: "ENOTDIR" });
    await enter(this.path);
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
    for (const path of this.#faults.folders) this.addFolder(path);
    for (const folder of [...this.#folders.values()]) {
      if (this.#stopped) return;
      for (const name of folder.passedOver?.takeChanged() ?? []) this.#options.listener.onEvent(join(folder.path, name), undefined, true);
      if (which !== "polled" || !folder.watcher) await this.#checkFolder(folder, which === "at_once");
    }
    if (which === "all") await this.#checkIdleFolders();
  }

  /** Adds the idle folders that have changed. */
  async #checkIdleFolders(): Promise<void> {
    for (const [path, modifiedNs] of this.#idle.next()) {
      if (this.#stopped) return;
      const found = await this.#request(() => lstat(path, { bigint: true })).catch(() => undefined);
      if (found?.mtimeNs === modifiedNs) continue;
      this.#idle.delete(path);
      this.addFolder(path);
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
    const folder = this.#folders.get(dirname(path));
    folder?.names?.add(basename(path));
    folder?.passedOver?.forget(basename(path));
  }

  /** Marks a file as no picture by its content: it is not read again while it stays the same. */
  markNotMedia(path: string, version: Version): void {
    const folder = this.#folders.get(dirname(path));
    if (folder) passedOverIn(folder).addNotMedia(basename(path), version);
  }

  /** Folders and files that are passed over. `isRead` tells whether the target of a link is read anyway. */
  passedOver(cameraId: string | null, isRead: (target: string) => boolean): readonly PassedOver[] {
    const counts = new PassedOverCounts();
    for (const folder of this.#folders.values()) {
      folder.passedOver?.addTo(counts, folder.path, isRead);
      for (const [name, error] of folder.unreadable) {
        const path = join(folder.path, name);
        counts.add("unreadable_folder", 1, path, `the disk does not give the details of ${path} (${error}); check the disk`);
      }
    }
    return [...this.#faults.passedOver(cameraId), ...counts.entries(cameraId)];
  }

  /** Number of folders without a watch because they are empty. */
  get idleFolders(): number {
    return this.#idle.size;
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
    const found = await this.#detailsOf(path);
    if (!found) return;
    if (!found.isDirectory()) {
      this.#faults.forget(path);
      if (path !== this.path) await this.#addOther(path, found);
      return;
    }
    const known = this.#folders.get(path);
    if (known?.inode === inodeOf(found)) {
      this.#list(known, "names");
      return;
    }
    if (known) this.#remove(path);
    if (path !== this.path && (await this.#isIdle(path, found))) {
      this.#idle.add(path, found.mtimeNs);
      this.#faults.clear(path);
      return;
    }
    this.#idle.delete(path);
    await this.#request(() => detailsInside(path));
    const folder = unlistedFolder(path, found);
    this.#folders.set(path, folder);
    this.#watch(folder);
    for (const entry of await this.#requestNames(() => readdir(path, { withFileTypes: true }))) {
      if (entry.isDirectory() && !isIgnoredFolder(entry.name)) await this.#tryAdding(join(path, entry.name));
      else if (entry.isSymbolicLink() && !this.#options.isForeign(join(path, entry.name))) {
        await this.#noteLinkedFolder(join(path, entry.name));
      }
    }
    this.#list(folder, "full");
  }

  /** Returns the details of a folder; undefined if the folder that holds it is closed, which its listing reports. */
  async #detailsOf(path: string): Promise<BigIntStats | undefined> {
    try {
      return await this.#request(() => (path === this.path ? stat(path, { bigint: true }) : lstat(path, { bigint: true })));
    } catch (error) {
      if (path === this.path || (error as NodeJS.ErrnoException).code !== "EACCES") throw error;
      const parent = this.#folders.get(dirname(path));
      if (parent) this.#list(parent, "names");
      else if (!this.#faults.has(dirname(path))) throw error;
      return undefined;
    }
  }

  /** An entry that is no folder may be a picture without a known ending, or a link to a folder. */
  async #addOther(path: string, found: BigIntStats): Promise<void> {
    const name = basename(path);
    const folder = this.#folders.get(dirname(path));
    folder?.passedOver?.forget(name);
    const isLink = found.isSymbolicLink();
    if (isLink && (await this.#noteLinkedFolder(path))) return;
    if (!(isLink || found.isFile()) || kindOf(name) !== "other" || isSideFile(name)) return;
    if (folder && this.#options.isUnassigned?.(path))
      passedOverIn(folder).addFolder(name, "unassigned_file", fileReasons.unassigned_file(path));
    else this.#options.listener.onEvent(path, undefined, true);
  }

  async #isIdle(path: string, { mtimeNs }: BigIntStats): Promise<boolean> {
    return (
      this.#idle.mayRest(mtimeNs, this.#options.clock.now().getTime(), this.#folders.size) &&
      (await this.#requestNames(() => isEmpty(path)))
    );
  }

  /** Adds a folder. One that cannot be read does not keep its neighbours from being read. */
  async #tryAdding(path: string): Promise<void> {
    try {
      await this.#add(path);
    } catch (error) {
      this.#onFault(path, error as NodeJS.ErrnoException);
    }
  }

  /** A folder cannot be entered or is gone. */
  #onFault(path: string, error: NodeJS.ErrnoException): void {
    this.#remove(path);
    if (path === this.path) this.#options.listener.onLost(error);
    else if (isGone(error)) this.#faults.forget(path);
    else this.#faults.note(path, error);
  }

  /** Returns whether the link leads to a folder. */
  async #noteLinkedFolder(path: string): Promise<boolean> {
    const target = await this.#request(async () => ((await stat(path)).isDirectory() ? await realpath(path) : undefined)).catch(
      () => undefined,
    );
    const folder = this.#folders.get(dirname(path));
    if (target === undefined || !folder) return target !== undefined;
    const reason = linkedFolderReason(path, target);
    if (passedOverIn(folder).addFolder(basename(path), "linked_folder", reason, target)) this.#warnOnce(path, { link: path }, reason);
    return true;
  }

  /** Forgets a folder and all below it. */
  #remove(path: string): void {
    this.#idle.remove(path);
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
    const kind = kindOf(name);
    const raw = isGarbled(name) ? rawPath(folder.path, bytes) : undefined;
    if (isRecorded(kind)) this.#options.listener.onEvent(path, raw, false);
    else if (kind === "other" && type === "change") this.#onOtherChanged(folder, name, raw);
    if (type !== "rename" || this.#folders.get(folder.path) !== folder) return;
    if (name === basename(folder.path)) this.#structure.push(() => this.#onOwnName(folder, path));
    if (this.#folders.has(path) || (kind === "other" && !isIgnoredFolder(name))) this.#structure.push(() => this.#refresh(path));
  }

  /** A file without a known ending has changed, or a folder has. */
  #onOtherChanged(folder: WatchedFolder, name: string, raw: Buffer | undefined): void {
    const path = join(folder.path, name);
    if (this.#faults.has(path)) this.addFolder(path);
    else if (this.#folders.has(path) || this.#idle.has(path) || isSideFile(name) || name === basename(folder.path)) return;
    // a log file that grows all the time costs one look with each rescan
    else if (folder.passedOver?.isNotMedia(name)) folder.passedOver.noteChange(name);
    else this.#options.listener.onEvent(path, raw, true);
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

  /** Leaves a folder that is gone and enters one that was replaced. Returns its present state when it is still the same folder. */
  async #verify(folder: WatchedFolder): Promise<BigIntStats | undefined> {
    if (this.#folders.get(folder.path) !== folder) return undefined;
    try {
      const found = await this.#detailsOf(folder.path);
      if (!found || inodeOf(found) === folder.inode) return found;
      await this.#replace(folder);
    } catch (error) {
      this.#onFault(folder.path, error as NodeJS.ErrnoException);
    }
    return undefined;
  }

  async #checkFolder(folder: WatchedFolder, atOnce: boolean): Promise<void> {
    const found = await this.#verify(folder);
    if (found === undefined || (folder.names && !atOnce && this.#options.clock.monotonic() < folder.throttledUntil)) return;
    const mayHideChanges = folder.listedAtMs - Number(folder.modifiedNs / 1_000_000n) < coarseTimeMs;
    const hasChanged = found.mtimeNs !== folder.modifiedNs || found.ctimeNs !== folder.changedNs;
    if (!folder.names || hasChanged || mayHideChanges) this.#list(folder, "names");
    else if (this.#mayRest(folder)) this.#rest(folder);
  }

  #mayRest(folder: WatchedFolder): boolean {
    const { path, isEmpty, requested, failures, lastEventAt, modifiedNs } = folder;
    if (!isEmpty || requested || failures > 0 || path === this.path) return false;
    const { clock } = this.#options;
    return clock.monotonic() - lastEventAt > dayMs && this.#idle.mayRest(modifiedNs, clock.now().getTime(), this.#folders.size);
  }

  /** Ends the watch of an empty folder. */
  #rest(folder: WatchedFolder): void {
    folder.watcher?.close();
    this.#folders.delete(folder.path);
    this.#idle.add(folder.path, folder.modifiedNs);
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
      this.#faults.note(folder.path, error as NodeJS.ErrnoException);
      this.#retryListing(folder);
    }
  }

  /** Lists the folder again after a delay that doubles with each failure. */
  #retryListing(folder: WatchedFolder): void {
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
    await this.#lister.list(folder, all);
    this.#faults.clear(folder.path);
    const [first] = folder.unreadable;
    if (!first) folder.failures = 0;
    else {
      const fields = { path: join(folder.path, first[0]), error: String(first[1]), files: folder.unreadable.size };
      if (folder.failures === 0) this.#options.log.warn(fields, "some files of a folder cannot be read; trying again");
      this.#retryListing(folder);
    }
  }

  #onGarbledFolder(folder: WatchedFolder, name: string): void {
    const path = join(folder.path, name);
    const reason = `the name of the folder ${path} is not valid UTF-8, so homesec cannot read it; rename it`;
    passedOverIn(folder).addFolder(name, "unreadable_name", reason);
    this.#warnOnce(path, { folder: path }, "the name of a folder is not valid UTF-8, so homesec cannot read it; rename it");
  }
}
