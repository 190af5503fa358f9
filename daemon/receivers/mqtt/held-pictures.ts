import { mkdir, readdir, readFile, rm, stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Log } from "../../../src/base/log/log.ts";
import type { DeliveryCamera } from "../../../src/monitoring/receivers/taker.ts";
import { namesIn } from "../../../src/platform/disk/files.ts";
import { createInbox, DeliveryRefused, type Inbox } from "../inbox.ts";

/** Most that is kept for one camera. Mosquitto keeps as many messages for a client that is away. */
const most = { files: 1_000, bytes: 1_000_000_000 };

/** Stores a picture in the folder of a camera, or in one that stands for it, under a name. */
export type StorePicture = (inbox: Inbox, camera: DeliveryCamera, payload: Buffer, name: string) => Promise<void>;

/** The pictures that are kept for a camera, and why. */
interface Held {
  files: number;
  bytes: number;
  why: string;
}

/**
 * Pictures of cameras whose folders cannot be used, in a folder per camera below DATA_DIR, so that the pictures of other cameras do not wait
 * behind them. They are as durable there as in the camera's folder, and move into it, oldest first, once it can be used. Nothing of them is
 * in memory, and a later run finds them.
 */
export class HeldPictures {
  readonly #folder: string;
  readonly #inbox: Inbox;
  readonly #store: StorePicture;
  readonly #log: Log;
  readonly #held = new Map<string, Held>();
  #scan: Promise<void> | undefined;
  #releasing: Promise<void> | undefined;

  constructor(options: { readonly folder: string; readonly mostBytes: number; readonly store: StorePicture; readonly log: Log }) {
    this.#folder = options.folder;
    this.#inbox = createInbox({ roots: [options.folder], mostBytes: options.mostBytes });
    this.#store = options.store;
    this.#log = options.log;
  }

  /** Tells whether pictures of a camera are kept here: a new one belongs behind them. */
  async has(cameraId: string): Promise<boolean> {
    this.#scan ??= this.#findEarlier();
    await this.#scan;
    return this.#held.has(cameraId);
  }

  /** Says which cameras wait for their folders; null: none. */
  get message(): string | null {
    const lines = [...this.#held.values()].map(({ why, files }) => `${why}; homesec keeps ${files} of its pictures until then`);
    return lines.length === 0 ? null : lines.join(". ");
  }

  /** Keeps a picture durably. Throws `DeliveryRefused`: `temporary` if there is no room on the disk, `permanent` if the camera has too many. */
  async keep(camera: DeliveryCamera, payload: Buffer, { name, why }: { readonly name: string; readonly why: string }): Promise<void> {
    const { cameraId, cameraName } = camera;
    const held = this.#held.get(cameraId) ?? { files: 0, bytes: 0, why };
    if (held.files >= most.files || held.bytes + payload.byteLength > most.bytes)
      throw new DeliveryRefused("permanent", `${held.why}; homesec keeps ${held.files} of its pictures, and no more`);
    // Counted before it is there, so that `release` does not take the camera for done meanwhile
    held.files += 1;
    held.bytes += payload.byteLength;
    const isFirst = !this.#held.has(cameraId);
    this.#held.set(cameraId, held);
    try {
      const folderPath = this.#folderOf(cameraId);
      await mkdir(folderPath, { recursive: true, mode: 0o770 });
      await this.#store(this.#inbox, { cameraId, cameraName, folderPath }, payload, name);
    } catch (error) {
      this.#leave(cameraId, payload.byteLength);
      throw error;
    }
    if (isFirst) this.#log.warn({ camera: cameraId, why }, "homesec keeps the pictures of a camera until its folder can be used");
  }

  /** Moves pictures into the folders that can be used again. One call at a time. */
  async release(cameras: readonly DeliveryCamera[], inbox: Inbox): Promise<void> {
    this.#scan ??= this.#findEarlier();
    await this.#scan;
    this.#releasing ??= this.#releaseAll(cameras, inbox).finally(() => {
      this.#releasing = undefined;
    });
    await this.#releasing;
  }

  async #releaseAll(cameras: readonly DeliveryCamera[], inbox: Inbox): Promise<void> {
    // A camera that was deleted gets its pictures when it is restored
    for (const camera of cameras) if (this.#held.has(camera.cameraId)) await this.#releaseOne(camera, inbox);
  }

  async #releaseOne(camera: DeliveryCamera, inbox: Inbox): Promise<void> {
    const folder = this.#folderOf(camera.cameraId);
    let moved = 0;
    for (const name of await filesIn(folder)) {
      const path = join(folder, name);
      const payload = await readFile(path);
      try {
        await this.#store(inbox, camera, payload, name);
      } catch (error) {
        if (!(error instanceof DeliveryRefused)) throw error;
        const held = this.#held.get(camera.cameraId);
        if (held) held.why = error.message;
        if (error.kind === "temporary") return;
        this.#log.warn({ camera: camera.cameraId, file: name, why: error.message }, "a picture from MQTT was refused after it was kept");
      }
      await unlink(path);
      moved += 1;
      this.#leave(camera.cameraId, payload.byteLength);
    }
    if (!this.#held.has(camera.cameraId))
      this.#log.info({ camera: camera.cameraId, pictures: moved }, "the kept pictures are in their folder");
  }

  #leave(cameraId: string, bytes: number): void {
    const held = this.#held.get(cameraId);
    if (!held) return;
    held.files -= 1;
    held.bytes -= bytes;
    if (held.files <= 0) this.#held.delete(cameraId);
  }

  #folderOf(cameraId: string): string {
    return join(this.#folder, encodeURIComponent(cameraId));
  }

  /** Counts what an earlier run kept. */
  async #findEarlier(): Promise<void> {
    for (const name of await namesIn(this.#folder)) {
      const folder = join(this.#folder, name);
      const cameraId = decodeURIComponent(name);
      await this.#inbox.removeLeftovers({ cameraId, cameraName: cameraId, folderPath: folder }, false).catch(() => undefined);
      const files = await filesIn(folder);
      const sizes = await Promise.all(files.map(async (file) => (await stat(join(folder, file))).size));
      const bytes = sizes.reduce((sum, size) => sum + size, 0);
      if (files.length === 0) await rm(folder, { recursive: true, force: true });
      else this.#held.set(cameraId, { files: files.length, bytes, why: `The folder of ${cameraId} could not be used` });
    }
  }
}

/** Returns the names of the pictures in a folder, the oldest first, since they begin with their time. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  return entries.flatMap((entry) => (entry.isFile() && !entry.name.startsWith(".") ? [entry.name] : [])).toSorted();
}
