import { lstat, readlink, stat } from "node:fs/promises";
import { basename, dirname, join, parse, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import { type FSWatcher, watch } from "chokidar";
import type { Log } from "../../src/base/log/log.ts";
import { isNetworkType, readMounts, realMountOf } from "../../src/platform/disk/mounts.ts";

/** Files must not change for this long before they are read, so that a half-written file is not. */
const settleMs = 500;
/** Interval of checks where the system reports no changes. */
const pollMs = 5_000;
/** Longest wait for chokidar to set up its watches. */
const readyMs = 2_000;
/** Longer chains of links are loops. */
const maxLinks = 40;

export interface WatchFilesOptions {
  /** Absolute paths. The files may be missing, and may be links or lie below links. */
  readonly paths: readonly string[];
  readonly log: Log;
  /** Called after the files have changed and settled; never while a previous call runs. Must not throw. */
  readonly onChange: () => void | Promise<void>;
}

export interface WatchedFiles {
  /** Ends the watch and waits for a running `onChange`. */
  close(): Promise<void>;
}

/**
 * Watches single files. chokidar reports that something changed in one of the folders on the way to them; a comparison of the files' states
 * then decides, so that a lost or surplus event does no harm. Handles editors that save by renaming, files that appear later, links that
 * change their target, and files written in several steps. Polls if the files are on a network share or the system has no watches left.
 */
export async function watchFiles(options: WatchFilesOptions): Promise<WatchedFiles> {
  const watched = new FileWatch(options);
  await watched.start();
  return watched;
}

class FileWatch implements WatchedFiles {
  readonly #options: WatchFilesOptions;
  #watcher: FSWatcher | undefined;
  /** The watched folders, each with its inode: another folder of the same name may replace one. */
  #folders = new Map<string, number>();
  /** Names with relevant events. */
  #names = new Set<string>();
  /** State of the files at the last call of `onChange`. */
  #known = "";
  #isPolling = false;
  #isClosed = false;
  /** A change was reported after the last round began. */
  #isDue = false;
  #round: Promise<void> | undefined;

  constructor(options: WatchFilesOptions) {
    this.#options = options;
  }

  async start(): Promise<void> {
    const mounts = await readMounts("/proc");
    const types = await Promise.all(this.#options.paths.map(async (path) => (await realMountOf(mounts, path))?.type ?? ""));
    this.#isPolling = types.some(isNetworkType);
    this.#known = await this.#follow();
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#round;
    await this.#watcher?.close();
  }

  /** Replaces the watcher. If it were reused, chokidar would ignore everything below a folder that was removed from it once. */
  async #open(): Promise<void> {
    const before = this.#watcher;
    const watcher = watch([...this.#folders.keys()], {
      depth: 0,
      ignoreInitial: true,
      followSymlinks: false,
      persistent: false,
      usePolling: this.#isPolling,
      interval: pollMs,
      ignored: (path) => !this.#folders.has(path) && !this.#names.has(basename(path)),
    });
    this.#watcher = watcher;
    watcher.on("all", (_, path) => this.#onEvent(path));
    watcher.on("raw", (_, path) => this.#onEvent(path));
    watcher.on("error", (error) => this.#onError(watcher, error as NodeJS.ErrnoException));
    await Promise.race([new Promise<void>((resolve) => watcher.once("ready", resolve)), sleep(readyMs, undefined, { ref: false })]);
    await before?.close();
  }

  #onEvent(path: string | null): void {
    if (this.#isClosed || (path !== null && !this.#names.has(basename(path)))) return;
    this.#isDue = true;
    this.#round ??= this.#settle().finally(() => {
      this.#round = undefined;
    });
  }

  /** Waits until the files stop changing, and calls `onChange` if they differ from the last known state. */
  async #settle(): Promise<void> {
    let state = "";
    while (this.#isDue && !this.#isClosed) {
      this.#isDue = false;
      for (let before: string | undefined; before !== state && !this.#isClosed; ) {
        before = state;
        await sleep(settleMs, undefined, { ref: false });
        state = await this.#follow();
      }
      if (state === this.#known || this.#isClosed) continue;
      this.#known = state;
      await this.#options.onChange();
    }
  }

  /** Watches the folders that currently lead to the files. Returns the state of the files as text, for comparison. */
  async #follow(): Promise<string> {
    const entries = (await Promise.all(this.#options.paths.map((path) => trailOf(resolve(path), maxLinks)))).flat();
    const folders = new Map<string, number>();
    for (const folder of new Set(entries.map(dirname))) folders.set(folder, (await stat(folder).catch(() => undefined))?.ino ?? 0);
    const isSame = isDeepStrictEqual(folders, this.#folders);
    this.#folders = folders;
    this.#names = new Set([...entries, ...folders.keys()].map((path) => basename(path)));
    if (!isSame) await this.#open();
    return (await Promise.all(this.#options.paths.map(stateOf))).join("\n");
  }

  #onError(watcher: FSWatcher, error: NodeJS.ErrnoException): void {
    if (this.#isClosed || this.#isPolling || watcher !== this.#watcher) return;
    this.#isPolling = true;
    this.#options.log.warn(
      { code: error.code, folders: [...this.#folders.keys()] },
      `configuration and certificate files cannot be watched and are read every ${pollMs / 1000} s instead; raise fs.inotify.max_user_watches and fs.inotify.max_user_instances`,
    );
    void this.#open();
    // a change may have been lost in between
    this.#onEvent(null);
  }
}

/** The directory entries that decide which file a path leads to: every link on the way, and the file or the first missing entry. */
async function trailOf(path: string, linksLeft: number): Promise<readonly string[]> {
  const { root } = parse(path);
  const parts = path.slice(root.length).split(sep);
  let folder = root;
  for (const [at, part] of parts.entries()) {
    const entry = join(folder, part);
    const target = await readlink(entry).catch(() => undefined);
    if (target !== undefined && linksLeft > 0) {
      return [entry, ...(await trailOf(resolve(folder, target, ...parts.slice(at + 1)), linksLeft - 1))];
    }
    if ((await lstat(entry).catch(() => undefined)) === undefined) return [entry];
    folder = entry;
  }
  return [path];
}

async function stateOf(path: string): Promise<string> {
  const found = await stat(path, { bigint: true }).catch((error: NodeJS.ErrnoException) => error.code ?? "unknown");
  if (typeof found === "string") return found;
  return [found.dev, found.ino, found.size, found.mtimeNs, found.ctimeNs].join(" ");
}
