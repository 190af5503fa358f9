import { mkdir, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { FileWatcher, type FileWatcherOptions } from "../../../daemon/file-watcher/file-watcher.ts";
import { systemClock } from "../../../src/base/clock/clock.ts";
import type { Log } from "../../../src/base/log/log.ts";
import { allCameras } from "../../../src/monitoring/cameras/cameras-repository.ts";
import { ensureCameraForFolder } from "../../../src/monitoring/cameras/registration.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";

/** An entry of the ledger, with its path below the camera root. */
export interface Entry {
  readonly camera: string;
  readonly path: string;
  readonly status: string;
  readonly reason: string | null;
  readonly detail: string | null;
  readonly media_type: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly found_by: string;
  readonly taken_at: Date;
  readonly size_bytes: number;
  readonly same_content_as: number | null;
  readonly image_id: number;
}

/** A camera root in a temporary folder, a database, and a watcher that can be restarted. */
export interface Home {
  readonly root: string;
  readonly outside: string;
  readonly database: TestDatabase;
  readonly warnings: string[];
  readonly problems: Map<string, string>;
  watcher: FileWatcher;
  /** Makes another watcher, as after a restart; it is not started. */
  renew(options?: Partial<FileWatcherOptions>): FileWatcher;
  ledger(): Promise<readonly Entry[]>;
  /** Waits until the ledger has this many entries; fails with the warnings of the watcher. */
  entries(count: number, ms?: number): Promise<readonly Entry[]>;
  jobs(): Promise<readonly { readonly subject: number; readonly priority: number }[]>;
  close(): Promise<void>;
}

export async function watchedHome(options: Partial<FileWatcherOptions> = {}): Promise<Home> {
  const folder = await mkdtemp(join(tmpdir(), "homesec-watch-"));
  const root = join(folder, "cameras");
  const outside = join(folder, "outside");
  await mkdir(root);
  await mkdir(outside);
  const database = await testDatabase();
  const { db } = database;
  const warnings: string[] = [];
  const problems = new Map<string, string>();
  const note = (fields: object, message: string): void => void warnings.push(`${message} ${JSON.stringify(fields)}`);
  const log: Log = { debug: () => {}, info: () => {}, warn: note, error: note, child: () => log };
  const renew = (changes: Partial<FileWatcherOptions> = {}): FileWatcher =>
    new FileWatcher({
      db,
      clock: systemClock,
      log,
      cameraRoot: root,
      extraRoots: [],
      detects: true,
      cameras: async () => (await db.query((sql) => allCameras(sql))).map((camera) => ({ ...camera, deleted: camera.deleted_at !== null })),
      ensureCamera: (name) => ensureCameraForFolder(db, name, { cameraRoot: root, now: new Date() }),
      onRegistered: () => {},
      onCameraProblem: async (cameraId, reason) => void problems.set(cameraId, reason),
      onCameraOk: async (cameraId) => void problems.delete(cameraId),
      ...options,
      ...changes,
    });
  const home: Home = {
    ...{ root, outside, database, warnings, problems, renew },
    watcher: renew(),
    ledger: () =>
      db.query(
        (sql) => sql<Entry[]>`
          select i.camera_id as camera, substr(i.path, ${root.length + 2}::int) as path, i.status, i.reason, i.detail, i.media_type, i.width, i.height,
            i.found_by, i.taken_at, i.size_bytes, i.same_content_as, i.image_id
          from images i
          order by i.image_id
        `,
      ),
    entries: async (count, ms) => {
      let ledger: readonly Entry[] = [];
      try {
        return await until(async () => {
          ledger = await home.ledger();
          return ledger.length >= count && ledger;
        }, ms);
      } catch (cause) {
        throw new Error(`${ledger.length} of ${count} entries: ${JSON.stringify(home.watcher.state())}\n${warnings.join("\n")}`, { cause });
      }
    },
    jobs: () =>
      db.query(
        (sql) => sql<{ subject: number; priority: number }[]>`select j.subject::int as subject, j.priority from jobs j order by j.job_id`,
      ),
    close: async () => {
      await home.watcher.stop();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
  return home;
}

/** A real picture. */
export function picture(number: "0001" | "0180" | "0300" | "0420" = "0001"): Promise<Buffer> {
  return readFile(new URL(`../../fixtures/pictures/walkway-${number}.jpg`, import.meta.url));
}

/** The picture with a number after its first marker, so that each has unique content. */
export function numbered(bytes: Buffer, number: number): Buffer {
  const comment = Buffer.alloc(8);
  comment.writeUInt16BE(0xfffe, 0);
  comment.writeUInt16BE(6, 2);
  comment.writeUInt32BE(number, 4);
  return Buffer.concat([bytes.subarray(0, 2), comment, bytes.subarray(2)]);
}

/** Waits until `check` returns something true, for at most `ms`; fails with its last answer. */
export async function until<T>(check: () => Promise<T | false | undefined> | T | false | undefined, ms = 15_000): Promise<T> {
  const deadline = performance.now() + ms;
  for (;;) {
    const answer = await check();
    if (answer) return answer;
    if (performance.now() > deadline) throw new Error(`still ${String(answer)} after ${ms} ms`);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
