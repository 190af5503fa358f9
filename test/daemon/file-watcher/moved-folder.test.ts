import { copyFile, mkdir, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type Entry, type Home, numbered, picture, until, watchedHome } from "./watched-home.ts";

let home: Home;
let jpeg: Buffer;
const at = (path: string): string => join(home.root, path);
const processed = () => home.database.db.query((sql) => sql`update images set status = 'processed' where status = 'pending'`);
const entryOf = (path: string, camera: string): Promise<Entry> =>
  until(async () => (await home.ledger()).find((entry) => entry.path === path && entry.camera === camera));

describe("moved folder: the folder of a camera that is renamed", () => {
  beforeEach(async () => {
    home = await watchedHome({ timings: { rescanMs: 300 } });
    jpeg = await picture();
    await mkdir(at("yard/monday"), { recursive: true });
    await writeFile(at("yard/1.jpg"), numbered(jpeg, 1));
    await writeFile(at("yard/monday/2.jpg"), numbered(jpeg, 2));
    await home.watcher.start();
    await home.entries(2);
    await processed();
  });
  afterEach(() => home.close());

  it("belongs to a new camera; known pictures are not processed again, new ones are", async () => {
    await rename(at("yard"), at("garden"));
    for (const path of ["1.jpg", "monday/2.jpg"]) {
      const entry = await entryOf(`garden/${path}`, "garden");
      expect(entry).toMatchObject({ status: "skipped", reason: "moved" });
      expect(entry.detail).toContain(`${at(`yard/${path}`)} of camera yard, whose folder is gone`);
    }
    await writeFile(at("garden/3.jpg"), numbered(jpeg, 3));
    expect(await entryOf("garden/3.jpg", "garden")).toMatchObject({ status: "pending" });
  });

  it("can be returned to its camera without processing any picture again", async () => {
    await rename(at("yard"), at("garden"));
    await entryOf("garden/monday/2.jpg", "garden");
    await writeFile(at("garden/3.jpg"), numbered(jpeg, 3));
    await entryOf("garden/3.jpg", "garden");
    await processed();
    await home.watcher.stop();
    await home.database.db.query(async (sql) => {
      await sql`update cameras set folder_path = ${at("garden-before")}, deleted_at = now() where camera_id = 'garden'`;
      await sql`update cameras set folder_path = ${at("garden")} where camera_id = 'yard'`;
    });
    home.watcher = home.renew();
    await home.watcher.start();
    for (const path of ["1.jpg", "monday/2.jpg", "3.jpg"])
      expect(await entryOf(`garden/${path}`, "yard")).toMatchObject({ status: "skipped", reason: "moved" });
  });

  it("has its pictures processed when they came from a folder that still exists, or lay elsewhere in it", async () => {
    await mkdir(at("porch"));
    await rename(at("yard/1.jpg"), at("porch/1.jpg"));
    expect(await entryOf("porch/1.jpg", "porch")).toMatchObject({ status: "pending" });
    await rename(at("yard/monday/2.jpg"), at("porch/2.jpg"));
    await rm(at("yard"), { recursive: true });
    expect(await entryOf("porch/2.jpg", "porch")).toMatchObject({ status: "pending" });
  });

  it("has a picture processed when another picture has its name, or another time", async () => {
    await home.watcher.stop();
    await mkdir(at("garden/monday"), { recursive: true });
    await writeFile(at("garden/1.jpg"), numbered(jpeg, 8));
    await copyFile(at("yard/monday/2.jpg"), at("garden/monday/2.jpg"));
    await utimes(at("garden/monday/2.jpg"), 1_767_225_600, 1_767_225_600);
    await rm(at("yard"), { recursive: true });
    home.watcher = home.renew();
    await home.watcher.start();
    for (const path of ["1.jpg", "monday/2.jpg"]) expect(await entryOf(`garden/${path}`, "garden")).toMatchObject({ status: "pending" });
  });
});
