import type { Log } from "../../src/base/log/log.ts";
import { folderProblem } from "../../src/monitoring/cameras/folder.ts";
import type { PassedOver } from "../../src/work/operations/runtime.ts";

/** More folders than this are logged in one line. */
const mostLogged = 20;

/** Folders that cannot be read, with the reasons. Each is logged when it becomes unreadable, and when it can be read again. */
export class FolderFaults {
  readonly #log: Log;
  readonly #logged: Set<string>;
  readonly #reasons = new Map<string, string>();

  /** `logged`: the folders that were logged. Shared by trees, since a folder may come to another tree. */
  constructor(log: Log, logged: Set<string>) {
    this.#log = log;
    this.#logged = logged;
  }

  /** Notes that a folder cannot be read. Cheap; may be called again for the same folder. */
  note(folder: string, error: NodeJS.ErrnoException): void {
    this.#reasons.set(folder, folderProblem(folder, error));
    if (this.#logged.has(folder)) return;
    this.#logged.add(folder);
    if (this.#logged.size <= mostLogged) {
      this.#log.warn({ folder, error: String(error) }, "a folder cannot be read; homesec retries it every 15 s");
    } else if (this.#logged.size === mostLogged + 1) {
      this.#log.warn({ folder }, "more folders cannot be read; `homesec health` shows their number");
    }
  }

  /** Notes that a folder can be read. */
  clear(folder: string): void {
    this.#reasons.delete(folder);
    if (this.#logged.delete(folder)) this.#log.info({ folder }, "a folder is no longer unreadable");
  }

  /** Forgets the folder and all below it. */
  forget(folder: string): void {
    for (const path of this.#reasons.keys()) {
      if (path !== folder && !path.startsWith(`${folder}/`)) continue;
      this.#reasons.delete(path);
      this.#logged.delete(path);
    }
  }

  has(folder: string): boolean {
    return this.#reasons.has(folder);
  }

  get folders(): readonly string[] {
    return [...this.#reasons.keys()];
  }

  /** The folders as an entry of the watcher's state; none if all can be read. */
  passedOver(cameraId: string | null): readonly PassedOver[] {
    const [first] = this.#reasons;
    if (!first) return [];
    return [{ kind: "unreadable_folder", camera_id: cameraId, count: this.#reasons.size, path: first[0], reason: first[1] }];
  }
}
