import { appendFile, copyFile, mkdir, open, rename, rm, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ensureCameraForFolder } from "../../../src/monitoring/cameras/registration.ts";
import { type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

let home: Home;
let jpeg: Buffer;
const front = (name: string): string => join(home.root, "front", name);
const found = (count: number) => home.entries(count);

for (const polling of [false, true]) {
  describe(polling ? "polling" : "watching", () => {
    beforeEach(async () => {
      home = await watchedHome({ polling, timings: { pollMs: 100, rescanMs: 300 } });
      jpeg = await picture();
      await mkdir(join(home.root, "front"));
      await mkdir(join(home.outside, "staging"));
    });
    afterEach(() => home.close());

    const start = () => home.watcher.start();

    it("arrivals: sees a picture that is written and one that is renamed into place", async () => {
      await start();
      await writeFile(front("a.jpg"), jpeg);
      await writeFile(join(home.outside, "b"), numbered(jpeg, 1));
      await rename(join(home.outside, "b"), front("B.JPG"));
      const ledger = await found(2);
      expect(
        ledger.map(({ camera, path, status, media_type, width, height }) => ({ camera, path, status, media_type, width, height })),
      ).toEqual(
        expect.arrayContaining([
          { camera: "front", path: "front/a.jpg", status: "pending", media_type: "image/jpeg", width: 768, height: 576 },
          { camera: "front", path: "front/B.JPG", status: "pending", media_type: "image/jpeg", width: 768, height: 576 },
        ]),
      );
      expect(await home.jobs()).toHaveLength(2);
    });

    it("arrivals: waits for the last part of a slow upload, and for the rename of a temporary file", async () => {
      await start();
      await writeFile(front("first.jpg"), numbered(jpeg, 1));
      await found(1);
      const slow = await open(front("slow.jpg"), "w");
      for (let at = 0; at < jpeg.length; at += 8_000) {
        await slow.write(jpeg.subarray(at, at + 8_000));
        await sleep(15);
        if (at + 8_000 < jpeg.length) expect(await home.ledger()).toHaveLength(1);
      }
      await slow.close();
      await writeFile(front("upload.jpg.part"), numbered(jpeg, 2));
      await writeFile(front(".hidden.jpg"), numbered(jpeg, 2));
      await found(2);
      await sleep(300);
      expect((await home.ledger()).map((entry) => entry.path)).toEqual(["front/first.jpg", "front/slow.jpg"]);
      await rename(front("upload.jpg.part"), front("upload.jpg"));
      const ledger = await found(3);
      expect(ledger.map((entry) => [entry.path, entry.status, entry.size_bytes])).toEqual([
        ["front/first.jpg", "pending", jpeg.length + 8],
        ["front/slow.jpg", "pending", jpeg.length],
        ["front/upload.jpg", "pending", jpeg.length + 8],
      ]);
    });

    it("arrivals: sees pictures in folders that are created and filled at the same time, at any depth", async () => {
      await start();
      for (let day = 0; day < 20; day += 1) {
        const folder = front(join("2026", "01", String(day)));
        await mkdir(folder, { recursive: true });
        await writeFile(join(folder, "x.jpg"), numbered(jpeg, day));
        await writeFile(join(home.outside, "y"), numbered(jpeg, 100 + day));
        await rename(join(home.outside, "y"), join(folder, "y.jpg"));
      }
      expect(new Set((await found(40)).map((entry) => entry.path)).size).toBe(40);
      await mkdir(join(home.outside, "night", "deep"), { recursive: true });
      await writeFile(join(home.outside, "night", "deep", "z.jpg"), numbered(jpeg, 999));
      await rename(join(home.outside, "night"), front("night"));
      expect((await found(41)).at(-1)?.path).toBe("front/night/deep/z.jpg");
      await sleep(400);
      expect(await home.ledger()).toHaveLength(41);
    });

    it("arrivals: pictures from before the start count by their file time, as backlog, and are processed once", async () => {
      const old = new Date("2026-01-05T03:00:00Z");
      await mkdir(front("days"));
      for (let n = 0; n < 30; n += 1) {
        await writeFile(front(`days/${n}.jpg`), numbered(jpeg, n));
        await utimes(front(`days/${n}.jpg`), old, old);
      }
      await writeFile(front("future.jpg"), numbered(jpeg, 77));
      await utimes(front("future.jpg"), new Date("2090-01-01T00:00:00Z"), new Date("2090-01-01T00:00:00Z"));
      await sleep(20);
      await start();
      const first = await found(31);
      expect(first.filter((entry) => entry.taken_at.getTime() === old.getTime() && entry.found_by === "scan")).toHaveLength(30);
      expect(first.find((entry) => entry.path === "front/future.jpg")?.taken_at.getTime()).toBeLessThanOrEqual(Date.now());
      expect((await home.jobs()).map((job) => job.priority)).toEqual(Array.from({ length: 31 }, () => 10));
      await home.watcher.stop();
      await writeFile(front("days/late.jpg"), numbered(jpeg, 500));
      home.watcher = home.renew();
      await sleep(20);
      await start();
      await found(32);
      await sleep(300);
      expect(await home.ledger()).toHaveLength(32);
      expect(await home.jobs()).toHaveLength(32);
    });

    it("arrivals: a file time that cannot be true, of a camera whose clock was never set, counts as arrival", async () => {
      const begun = Date.now();
      for (const [name, time] of [
        ["epoch.jpg", "1970-01-01T00:05:00Z"],
        ["y2k.jpg", "2000-01-01T07:00:00Z"],
      ] as const) {
        await writeFile(front(name), numbered(jpeg, name.length));
        await utimes(front(name), new Date(time), new Date(time));
      }
      await start();
      for (const { taken_at } of await found(2)) expect(taken_at.getTime()).toBeGreaterThanOrEqual(begun);
    });

    it("arrivals: loses nothing that arrives during the start", async () => {
      for (let n = 0; n < 100; n += 1) await writeFile(front(`before-${n}.jpg`), numbered(jpeg, n));
      const starting = start();
      for (let n = 0; n < 100; n += 1) await writeFile(front(`during-${n}.jpg`), numbered(jpeg, 1_000 + n));
      await starting;
      for (let n = 0; n < 100; n += 1) await writeFile(front(`after-${n}.jpg`), numbered(jpeg, 2_000 + n));
      await found(300);
      await sleep(300);
      expect(await home.ledger()).toHaveLength(300);
    });

    it("arrivals: sees a folder that was removed and created again", async () => {
      await start();
      await mkdir(front("day"));
      await writeFile(front("day/1.jpg"), numbered(jpeg, 1));
      await found(1);
      // repeated, because the order of event and listing is a race
      for (let count = 2; count <= 12; count += 1) {
        await rm(front("day"), { recursive: true });
        await mkdir(front("day"));
        await writeFile(front(`day/${count}.jpg`), numbered(jpeg, count));
        await found(count);
      }
      await rm(front(""), { recursive: true });
      await until(() => home.problems.get("front"));
      expect(home.problems.get("front")).toContain("does not exist");
      await mkdir(front(""));
      await writeFile(front("13.jpg"), numbered(jpeg, 13));
      await found(13);
      await until(() => !home.problems.has("front"));
    });

    it("arrivals: finds pictures of a camera that first writes them under the name of its folder", async () => {
      await start();
      await mkdir(front("day"));
      for (let count = 1; count <= 10; count += 1) {
        await writeFile(front("front"), numbered(jpeg, count));
        await rename(front("front"), front(count % 2 === 0 ? `${count}.jpg` : `day/${count}.jpg`));
        await found(count);
      }
    });

    it("arrivals: registers a camera for a folder with pictures, and skips deleted cameras until they are restored", async () => {
      await mkdir(join(home.root, "empty"));
      await start();
      await mkdir(join(home.root, "Back Yard"));
      await writeFile(join(home.root, "Back Yard", "1.jpg"), jpeg);
      const [entry] = await found(1);
      expect(entry).toMatchObject({ camera: "back_yard", path: "Back Yard/1.jpg" });
      const cameras = await home.database.db.query((sql) => sql<{ camera_id: string }[]>`select c.camera_id from cameras c`);
      expect(cameras.map((camera) => camera.camera_id)).toEqual(["back_yard"]);

      await home.database.db.query((sql) => sql`update cameras set deleted_at = now()`);
      home.watcher.wake();
      await sleep(150);
      await writeFile(join(home.root, "Back Yard", "2.jpg"), numbered(jpeg, 2));
      await sleep(400);
      expect(await home.ledger()).toHaveLength(1);
      await home.database.db.query((sql) => sql`update cameras set deleted_at = null`);
      home.watcher.wake();
      expect((await found(2))[1]).toMatchObject({ camera: "back_yard", path: "Back Yard/2.jpg" });
    });

    it("arrivals: registers the camera after a stop and start in the middle of registering cameras", async () => {
      let databaseEnds = (): void => {};
      let asked = 0;
      const { db } = home.database;
      home.watcher = home.renew({
        ensureCamera: async (name) => {
          asked += 1;
          if (asked === 1) {
            await new Promise<void>((_, reject) => {
              databaseEnds = () => reject(new Error("the database is away"));
            });
          }
          return await ensureCameraForFolder(db, name, { cameraRoot: home.root, now: new Date() });
        },
      });
      await writeFile(front("1.jpg"), jpeg);
      await mkdir(join(home.root, "back"));
      await writeFile(join(home.root, "back", "1.jpg"), numbered(jpeg, 1));
      await start();
      await until(() => asked === 1);
      // files of the second folder wait behind the first
      await sleep(100);
      const stopped = home.watcher.stop();
      databaseEnds();
      await stopped;
      await start();
      expect((await found(2)).map(({ camera }) => camera).sort()).toEqual(["back", "front"]);
    });

    it("arrivals: the recycle bin of a share used as the camera root is not a camera", async () => {
      await start();
      await writeFile(front("a.jpg"), numbered(jpeg, 1));
      await found(1);
      for (const bin of ["#recycle/front", "@Recycle/front", "@eaDir"]) {
        await mkdir(join(home.root, bin), { recursive: true });
        await writeFile(join(home.root, bin, "deleted.jpg"), jpeg);
      }
      await writeFile(front("b.jpg"), numbered(jpeg, 2));
      await found(2);
      await sleep(700);
      expect((await home.ledger()).map(({ camera }) => camera)).toEqual(["front", "front"]);
    });

    it("arrivals: warns once that pictures in the camera root belong to no camera", async () => {
      await start();
      await writeFile(join(home.root, "stray.jpg"), jpeg);
      await until(() => home.warnings.find((warning) => warning.includes("belongs to no camera")));
      await writeFile(join(home.root, "stray-2.jpg"), jpeg);
      await sleep(500);
      expect(home.warnings.filter((warning) => warning.includes("belongs to no camera"))).toHaveLength(1);
      expect(await home.ledger()).toEqual([]);
    });
  });
}

describe("arrivals: a live picture", () => {
  beforeEach(async () => {
    home = await watchedHome({});
    jpeg = await picture();
    await mkdir(join(home.root, "front"));
  });
  afterEach(() => home.close());

  it("counts by its arrival and goes before backlog", async () => {
    await home.watcher.start();
    const old = new Date("2026-01-05T03:00:00Z");
    await writeFile(join(home.outside, "a"), jpeg);
    await utimes(join(home.outside, "a"), old, old);
    const before = Date.now() - 20;
    await copyFile(join(home.outside, "a"), front("copied.jpg"));
    await rename(join(home.outside, "a"), front("renamed.jpg"));
    const ledger = await found(2);
    for (const entry of ledger) expect(entry.taken_at.getTime()).toBeGreaterThanOrEqual(before);
    expect((await home.jobs()).map((job) => job.priority)).toEqual([0, 0]);
    expect(ledger.some((entry) => entry.same_content_as !== null)).toBe(true);
    expect(ledger.every((entry) => entry.status === "pending")).toBe(true);
  });

  it("counts by its own arrival after broken uploads under the same name", async () => {
    await home.watcher.stop();
    let aheadMs = 0;
    home.watcher = home.renew({ clock: { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() + aheadMs } });
    await home.watcher.start();
    const broken = async (bytes: number) => {
      await writeFile(front("snapshot.jpg"), numbered(jpeg, bytes).subarray(0, bytes));
      await sleep(100);
      aheadMs += 50_000;
      // it is inspected again, also on a slow machine
      await sleep(2_500);
    };
    for (const bytes of [20_000, 30_000, 10_000]) await broken(bytes);
    const arrivedAt = Date.now() + aheadMs;
    await writeFile(front("snapshot.jpg"), numbered(jpeg, 3));
    const [entry] = await found(1);
    expect(entry).toMatchObject({ path: "front/snapshot.jpg", status: "pending" });
    // an earlier upload would be 50 s off
    expect(Math.abs((entry?.taken_at.getTime() ?? 0) - arrivedAt)).toBeLessThan(20_000);
  });

  it("gets a new entry when it is overwritten, also while the first version is being processed", async () => {
    await home.watcher.start();
    await writeFile(front("snapshot.jpg"), numbered(jpeg, 1));
    await found(1);
    await writeFile(front("snapshot.jpg"), numbered(jpeg, 2));
    await found(2);
    for (let n = 3; n < 20; n += 1) {
      await writeFile(front("next"), numbered(jpeg, n));
      await rename(front("next"), front("snapshot.jpg"));
    }
    const last = numbered(jpeg, 100).length;
    await appendFile(front("snapshot.jpg"), Buffer.alloc(3));
    const ledger = await until(async () => {
      const rows = await home.ledger();
      return rows.some((entry) => entry.size_bytes === last + 3) && rows;
    });
    expect(new Set(ledger.map((entry) => entry.path))).toEqual(new Set(["front/snapshot.jpg"]));
  });
});

describe("arrivals: a picture on a share with a server clock that is behind", () => {
  afterEach(() => home.close());

  it("counts by its arrival once the folder is known", async () => {
    const aheadMs = 600_000;
    const clock = { now: () => new Date(Date.now() + aheadMs), monotonic: () => performance.now() };
    home = await watchedHome({ polling: true, clock, timings: { pollMs: 100, rescanMs: 300 } });
    jpeg = await picture();
    await mkdir(join(home.root, "front"));
    await writeFile(front("before.jpg"), jpeg);
    await home.watcher.start();
    await found(1);
    // its first listings are done
    await sleep(1_500);
    const uploadedAt = clock.now().getTime();
    await writeFile(front("live.jpg"), numbered(jpeg, 1));
    const [before, live] = await found(2);
    expect(before?.taken_at.getTime()).toBeLessThan(uploadedAt - aheadMs + 1_000);
    // on a busy machine a listing starts well before it sees the file
    expect(live?.taken_at.getTime()).toBeGreaterThan(uploadedAt - 30_000);
    expect((await home.jobs()).map((job) => job.priority)).toEqual([10, 0]);
  });
});
