import { appendFile, chmod, mkdir, rename, rm, symlink, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { PassedOver } from "../../../src/work/operations/runtime.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

const isRoot = process.geteuid?.() === 0;
const nobody = 65_534;
const quick = { rescanMs: 300, emptyAfterMs: 400, pollMs: 100 };
let home: Home;
let jpeg: Buffer;
let plans = 0;
const at = (...names: readonly string[]): string => join(home.root, ...names);

/** Runs the watcher as another user, since root may read everything. */
async function startAsAnother(): Promise<void> {
  await chmod(join(home.root, ".."), 0o755);
  await chmod(home.root, 0o755);
  if (isRoot) process.seteuid?.(nobody);
  await home.watcher.start();
}

async function asOwner(act: () => Promise<unknown>): Promise<void> {
  if (isRoot) process.seteuid?.(0);
  try {
    await act();
  } finally {
    if (isRoot) process.seteuid?.(nobody);
  }
}

const passedOver = (kind: PassedOver["kind"]): PassedOver | undefined =>
  home.watcher.state().passedOver?.find((entry) => entry.kind === kind);
const warningsAbout = (text: string): readonly string[] => home.warnings.filter((warning) => warning.includes(text));
const paths = async (): Promise<readonly string[]> => (await home.ledger()).map(({ path }) => path).sort();

beforeEach(async () => {
  plans = 0;
  home = await watchedHome({ timings: quick });
  const { db } = home.database;
  home.watcher = home.renew({
    cameras: async () => {
      plans += 1;
      const { allCameras } = await import("../../../src/monitoring/cameras/cameras-repository.ts");
      return (await db.query(allCameras)).map((camera) => ({ ...camera, deleted: camera.deleted_at !== null }));
    },
  });
  jpeg = await picture();
});
afterEach(async () => {
  if (isRoot) process.seteuid?.(0);
  await home.close();
});

describe("passed over: a folder that cannot be read", () => {
  it("without a camera: logged once, kept in the state, and read as soon as its permissions allow it", async () => {
    await mkdir(at("closed"));
    await writeFile(at("closed", "a.jpg"), jpeg);
    await chmod(at("closed"), 0o000);
    await startAsAnother();
    await until(() => passedOver("unreadable_folder"));
    const before = plans;
    await sleep(2_000);
    expect(plans - before).toBeLessThanOrEqual(8);
    expect(warningsAbout("")).toEqual([expect.stringContaining(at("closed"))]);
    expect(passedOver("unreadable_folder")).toMatchObject({ camera_id: null, count: 1, path: at("closed") });
    expect(home.watcher.message()).toContain(`the folder ${at("closed")} cannot be read; give the user that runs homesec the right`);
    await asOwner(() => chmod(at("closed"), 0o755));
    expect((await home.entries(1))[0]).toMatchObject({ camera: "closed", path: "closed/a.jpg", status: "pending" });
    await until(() => passedOver("unreadable_folder") === undefined);
    expect(home.watcher.message()).toBeNull();
  });

  it("below an online camera: its neighbours are read, and it is when its permissions allow it", async () => {
    await mkdir(at("yard", "closed", "deep"), { recursive: true });
    await writeFile(at("yard", "a.jpg"), jpeg);
    await writeFile(at("yard", "closed", "b.jpg"), numbered(jpeg, 1));
    await writeFile(at("yard", "closed", "deep", "c.jpg"), numbered(jpeg, 2));
    await chmod(at("yard", "closed"), 0o000);
    await startAsAnother();
    await home.entries(1);
    await until(() => passedOver("unreadable_folder"));
    await sleep(1_000);
    expect(passedOver("unreadable_folder")).toMatchObject({ camera_id: "yard", count: 1, path: at("yard", "closed") });
    expect(warningsAbout(at("yard", "closed"))).toHaveLength(1);
    await asOwner(() => chmod(at("yard", "closed"), 0o755));
    await home.entries(3);
    expect(passedOver("unreadable_folder")).toBeUndefined();
  });

  it.each([
    ["whose permissions are taken while it is watched", 0o000],
    ["whose files cannot be reached", 0o444],
  ])("%s: in the state without a new file, until it can be read again", async (_title, mode) => {
    await mkdir(at("yard", "day"), { recursive: true });
    await writeFile(at("yard", "day", "a.jpg"), jpeg);
    await startAsAnother();
    await home.entries(1);
    await asOwner(() => chmod(at("yard", "day"), mode));
    await until(() => passedOver("unreadable_folder"));
    expect(passedOver("unreadable_folder")).toMatchObject({ camera_id: "yard", count: 1, path: at("yard", "day") });
    await asOwner(() => writeFile(at("yard", "day", "b.jpg"), numbered(jpeg, 1)));
    await sleep(700);
    expect(warningsAbout("a folder cannot be read")).toHaveLength(1);
    await asOwner(() => chmod(at("yard", "day"), 0o755));
    await until(async () => (await home.ledger()).some(({ path, status }) => path === "yard/day/b.jpg" && status === "pending"));
    await until(() => passedOver("unreadable_folder") === undefined);
  });

  it("the camera root itself: cameras elsewhere are watched", async () => {
    await mkdir(join(home.outside, "porch"));
    await chmod(home.outside, 0o755);
    await home.database.db.query(
      (sql) => sql`insert into cameras (camera_id, name, folder_path) values ('porch', 'Porch', ${join(home.outside, "porch")})`,
    );
    home.watcher = home.renew({ extraRoots: [home.outside] });
    await mkdir(at("yard"));
    await writeFile(at("yard", "a.jpg"), numbered(jpeg, 1));
    await startAsAnother();
    await home.entries(1);
    await asOwner(() => chmod(home.root, 0o000));
    await until(() => passedOver("unreadable_folder")?.path === home.root);
    await asOwner(() => writeFile(join(home.outside, "porch", "a.jpg"), jpeg));
    await home.entries(2);
    await sleep(700);
    expect(warningsAbout("a folder cannot be read").filter((warning) => warning.includes(`"${home.root}"`))).toHaveLength(1);
    await asOwner(() => chmod(home.root, 0o755));
    await until(() => passedOver("unreadable_folder") === undefined);
  });
});

describe("passed over: links and files in the camera root", () => {
  it("links to folders have an entry with their target, unless the target is read anyway", async () => {
    await mkdir(at("yard", "2026"), { recursive: true });
    await writeFile(at("yard", "2026", "a.jpg"), jpeg);
    await symlink(at("yard", "2026"), at("yard", "latest"));
    await symlink(home.outside, at("away"));
    await symlink(join(home.outside, "gone"), at("nowhere"));
    await home.watcher.start();
    await home.entries(1);
    await until(() => passedOver("linked_folder")?.count === 2);
    expect(passedOver("linked_folder")?.reason).toMatch(/leads to the folder .*--folder-path|leads nowhere/);
    await symlink(home.outside, at("yard", "later"));
    await until(() => home.watcher.state().passedOver?.find(({ kind, camera_id }) => kind === "linked_folder" && camera_id === "yard"));
    for (const link of [at("away"), at("nowhere"), at("yard", "later")]) await rm(link);
    await until(() => passedOver("linked_folder") === undefined);
    expect(await paths()).toEqual(["yard/2026/a.jpg"]);
  });

  it("files in the camera root are counted until they are moved into a folder", async () => {
    await home.watcher.start();
    for (const name of ["a.jpg", "b", "notes.txt", ".hidden"]) await writeFile(at(name), jpeg);
    await until(() => passedOver("stray_file")?.count === 2);
    await mkdir(at("yard"));
    await rename(at("a.jpg"), at("yard", "a.jpg"));
    await rm(at("b"));
    await home.entries(1);
    await until(() => passedOver("stray_file") === undefined);
  });

  it.skipIf(process.platform !== "linux")("a folder with a name that is not UTF-8 has an entry", async () => {
    await mkdir(at("yard"));
    await writeFile(at("yard", "a.jpg"), jpeg);
    await mkdir(Buffer.concat([Buffer.from(`${at("yard")}/`), Buffer.from("Höf", "latin1")]));
    await home.watcher.start();
    await home.entries(1);
    await until(() => passedOver("unreadable_name")?.reason.includes("rename it"));
  });

  it("a folder with pictures that gets no camera has an entry with the reason", async () => {
    home.watcher = home.renew({ ensureCamera: () => Promise.reject(new Error("the table is full")) });
    await mkdir(at("yard"));
    await home.watcher.start();
    await writeFile(at("yard", "a.jpg"), jpeg);
    await until(() => passedOver("unregistered_folder")?.reason.includes("the table is full"));
  });
});

for (const polling of [false, true]) {
  describe(`passed over: names without a known ending, ${polling ? "polled" : "watched"}`, () => {
    beforeEach(() => {
      home.watcher = home.renew({ polling });
    });

    it("pictures are recorded whatever their names, found live and by a scan", async () => {
      await mkdir(at("yard"));
      const names = ["snap.jpg.1", "snap", "image.jpg?time=7", "192.168.1.5_20261125"];
      for (const [n, name] of names.entries()) await writeFile(at("yard", name), numbered(jpeg, n));
      await home.watcher.start();
      await home.entries(4);
      await writeFile(at("yard", "snap.jpg.2"), numbered(jpeg, 10));
      await writeFile(at("yard", "slow.1"), jpeg.subarray(0, 30));
      await sleep(150);
      await appendFile(at("yard", "slow.1"), jpeg.subarray(30, 20_000));
      await sleep(150);
      await appendFile(at("yard", "slow.1"), jpeg.subarray(20_000));
      await writeFile(join(home.outside, "moved"), numbered(jpeg, 11));
      await rename(join(home.outside, "moved"), at("yard", "moved.0001"));
      await home.entries(7);
      expect(await paths()).toEqual([...names, "snap.jpg.2", "slow.1", "moved.0001"].map((name) => `yard/${name}`).sort());
      expect((await home.ledger()).every(({ status }) => status === "pending")).toBe(true);
    });

    it("a picture that gets its name only when it is complete is recorded under that name alone", async () => {
      await mkdir(at("yard"));
      await home.watcher.start();
      for (let n = 0; n < 5; n += 1) {
        await writeFile(at("yard", "upload"), numbered(jpeg, n));
        await sleep(200);
        await rename(at("yard", "upload"), at("yard", `${n}.jpg`));
      }
      await home.entries(5);
      await sleep(500);
      expect(await paths()).toEqual([0, 1, 2, 3, 4].map((n) => `yard/${n}.jpg`));
    });

    it("everything else is counted for its camera, and its content is not read again and again", async () => {
      await mkdir(at("yard"));
      await writeFile(at("yard", "a.jpg"), jpeg);
      for (const name of ["index00.bin", "index01.bin", "noending"]) await writeFile(at("yard", name), "no picture, ".repeat(20));
      await writeFile(at("yard", "short"), "x");
      for (const name of ["log.txt", "a.idx", "Thumbs.db"]) await writeFile(at("yard", name), "x");
      for (const name of ["b.jpg.part", "c.jpg.filepart"]) await writeFile(at("yard", name), jpeg);
      await home.watcher.start();
      await home.entries(1);
      await until(() => passedOver("not_media")?.count === 4);
      expect(passedOver("not_media")).toMatchObject({ camera_id: "yard", reason: expect.stringContaining("by its content") });
      expect(passedOver("side_file")).toMatchObject({ camera_id: "yard", count: 3 });
      expect(passedOver("unfinished")).toMatchObject({ camera_id: "yard", count: 2 });
      await until(() => home.watcher.state().pending === 0);
      for (const name of ["index00.bin", "index01.bin", "short"]) await rm(at("yard", name));
      await until(() => passedOver("not_media")?.count === 1);
      expect(passedOver("not_media")?.path).toBe(at("yard", "noending"));
      expect(await paths()).toEqual(["yard/a.jpg"]);
      expect(home.watcher.state().stuck).toEqual([]);
    });

    it("only a picture makes a folder a camera", async () => {
      await mkdir(at("backup"));
      await writeFile(at("backup", "dump"), "no picture, ".repeat(20));
      await mkdir(at("yard"));
      await home.watcher.start();
      await until(() => passedOver("not_media")?.path === at("backup", "dump"));
      await writeFile(at("yard", "snap.jpg.1"), jpeg);
      const [entry] = await home.entries(1);
      expect(entry).toMatchObject({ camera: "yard", path: "yard/snap.jpg.1", status: "pending" });
      await sleep(500);
      const cameras = await home.database.db.query((sql) => sql<{ camera_id: string }[]>`select c.camera_id from cameras c`);
      expect(cameras.map(({ camera_id }) => camera_id)).toEqual(["yard"]);
    });
  });
}

describe("passed over: a file that was no picture", () => {
  it("is recorded when a picture overwrites it, and is rarely read while it grows", async () => {
    await mkdir(at("yard"));
    await writeFile(at("yard", "a.jpg"), numbered(jpeg, 1));
    await writeFile(at("yard", "log"), "no picture, ".repeat(20));
    await home.watcher.start();
    await until(() => passedOver("not_media")?.count === 1);
    await until(() => home.watcher.state().pending === 0);
    let timesRead = 0;
    for (let n = 0; n < 200; n += 1) {
      await appendFile(at("yard", "log"), "another line\n");
      await sleep(5);
      timesRead += home.watcher.state().pending;
    }
    expect(timesRead).toBeLessThan(20);
    await truncate(at("yard", "log"), 0);
    await writeFile(at("yard", "log"), jpeg);
    await home.entries(2);
    expect(await paths()).toEqual(["yard/a.jpg", "yard/log"]);
    await until(() => passedOver("not_media") === undefined);
  });
});
