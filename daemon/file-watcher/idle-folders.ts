import { basename, dirname, join } from "node:path";
import { dayMs } from "../../src/base/clock/clock.ts";

/** A tree with fewer folders watches all of them: a camera may use a folder again that was empty for days. */
const mostFolders = 500;
/** Maximum number of idle folders checked with each rescan, so that the cost does not grow with their number. */
const checksPerRescan = 500;

/**
 * Folders of a large tree without a watch, because they are empty and have not changed for a day: recorders leave one for each minute. A few
 * are checked with each rescan, so that a file that arrives in one after all is found.
 */
export class IdleFolders {
  /** Modification times by name, by the path of the parent folder. */
  readonly #byParent = new Map<string, Map<string, bigint>>();
  #walk: Iterator<readonly [path: string, modifiedNs: bigint]> = [][Symbol.iterator]();

  /** Tells whether an empty folder needs no watch in a tree with this number of watched folders. */
  mayRest(modifiedNs: bigint, nowMs: number, watchedFolders: number): boolean {
    return watchedFolders >= mostFolders && nowMs - Number(modifiedNs / 1_000_000n) > dayMs;
  }

  add(path: string, modifiedNs: bigint): void {
    const parent = dirname(path);
    const names = this.#byParent.get(parent) ?? new Map<string, bigint>();
    this.#byParent.set(parent, names);
    names.set(basename(path), modifiedNs);
  }

  has(path: string): boolean {
    return this.#byParent.get(dirname(path))?.has(basename(path)) === true;
  }

  /** Forgets one folder. */
  delete(path: string): void {
    this.#byParent.get(dirname(path))?.delete(basename(path));
  }

  /** Forgets the folder and all below it. */
  remove(path: string): void {
    this.delete(path);
    for (const parent of this.#byParent.keys()) if (parent === path || parent.startsWith(`${path}/`)) this.#byParent.delete(parent);
  }

  get size(): number {
    return [...this.#byParent.values()].reduce((sum, names) => sum + names.size, 0);
  }

  /** Returns the next folders to check, each with its modification time while it was empty. */
  next(): readonly (readonly [path: string, modifiedNs: bigint])[] {
    const found: (readonly [string, bigint])[] = [];
    for (let restarts = 0; found.length < checksPerRescan; ) {
      const { value, done } = this.#walk.next();
      if (!done) found.push(value);
      else if (restarts > 0) break;
      else {
        restarts += 1;
        this.#walk = this.#all();
      }
    }
    return found;
  }

  *#all(): Generator<readonly [path: string, modifiedNs: bigint], undefined> {
    for (const [parent, names] of this.#byParent) for (const [name, modifiedNs] of names) yield [join(parent, name), modifiedNs];
  }
}
