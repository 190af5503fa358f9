import { mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { insertCamera, updateCamera } from "../../../src/monitoring/cameras/cameras-repository.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

/** A recorder writes the pictures of several cameras into one folder. */

let home: Home;
let jpeg: Buffer;
let count = 0;
const folder = (): string => join(home.root, "nvr");
const times = { time_zone: null, time_template: "auto" };

async function camera(camera_id: string, file_pattern: string | null): Promise<void> {
  const record = { ...times, camera_id, name: camera_id, folder_path: folder(), file_pattern, status: "unknown", reason: null } as const;
  await home.database.db.query((sql) => insertCamera(sql, record, new Date()));
  home.watcher.wake();
}

async function put(name: string): Promise<void> {
  count += 1;
  await mkdir(join(folder(), name, ".."), { recursive: true });
  await writeFile(join(folder(), name), numbered(jpeg, count));
}

const taken = async (): Promise<readonly string[]> =>
  (await home.ledger())
    .filter(({ reason }) => reason !== "moved")
    .map((entry) => `${entry.camera}: ${entry.path.slice("nvr/".length)}`)
    .sort();
const unassigned = () => home.watcher.state().passedOver?.find(({ kind }) => kind === "unassigned_file");

beforeEach(async () => {
  home = await watchedHome({ timings: { rescanMs: 300, pollMs: 100 } });
  jpeg = await picture();
  await mkdir(folder());
});
afterEach(() => home.close());

it("shared folder: each camera takes its files, live and after a restart, and what no pattern takes is counted by name", async () => {
  await camera("gate", "ch01*");
  await camera("yard", "ch02/**");
  await put("ch01_before.jpg");
  await home.watcher.start();
  await home.entries(1);
  await put("ch01_live.jpg");
  await put("ch02/2025/live.jpg");
  await put("ch03_live.jpg");
  await put("ch03_live");
  await home.entries(3);
  const expected = ["gate: ch01_before.jpg", "gate: ch01_live.jpg", "yard: ch02/2025/live.jpg"];
  expect(await taken()).toEqual(expected);
  await until(() => unassigned()?.count === 2);
  expect(unassigned()).toMatchObject({
    camera_id: null,
    path: expect.stringMatching(/\/nvr\/ch03_live/),
    reason: expect.stringContaining("--file-pattern"),
  });

  await home.watcher.stop();
  await put("ch02/2025/away.jpg");
  home.watcher = home.renew();
  await home.watcher.start();
  await home.entries(4);
  await sleep(700);
  expect(await taken()).toEqual([...expected, "yard: ch02/2025/away.jpg"].sort());

  // a camera without a pattern takes the rest
  await camera("rest", null);
  await until(async () => (await taken()).length === 6);
  expect((await taken()).filter((each) => each.startsWith("rest"))).toEqual(["rest: ch03_live", "rest: ch03_live.jpg"]);
  await until(() => unassigned() === undefined);
});

it("shared folder: after a change of the patterns, a touch and a rename no picture is taken twice", async () => {
  await camera("nvr", null);
  await home.watcher.start();
  for (let n = 0; n < 5; n += 1) await put(`ch01_${n}.jpg`);
  await home.entries(5);
  await home.database.db.query((sql) => sql`update images i set status = 'processed', started_at = now(), finished_at = now()`);

  await camera("gate", "ch01*");
  await home.watcher.stop();
  home.watcher = home.renew();
  await home.watcher.start();
  await sleep(1_000);
  expect(await home.ledger()).toHaveLength(5);
  await put("ch01_new.jpg");
  await home.entries(6);
  expect((await taken()).filter((each) => each.startsWith("gate"))).toEqual(["gate: ch01_new.jpg"]);

  // an upload server sets the time of a file after the upload
  const now = new Date();
  await utimes(join(folder(), "ch01_0.jpg"), now, now);
  await rename(join(folder(), "ch01_1.jpg"), join(folder(), "ch09_1.jpg"));
  await rename(join(folder(), "ch01_2.jpg"), join(folder(), "ch01_moved.jpg"));
  await until(async () => (await home.ledger()).filter(({ reason }) => reason === "moved").length >= 2);
  const again = (await home.ledger()).slice(6).filter(({ reason }) => reason === null);
  expect(again).toEqual([]);

  // and back: the camera is deleted, and its files stay with it
  await home.database.db.query((sql) => sql`update cameras c set deleted_at = now() where c.camera_id = 'gate'`);
  await home.watcher.stop();
  home.watcher = home.renew();
  await home.watcher.start();
  const before = (await home.ledger()).length;
  await put("ch01_deleted.jpg");
  await put("ch05_rest.jpg");
  await home.entries(before + 1);
  await sleep(700);
  expect((await taken()).filter((each) => /deleted|rest/.test(each))).toEqual(["nvr: ch05_rest.jpg"]);
  await rm(join(folder(), "ch05_rest.jpg"));
});

it("shared folder: a pattern that changes gives only later pictures to the camera", async () => {
  await camera("gate", "ch01*");
  await camera("yard", "ch02*");
  await home.watcher.start();
  await put("ch01_a.jpg");
  await put("ch02_a.jpg");
  await home.entries(2);
  const change = { ...times, name: "yard", folder_path: folder(), status: "online", reason: null, file_pattern: "ch0*" } as const;
  await home.database.db.query((sql) => updateCamera(sql, "yard", change, new Date()));
  await home.watcher.stop();
  home.watcher = home.renew();
  await home.watcher.start();
  await put("ch01_b.jpg");
  await put("ch07_b.jpg");
  await home.entries(4);
  expect(await taken()).toEqual(["gate: ch01_a.jpg", "gate: ch01_b.jpg", "yard: ch02_a.jpg", "yard: ch07_b.jpg"]);
});

it("shared folder: files that wait for the ledger while the patterns change are taken once", async () => {
  await camera("nvr", null);
  await home.watcher.start();
  await put("first.jpg");
  await home.entries(1);
  // the ledger cannot be written while the camera's row is locked, as while the database is busy
  const { db } = home.database;
  let release = (): void => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  let lock: Promise<void> | undefined;
  await new Promise<void>((isLocked) => {
    lock = db.transaction(async (sql) => {
      await sql`lock table images in exclusive mode`;
      isLocked();
      await released;
    });
  });
  for (let n = 0; n < 20; n += 1) await put(`ch01_${n}.jpg`);
  await until(() => home.watcher.state().pending >= 20);
  await camera("gate", "ch01*");
  // the new plan lists the folder, and its files wait for the ledger again
  await until(() => home.watcher.state().pending > 20 || undefined, 3_000).catch(() => undefined);
  await put("ch01_new.jpg");
  await sleep(1_000);
  release();
  await lock;
  await home.entries(22);
  await until(() => home.watcher.state().pending === 0);
  const paths = (await home.ledger()).map(({ path }) => path);
  expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted());
  expect(paths).toHaveLength(22);
});
