import { randomBytes, randomUUID } from "node:crypto";
import { type FileHandle, link, lstat, mkdir, open, readdir, realpath, rename, rm, stat, unlink } from "node:fs/promises";
import { dirname, join, parse, relative, sep } from "node:path";
import { minuteMs } from "../../src/base/clock/clock.ts";
import { inspectFolder } from "../../src/monitoring/cameras/folder.ts";
import type { DeliveryCamera } from "../../src/monitoring/receivers/taker.ts";
import { isGone, isInside } from "../../src/platform/disk/files.ts";
import { statWithTimeout } from "../../src/platform/disk/fs-timeout.ts";
import { safeName } from "./safe-name.ts";
import { haveSameContent } from "./same-content.ts";

/** The folder below a camera's folder for files that are not complete yet. The file watcher skips hidden folders. */
const partsFolder = ".homesec-uploads";
/** Ending of a folder in it that has one complete file on hold, at the path below the camera's folder that the file gets by default. */
const heldEnding = ".held";
/** Parts and files on hold of this process, which are no leftovers. */
const active = new Set<string>();
/** A part without a write for this long belongs to no upload. */
const abandonedMs = 10 * minuteMs;
/** Attempts to find a free name: the first ones by number, the others by letters, so that a camera may use one name for all of its files. */
const [mostNumbers, mostAttempts] = [99, 120];

/** A file cannot be accepted. `temporary`: the camera may try again later, as with a full disk. */
export class DeliveryRefused extends Error {
  override name = "DeliveryRefused";
  readonly kind: "temporary" | "permanent" | "too_large";

  constructor(kind: DeliveryRefused["kind"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.kind = kind;
  }
}

/** A file that a camera delivers. It is not in the camera's folder until `finish`. */
export interface Upload {
  /** Number of bytes that were written. */
  readonly bytes: number;
  /** Appends bytes. Throws `DeliveryRefused` if the file is too large or the disk full. */
  write(chunk: Uint8Array): Promise<void>;
  /**
   * Moves the complete file into the camera's folder, below `folders`, and returns its path. Once it resolves, the file outlasts a power
   * failure. An existing file is never replaced: the new one gets a number. Throws `DeliveryRefused`, and leaves nothing behind. `isOnce`:
   * a file with the same content and name is this one, which the camera sends again because it got no answer.
   */
  finish(name: string, folders?: readonly string[], isOnce?: boolean): Promise<string>;
  /**
   * Keeps the complete file until it gets its name. Once it resolves, the file outlasts a power failure, and ends in the camera's folder in
   * any case: under `name` below `folders` unless it gets another one.
   */
  hold(name: string, folders?: readonly string[]): Promise<HeldFile>;
  /** Deletes it. Does nothing after `finish` and `hold`. */
  discard(): Promise<void>;
}

/** A complete file that waits for its name. */
export interface HeldFile {
  /** Moves it into the camera's folder, as `Upload.finish` does, and returns its path. Without a name it gets the default one. */
  finish(name?: string, folders?: readonly string[]): Promise<string>;
  discard(): Promise<void>;
}

/** Opens files for deliveries. */
export interface Inbox {
  /** Begins a file in the folder of a camera. Throws `DeliveryRefused` if the folder cannot be used. */
  begin(camera: DeliveryCamera): Promise<Upload>;
  /** Tells whether the camera's folder has a folder at this path. */
  hasFolder(camera: DeliveryCamera, folders: readonly string[]): Promise<boolean>;
  /**
   * Renames a delivered file without replacing another one, and returns its new path. Does nothing if the file is gone. Throws
   * `DeliveryRefused` if the name is not one of the camera's.
   */
  rename(camera: DeliveryCamera, path: string, name: string, folders: readonly string[]): Promise<string>;
  /**
   * Deletes parts that earlier runs left in the folder of a login's camera, and puts complete files on hold into the folder. `all`: also
   * fresh ones, if no other daemon writes there.
   */
  removeLeftovers(camera: DeliveryCamera, all: boolean): Promise<void>;
}

/** Tells why a camera may not deliver a file to a path below its folder; undefined if it may. */
export type RefusalOf = (camera: DeliveryCamera, path: string) => string | undefined;

/** Creates an inbox. `roots`: the folders that may hold camera folders. */
export function createInbox(options: {
  readonly roots: readonly string[];
  readonly mostBytes: number;
  readonly refusalOf?: RefusalOf;
}): Inbox {
  const refusalFor = (camera: DeliveryCamera) => (path: string) => options.refusalOf?.(camera, path);
  const folderOf = async ({ cameraName, folderPath }: DeliveryCamera): Promise<string> => {
    const { resolvedPath, issues } = await inspectFolder(options.roots, folderPath);
    if (resolvedPath !== null && issues.length === 0) return resolvedPath;
    throw new DeliveryRefused("temporary", `The folder of ${cameraName} cannot be used: ${issues.join("; ")}`);
  };
  return {
    begin: async (camera) => {
      const folder = await folderOf(camera);
      const partPath = join(folder, partsFolder, `${randomUUID()}.part`);
      active.add(partPath);
      try {
        const file = await inWords(folder, async () => {
          await mkdir(dirname(partPath), { recursive: true, mode: 0o770 });
          return await open(partPath, "wx", 0o660);
        });
        return new PartialFile({ folder, partPath, file, mostBytes: options.mostBytes, refusalOf: refusalFor(camera) });
      } catch (error) {
        active.delete(partPath);
        throw error;
      }
    },
    hasFolder: async (camera, folders) => {
      const folder = await folderOf(camera).catch(() => undefined);
      if (folder === undefined) return false;
      const path = join(folder, ...folders.map(safeName));
      const found = await realpath(path).catch(() => undefined);
      return found !== undefined && isInside(folder, found) && (await stat(found)).isDirectory();
    },
    rename: async (camera, path, name, folders) => {
      const folder = await folderOf(camera);
      return await inWords(folder, async () => {
        const places = folders.map(safeName);
        if (path === join(folder, ...places, safeName(name)) || !(await exists(path))) return path;
        return await moveInto(path, { root: folder, folders: places, name: safeName(name), refusalOf: refusalFor(camera) });
      });
    },
    removeLeftovers: async (camera, all) => {
      const folder = await folderOf(camera);
      for (const name of await readdir(join(folder, partsFolder)).catch((): string[] => [])) {
        const path = join(folder, partsFolder, name);
        const found = active.has(path) ? undefined : await stat(path).catch(() => undefined);
        if (!found || !(all || Date.now() - found.mtimeMs > abandonedMs)) continue;
        if (name.endsWith(heldEnding)) await inWords(folder, () => releaseHeld(folder, path));
        else await unlink(path).catch(() => undefined);
      }
    },
  };
}

/** Runs file operations and turns their errors into words for the camera's owner. */
async function inWords<T>(folder: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof DeliveryRefused) throw error;
    const { code = "unknown", message } = error as NodeJS.ErrnoException;
    const isFull = code === "ENOSPC" || code === "EDQUOT";
    const reason = isFull ? `The disk of ${folder} is full; free some space` : `The file cannot be written below ${folder}: ${message}`;
    throw new DeliveryRefused("temporary", reason, { cause: error });
  }
}

class PartialFile implements Upload {
  readonly #folder: string;
  readonly #partPath: string;
  readonly #mostBytes: number;
  readonly #refusalOf: Destination["refusalOf"];
  #file: FileHandle | undefined;
  #bytes = 0;

  constructor(part: {
    readonly folder: string;
    readonly partPath: string;
    readonly file: FileHandle;
    readonly mostBytes: number;
    readonly refusalOf: Destination["refusalOf"];
  }) {
    this.#refusalOf = part.refusalOf;
    this.#folder = part.folder;
    this.#partPath = part.partPath;
    this.#file = part.file;
    this.#mostBytes = part.mostBytes;
  }

  get bytes(): number {
    return this.#bytes;
  }

  async write(chunk: Uint8Array): Promise<void> {
    const file = this.#file;
    if (!file) throw new Error("the upload has ended");
    if (this.#bytes + chunk.byteLength > this.#mostBytes) {
      throw new DeliveryRefused(
        "too_large",
        `The file has more than ${Math.round(this.#mostBytes / 1e6)} MB; let the camera send smaller ones, or raise RECEIVER_MAX_FILE_MB`,
      );
    }
    await inWords(this.#folder, () => file.writeFile(chunk));
    this.#bytes += chunk.byteLength;
  }

  async finish(name: string, folders: readonly string[] = [], isOnce = false): Promise<string> {
    const to = { root: this.#folder, folders: folders.map(safeName), name: safeName(name), refusalOf: this.#refusalOf, isOnce };
    return await this.#complete(() => moveInto(this.#partPath, to));
  }

  async hold(name: string, folders: readonly string[] = []): Promise<HeldFile> {
    const parts = dirname(this.#partPath);
    const held = `${this.#partPath.slice(0, -parse(this.#partPath).ext.length)}${heldEnding}`;
    const places = folders.map(safeName);
    active.add(held);
    try {
      const to = { root: parts, folders: [parse(held).base, ...places], name: safeName(name), refusalOf: () => undefined };
      const path = await this.#complete(() => moveInto(this.#partPath, to));
      return new FileOnHold({ folder: this.#folder, held, path, places, refusalOf: this.#refusalOf });
    } catch (error) {
      active.delete(held);
      await rm(held, { recursive: true, force: true }).catch(() => undefined);
      throw error;
    }
  }

  async discard(): Promise<void> {
    const file = this.#file;
    this.#file = undefined;
    await file?.close().catch(() => undefined);
    await unlink(this.#partPath).catch(() => undefined);
    active.delete(this.#partPath);
  }

  /** Makes the content outlast a power failure and moves the file. Leaves nothing behind if that fails. */
  async #complete(move: () => Promise<string>): Promise<string> {
    const file = this.#file;
    if (!file) throw new Error("the upload has ended");
    try {
      return await inWords(this.#folder, async () => {
        await file.sync();
        this.#file = undefined;
        await file.close();
        const path = await move();
        active.delete(this.#partPath);
        return path;
      });
    } catch (error) {
      await this.discard();
      throw error;
    }
  }
}

/** A file on hold: its folder on hold, its path there, and the folders below the camera's folder that it gets by default. */
interface Placed {
  readonly folder: string;
  readonly held: string;
  readonly path: string;
  readonly places: readonly string[];
  readonly refusalOf: Destination["refusalOf"];
}

class FileOnHold implements HeldFile {
  readonly #file: Placed;

  constructor(file: Placed) {
    this.#file = file;
  }

  async finish(name?: string, folders?: readonly string[]): Promise<string> {
    const { folder, path, places } = this.#file;
    // The file was acknowledged, so that it is kept under its own name whichever camera gets it
    const refusalOf = name === undefined ? () => undefined : this.#file.refusalOf;
    const to = { root: folder, folders: folders?.map(safeName) ?? places, name: safeName(name ?? parse(path).base), refusalOf };
    const finished = await inWords(folder, () => moveInto(path, to));
    await this.discard();
    return finished;
  }

  async discard(): Promise<void> {
    const { held } = this.#file;
    await rm(held, { recursive: true, force: true }).catch(() => undefined);
    active.delete(held);
  }
}

/** Puts the file of a folder on hold that an earlier run left into the camera's folder. */
async function releaseHeld(root: string, held: string): Promise<void> {
  for (const entry of await readdir(held, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const path = join(entry.parentPath, entry.name);
    const folders = relative(held, entry.parentPath);
    // With a second name, the file is in the camera's folder already: the run ended between the two steps of the move.
    if ((await stat(path)).nlink === 1)
      await moveInto(path, { root, folders: folders === "" ? [] : folders.split(sep), name: entry.name, refusalOf: () => undefined });
  }
  await rm(held, { recursive: true, force: true });
}

/** Where a file goes: the folders below `root`, and its name there. */
interface Destination {
  readonly root: string;
  readonly folders: readonly string[];
  readonly name: string;
  /** Tells why a path below `root` cannot be used; undefined if it can. */
  readonly refusalOf: (path: string) => string | undefined;
  readonly isOnce?: boolean;
}

/** Moves a file durably without replacing another one, and returns its path. Throws `DeliveryRefused` for a place that cannot be used. */
async function moveInto(from: string, to: Destination): Promise<string> {
  const { root, folders, name, refusalOf } = to;
  const refusal = refusalOf([...folders, name].join("/"));
  if (refusal !== undefined) throw new DeliveryRefused("permanent", refusal);
  const target = await makeFolders(root, folders);
  const mayUse = (other: string): boolean => refusalOf([...folders, other].join("/")) === undefined;
  const moved = await moveWithoutReplacing(from, target, { name, mayUse, isOnce: to.isOnce === true });
  await syncFolder(target);
  return moved;
}

/** Creates the folders below the camera's folder and returns the innermost. Throws if a link leads out of the camera's folder. */
async function makeFolders(root: string, names: readonly string[]): Promise<string> {
  let folder = root;
  for (const name of names) {
    const next = join(folder, name);
    const isNew = await mkdir(next, { mode: 0o770 }).then(
      () => true,
      (error: unknown) => {
        if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
        throw error;
      },
    );
    if (isNew) await syncFolder(folder);
    folder = next;
  }
  if (names.length > 0 && !isInside(root, await statWithTimeout(folder, () => realpath(folder)))) {
    throw new DeliveryRefused("permanent", `The folder ${names.join("/")} leads out of the camera's folder; remove the link`);
  }
  return folder;
}

/** What tells the attempts to find a free name apart. Letters alone, since digits could be read as the time of the camera. */
function markOf(attempt: number): string {
  return attempt <= mostNumbers ? String(attempt) : Array.from(randomBytes(8), (byte) => String.fromCodePoint(97 + (byte % 26))).join("");
}

/** Moves a file to a free name: `name`, or with a number or letters behind its stem, or in front of it if only that may be used. */
async function moveWithoutReplacing(
  from: string,
  folder: string,
  { name, mayUse, isOnce }: { readonly name: string; readonly mayUse: (name: string) => boolean; readonly isOnce: boolean },
): Promise<string> {
  const { name: stem, ext } = parse(name);
  for (let attempt = 1; attempt <= mostAttempts; attempt += 1) {
    const mark = markOf(attempt);
    const names = attempt === 1 ? [name] : [`${stem}-${mark}${ext}`, `${mark}-${stem}${ext}`];
    const free = names.find(mayUse);
    if (free === undefined) break;
    const to = join(folder, free);
    try {
      await link(from, to);
      await unlink(from);
      return to;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === "EEXIST") {
        if (!(isOnce && (await haveSameContent(from, to)))) continue;
        await unlink(from);
        return to;
      }
      if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS", "EMLINK"].includes(code ?? "")) throw error;
      // A file system without hard links, such as that of a memory card
      if (await exists(to)) continue;
      await rename(from, to);
      return to;
    }
  }
  throw new DeliveryRefused("permanent", `The name ${name} is taken too often; let the camera number its files`);
}

async function exists(path: string): Promise<boolean> {
  try {
    await lstat(path);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Makes the names in a folder outlast a power failure. Some file systems cannot sync a folder and do not need it. */
async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } catch (error) {
    if (!["EINVAL", "ENOTSUP", "EPERM", "EBADF"].includes((error as NodeJS.ErrnoException).code ?? "")) throw error;
  } finally {
    await handle.close();
  }
}
