import { lstat, readdir } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "../../src/base/clock/clock.ts";
import { fileReasons } from "../../src/monitoring/cameras/passed-over.ts";
import { versionOf } from "../../src/monitoring/images/inspect-file.ts";
import { isIgnoredFolder, isRecorded, isSideFile, kindOf } from "../../src/monitoring/images/picture.ts";
import { isGone } from "../../src/platform/disk/files.ts";
import { detailsInside } from "../../src/platform/disk/folder-access.ts";
import { isGarbled, rawPaths } from "../../src/platform/disk/raw-paths.ts";
import { nameSet } from "./name-set.ts";
import { PassedOverNames } from "./passed-over-names.ts";
import { hasBirthtime, type ListedFile, passedOverIn, type WatchedFolder } from "./watched-folder.ts";

const chunkSize = 500;
/** Regular listings of a large folder take at most one part in this many of the time, so that its pictures come first. */
const watchedThrottle = 1_000;
const polledThrottle = 20;

/** Dependencies of a lister. */
export interface ListerOptions {
  readonly clock: Clock;
  /** Runs a request for one entry, or for the names of a folder. */
  readonly request: <T>(request: () => Promise<T>) => Promise<T>;
  readonly requestNames: <T>(request: () => Promise<T>) => Promise<T>;
  /** Whether the tree knows this folder already. */
  readonly isKnownFolder: (path: string) => boolean;
  readonly onFolder: (path: string) => void;
  /** Resolves to whether the link leads to a folder. */
  readonly onLink: (path: string) => Promise<boolean>;
  /** The name of a folder is not UTF-8. */
  readonly onGarbledFolder: (folder: WatchedFolder, name: string) => void;
  /** Resolves when more can be taken. */
  readonly onListed: (files: readonly ListedFile[]) => Promise<void>;
  /** Whether a file belongs to no camera; absent where all files belong to one. */
  readonly isUnassigned: ((path: string) => boolean) | undefined;
  readonly isStopped: () => boolean;
}

/** Lists folders, and reports the files that are new since the last listing, or all. */
export class FolderLister {
  readonly #options: ListerOptions;

  constructor(options: ListerOptions) {
    this.#options = options;
  }

  /** Lists a folder and notes the result in it. Rejects when the folder cannot be read. */
  async list(folder: WatchedFolder, all: boolean): Promise<void> {
    const { clock, request, requestNames } = this.#options;
    const listedAtMs = clock.now().getTime();
    const before = await request(() => detailsInside(folder.path));
    const startedAt = clock.monotonic();
    const names = await requestNames(() => readdir(folder.path));
    const { names: earlier, removed, unreadable: unreadableBefore } = folder;
    folder.names = undefined;
    folder.removed = new Set();
    folder.passedOver = PassedOverNames.update(folder.passedOver, names, this.#unassignedIn(folder));
    folder.isBirthtimeKnown ||= hasBirthtime(before) && before.birthtimeNs === folder.birthtimeNs;
    folder.throttledUntil = startedAt + (clock.monotonic() - startedAt) * (folder.watcher ? watchedThrottle : polledThrottle);
    const added = all || !earlier ? names : names.filter((name) => !earlier.has(name) || removed.has(name));
    const wasThere = (name: string): boolean => earlier === undefined || earlier.has(name) || unreadableBefore.has(name);
    const unreadable = await this.#report(folder, added, (file, name) =>
      // a file that was not there at the last listing arrived since, whatever the clock of a server says
      file.changedAtMs < folder.listedAtMs && !wasThere(name) ? { ...file, changedAtMs: listedAtMs } : file,
    );
    folder.modifiedNs = before.mtimeNs;
    folder.changedNs = before.ctimeNs;
    folder.listedAtMs = listedAtMs;
    folder.isEmpty = names.length === 0;
    // only now, so that a listing that fails half-way is repeated in full
    folder.names = nameSet(names.filter((name) => !removed.has(name) && !unreadable.has(name)));
    folder.unreadable = unreadable;
  }

  /** Tells which names of a folder belong to no camera; undefined where all files belong to one. */
  #unassignedIn(folder: WatchedFolder): ((name: string) => boolean) | undefined {
    const { isUnassigned } = this.#options;
    return isUnassigned && ((name) => isUnassigned(join(folder.path, name)));
  }

  /** Reports the files with these names. Returns those whose details a damaged disk does not give: the others are still seen. */
  async #report(
    folder: WatchedFolder,
    names: readonly string[],
    dated: (file: ListedFile, name: string) => ListedFile,
  ): Promise<ReadonlyMap<string, unknown>> {
    const { requestNames, onListed, isStopped } = this.#options;
    const raw = names.some(isGarbled) ? await requestNames(() => rawPaths(folder.path)) : new Map<string, Buffer>();
    const unreadable = new Map<string, unknown>();
    const examine = async (name: string): Promise<ListedFile | undefined> => {
      try {
        const file = await this.#examine(folder, name, raw.get(name));
        return file && dated(file, name);
      } catch (error) {
        // the permissions of the folder have changed, not those of the file
        if ((error as NodeJS.ErrnoException).code === "EACCES") throw error;
        if (!isGone(error)) unreadable.set(name, error);
        return undefined;
      }
    };
    for (let at = 0; at < names.length && !isStopped(); at += chunkSize) {
      const files = await Promise.all(names.slice(at, at + chunkSize).map(examine));
      await onListed(files.filter((file) => file !== undefined));
    }
    return unreadable;
  }

  async #examine(folder: WatchedFolder, name: string, raw: Buffer | undefined): Promise<ListedFile | undefined> {
    const { request, isKnownFolder, onFolder, onLink, onGarbledFolder } = this.#options;
    const kind = kindOf(name);
    const path = join(folder.path, name);
    if (kind === "temporary" || isIgnoredFolder(name) || isKnownFolder(path)) return undefined;
    const found = await request(() => lstat(raw ?? path, { bigint: true }));
    if (found.isDirectory()) {
      if (raw) onGarbledFolder(folder, name);
      else onFolder(path);
      return undefined;
    }
    const file = { path, ...versionOf(found), changedAtMs: Number(found.ctimeMs), raw };
    if (isRecorded(kind)) return file;
    const isLink = found.isSymbolicLink();
    if (isSideFile(name) || (isLink && (await onLink(path))) || !(isLink || found.isFile())) return undefined;
    if (this.#options.isUnassigned?.(path)) {
      passedOverIn(folder).addFolder(name, "unassigned_file", fileReasons.unassigned_file(path));
      return undefined;
    }
    return folder.passedOver?.isNotMedia(name, file) ? undefined : { ...file, byContent: true };
  }
}
