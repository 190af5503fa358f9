import { mkdir, symlink, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Entry, type Home, numbered, picture, until, watchedHome } from "./watched-home.ts";

let home: Home;
let jpeg: Buffer;
let number = 0;
const at = (path: string): string => join(home.root, path);
const upload = async (path: string): Promise<void> => {
  await mkdir(dirname(at(path)), { recursive: true });
  number += 1;
  await writeFile(at(path), numbered(jpeg, number));
};
const entryOf = (path: string): Promise<Entry> => until(async () => (await home.ledger()).find((entry) => entry.path === path));
const cameraOf = async (path: string): Promise<string> => (await entryOf(path)).camera;
/** Adds a camera as an earlier version accepted it. */
const addCamera = (id: string, folder: string) =>
  home.database.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values (${id}, ${id}, ${folder})`);
const restart = async (options: Parameters<Home["renew"]>[0] = {}): Promise<void> => {
  await home.watcher.stop();
  home.watcher = home.renew(options);
  await home.watcher.start();
};

beforeEach(async () => {
  home = await watchedHome({ timings: { rescanMs: 300 } });
  jpeg = await picture();
});
afterEach(() => home.close());

describe("camera root: a stored camera whose folder is the camera root itself", () => {
  it("gets the pictures directly in it, while each folder becomes a camera, before and after its deletion", async () => {
    await addCamera("all", home.root);
    await home.watcher.start();
    await upload("1.jpg");
    await upload("yard/2.jpg");
    expect([await cameraOf("1.jpg"), await cameraOf("yard/2.jpg")]).toEqual(["all", "yard"]);
    expect(home.problems.size).toBe(0);
    await home.database.db.query((sql) => sql`update cameras set deleted_at = now() where camera_id = 'all'`);
    home.watcher.wake();
    await upload("gate/3.jpg");
    await upload("gate/4.jpg");
    expect([await cameraOf("gate/3.jpg"), await cameraOf("gate/4.jpg")]).toEqual(["gate", "gate"]);
  });

  it("leaves the folders in it to new cameras without their pictures being processed again", async () => {
    await addCamera("all", home.root);
    await upload("yard/1.jpg");
    await home.watcher.start();
    const { size_bytes: size, image_id: id } = await entryOf("yard/1.jpg");
    // as if the earlier version had stored it
    await home.database.db.query((sql) => sql`update images set camera_id = 'all', status = 'processed' where image_id = ${id}`);
    await restart();
    const again = await until(async () => (await home.ledger()).find(({ path, camera }) => path === "yard/1.jpg" && camera === "yard"));
    expect(again).toMatchObject({ size_bytes: size, status: "skipped", reason: "moved" });
    expect(again.detail).toContain("processed for camera all");
  });

  it("is not made by a link to the camera root", async () => {
    await symlink(home.root, at("round"));
    await home.watcher.start();
    await upload("yard/1.jpg");
    expect(await cameraOf("yard/1.jpg")).toBe("yard");
    await sleep(700);
    expect((await home.ledger()).map(({ camera }) => camera)).toEqual(["yard"]);
  });
});

describe("camera root: a stored camera whose folder contains the camera root", () => {
  it("leaves the root to its cameras", async () => {
    const parent = dirname(home.root);
    await addCamera("all", parent);
    await restart({ extraRoots: [parent] });
    await upload("yard/1.jpg");
    await writeFile(join(home.outside, "2.jpg"), numbered(jpeg, 9_999));
    expect(await cameraOf("yard/1.jpg")).toBe("yard");
    const ledger = await home.entries(2);
    expect(ledger.map(({ camera }) => camera).toSorted()).toEqual(["all", "yard"]);
  });
});

it("camera root: the folders of homesec itself are no cameras", async () => {
  await restart({ ownFolders: [at("homesec"), at("var/thumbnails")] });
  await upload("homesec/thumbnails/1.jpg");
  await upload("var/thumbnails/2.jpg");
  await upload("var/3.jpg");
  expect(await cameraOf("var/3.jpg")).toBe("var");
  await sleep(700);
  expect((await home.ledger()).map(({ path }) => path)).toEqual(["var/3.jpg"]);
});
