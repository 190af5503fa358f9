import { kindOf } from "../../../src/monitoring/images/picture.ts";
import type { HeldFile } from "../inbox.ts";
import { pathText, type VirtualPath } from "./virtual-path.ts";

/** A file that the camera uploaded in this session. */
export interface SessionFile {
  readonly bytes: number;
  readonly at: Date;
  /** A file under a temporary name, which waits for its name. */
  readonly held?: HeldFile;
  /** Where the file is in the camera's folder; absent for one that is held or empty. */
  readonly storedAt?: string;
}

/** An entry of a listing. */
export interface ListedEntry {
  readonly name: string;
  readonly isFolder: boolean;
  readonly bytes: number;
  readonly at: Date;
}

/** Files and folders of a session that are remembered. Older ones are forgotten, and stay where they are. */
const mostEntries = 1_000;

/** Tells whether a camera that uploads under this name renames the file afterwards. */
export function isTemporaryName(name: string): boolean {
  return kindOf(name) === "temporary";
}

/** The folders and files that a session knows: those that it made itself. A camera sees nothing else. */
export class SessionFiles {
  readonly #files = new Map<string, { readonly path: VirtualPath; readonly file: SessionFile }>();
  readonly #folders = new Map<string, VirtualPath>();

  file(path: VirtualPath): SessionFile | undefined {
    return this.#files.get(pathText(path))?.file;
  }

  hasFolder(path: VirtualPath): boolean {
    return path.length === 0 || this.#folders.has(pathText(path));
  }

  addFolder(path: VirtualPath): void {
    for (let depth = 1; depth <= path.length; depth += 1) {
      const folder = path.slice(0, depth);
      this.#folders.set(pathText(folder), folder);
    }
    forgetOldest(this.#folders);
  }

  removeFolder(path: VirtualPath): boolean {
    return this.#folders.delete(pathText(path));
  }

  /** Remembers a file. Resolves once a file on hold that had the same name is in the camera's folder. */
  async add(path: VirtualPath, file: SessionFile): Promise<void> {
    const before = this.file(path);
    this.remove(path);
    this.#files.set(pathText(path), { path, file });
    await before?.held?.finish();
    for (const [key, { file: oldest }] of this.#files) {
      if (this.#files.size <= mostEntries) break;
      this.#files.delete(key);
      await oldest.held?.finish();
    }
  }

  remove(path: VirtualPath): void {
    this.#files.delete(pathText(path));
  }

  /** Puts the files that still wait for a name into the camera's folder. Returns the errors. */
  async finishHeld(): Promise<readonly unknown[]> {
    const held = [...this.#files.values()].flatMap(({ file }) => (file.held ? [file.held] : []));
    this.#files.clear();
    const results = await Promise.allSettled(held.map((file) => file.finish()));
    return results.flatMap((result) => (result.status === "rejected" ? [result.reason as unknown] : []));
  }

  /** Returns what is in a folder; a file is a listing of itself. */
  list(path: VirtualPath, now: Date): readonly ListedEntry[] {
    const own = this.file(path);
    if (own) return [{ name: path.at(-1) ?? "", isFolder: false, bytes: own.bytes, at: own.at }];
    const isIn = (entry: VirtualPath): boolean => entry.length === path.length + 1 && path.every((name, at) => entry[at] === name);
    const folders = [...this.#folders.values()].filter(isIn);
    const files = [...this.#files.values()].filter((entry) => isIn(entry.path));
    return [
      ...folders.map((folder) => ({ name: folder.at(-1) ?? "", isFolder: true, bytes: 0, at: now })),
      ...files.map((entry) => ({ name: entry.path.at(-1) ?? "", isFolder: false, bytes: entry.file.bytes, at: entry.file.at })),
    ];
  }
}

function forgetOldest(entries: Map<string, unknown>): void {
  for (const key of entries.keys()) {
    if (entries.size <= mostEntries) return;
    entries.delete(key);
  }
}
