import { join } from "node:path";
import { fileReasons, linkedFolderReason } from "../../src/monitoring/cameras/passed-over.ts";
import type { Version } from "../../src/monitoring/images/inspect-file.ts";
import { isRecorded, isSideFile, kindOf } from "../../src/monitoring/images/picture.ts";
import type { PassedOver } from "../../src/work/operations/runtime.ts";
import type { WatchPlan } from "./camera-folders.ts";
import { hashOf } from "./name-set.ts";

type Kind = PassedOver["kind"];

/** Maximum number of files whose content is checked again with the next rescan. */
const mostChanged = 100;

/** Number of entries of one kind, with one of them and its reason. */
interface Count {
  count: number;
  readonly path: string;
  readonly reason: string;
}

/** Counts what is passed over, by kind. */
export class PassedOverCounts {
  readonly #counts = new Map<Kind, Count>();

  add(kind: Kind, count: number, path: string, reason: string): void {
    const known = this.#counts.get(kind);
    if (known) known.count += count;
    else if (count > 0) this.#counts.set(kind, { count, path, reason });
  }

  /** The counts as entries of the watcher's state. */
  entries(cameraId: string | null): readonly PassedOver[] {
    return [...this.#counts].map(([kind, { count, path, reason }]) => ({ kind, camera_id: cameraId, count, path, reason }));
  }
}

/** Entries of one folder that are passed over. */
export class PassedOverNames {
  /** Hashes of the names and versions of files that are no pictures by their content. */
  readonly #notMedia = new Map<number, number>();
  #firstNotMedia = "";
  #counted = noneCounted;
  /** Names of links to folders, and of folders whose names cannot be used, each with its reason. */
  readonly #folders = new Map<string, { readonly kind: Kind; readonly reason: string; readonly target: string | undefined }>();
  readonly #changed = new Set<string>();

  /** Notes that a file is no picture by its content. */
  addNotMedia(name: string, version: Version): void {
    if (this.#notMedia.size === 0) this.#firstNotMedia = name;
    this.#notMedia.set(hashOf(name), hashOfVersion(version));
  }

  /** Tells whether a file was no picture by its content, in this version or, without one, when it was last read. */
  isNotMedia(name: string, version?: Version): boolean {
    const known = this.#notMedia.get(hashOf(name));
    return known !== undefined && (version === undefined || known === hashOfVersion(version));
  }

  /** Another file may have the name now. */
  forget(name: string): void {
    this.#notMedia.delete(hashOf(name));
    this.#folders.delete(name);
  }

  /** Notes that a file that was no picture has changed. */
  noteChange(name: string): void {
    if (this.#changed.size < mostChanged) this.#changed.add(name);
  }

  /** Returns the files to check again. */
  takeChanged(): readonly string[] {
    const changed = [...this.#changed];
    this.#changed.clear();
    return changed;
  }

  /** Notes a folder that is not entered, or a file without a known ending that no camera takes. Returns whether it is new. */
  addFolder(name: string, kind: "linked_folder" | "unreadable_name" | "unassigned_file", reason: string, target?: string): boolean {
    const isNew = !this.#folders.has(name);
    this.#folders.set(name, { kind, reason, target });
    return isNew;
  }

  /** Adapts the state of a folder to its present names. Returns undefined if none of them is passed over by its name: most folders are such. */
  static update(
    known: PassedOverNames | undefined,
    names: readonly string[],
    isUnassigned?: (name: string) => boolean,
  ): PassedOverNames | undefined {
    const counted = countByName(names, isUnassigned);
    if (!known && counted === noneCounted) return undefined;
    const updated = known ?? new PassedOverNames();
    updated.#counted = counted;
    updated.#drop(names);
    return updated;
  }

  #drop(names: readonly string[]): void {
    if (this.#folders.size > 0) {
      const present = new Set(names);
      for (const name of this.#folders.keys()) if (!present.has(name)) this.#folders.delete(name);
    }
    if (this.#notMedia.size === 0) return;
    const hashes = new Set(names.map(hashOf));
    for (const hash of this.#notMedia.keys()) if (!hashes.has(hash)) this.#notMedia.delete(hash);
    if (!this.isNotMedia(this.#firstNotMedia)) this.#firstNotMedia = names.find((name) => this.isNotMedia(name)) ?? "";
  }

  /** Adds the entries of this folder to the counts. `isRead` tells whether the target of a link is read anyway. */
  addTo(counts: PassedOverCounts, folder: string, isRead: (target: string) => boolean): void {
    const addFiles = (kind: "side_file" | "unfinished" | "not_media" | "unassigned_file", count: number, first: string): void => {
      const path = join(folder, first);
      if (count > 0) counts.add(kind, count, path, fileReasons[kind](path));
    };
    addFiles("not_media", this.#notMedia.size, this.#firstNotMedia);
    addFiles("side_file", this.#counted.sideFiles, this.#counted.firstSideFile);
    addFiles("unfinished", this.#counted.unfinished, this.#counted.firstUnfinished);
    addFiles("unassigned_file", this.#counted.unassigned, this.#counted.firstUnassigned);
    for (const [name, { kind, reason, target }] of this.#folders)
      if (target === undefined || !isRead(target)) counts.add(kind, 1, join(folder, name), reason);
  }
}

const noneCounted = { sideFiles: 0, firstSideFile: "", unfinished: 0, firstUnfinished: "", unassigned: 0, firstUnassigned: "" };

/** Counts the files whose names are enough to pass them over. Hidden names belong to programs. */
function countByName(names: readonly string[], isUnassigned?: (name: string) => boolean): typeof noneCounted {
  const counted = { ...noneCounted };
  for (const name of names) {
    const kind = kindOf(name);
    if (isRecorded(kind) && isUnassigned?.(name)) {
      counted.unassigned += 1;
      counted.firstUnassigned ||= name;
    }
    if (kind !== "temporary" && kind !== "other") continue;
    if (name.startsWith(".") || (kind === "other" && isSideFile(name))) {
      counted.sideFiles += 1;
      counted.firstSideFile ||= name;
    } else if (kind === "temporary") {
      counted.unfinished += 1;
      counted.firstUnfinished ||= name;
    }
  }
  return counted.sideFiles + counted.unfinished + counted.unassigned === 0 ? noneCounted : counted;
}

function hashOfVersion({ sizeBytes, modifiedNs }: Version): number {
  return hashOf(`${sizeBytes}:${modifiedNs}`);
}

/** Counts what is passed over in the camera root itself. `unregistered`: folders with pictures that got no camera, with the reasons. */
export function passedOverInRoot(
  { strayFiles, links }: Pick<WatchPlan, "strayFiles" | "links">,
  unregistered: ReadonlyMap<string, string>,
  isRead: (target: string) => boolean,
): PassedOverCounts {
  const counts = new PassedOverCounts();
  for (const path of strayFiles) counts.add("stray_file", 1, path, fileReasons.stray_file(path));
  for (const { path, target } of links)
    if (target === undefined || !isRead(target)) counts.add("linked_folder", 1, path, linkedFolderReason(path, target));
  for (const [path, reason] of unregistered)
    counts.add("unregistered_folder", 1, path, `the folder ${path} holds pictures, and it got no camera: ${reason}`);
  return counts;
}
