import { chmod, copyFile, mkdir, readFile, rename, rm, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { join } from "node:path";
import sharp from "sharp";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Timings } from "../../../daemon/file-watcher/timings.ts";
import { hasFfmpeg } from "../../../src/monitoring/images/video.ts";
import { fileFaults } from "../../chaos/support/file-faults.ts";
import { makeVideo } from "../../monitoring/images/make-video.ts";
import { type Entry, type Home, numbered, picture, sleep, until, watchedHome } from "./watched-home.ts";

const quick: Partial<Timings> = { emptyAfterMs: 400, stuckAfterMs: 200, giveUpAfterMs: 800, rescanMs: 300 };
const ffmpeg = await hasFfmpeg();
let home: Home;
let jpeg: Buffer;
const front = (name: string): string => join(home.root, "front", name);

const outcomeOf = (name: string, ms?: number): Promise<Entry> =>
  until(async () => (await home.ledger()).findLast((entry) => entry.path === `front/${name}`), ms);

/** Files that this process has read. */
const bytesRead = async (): Promise<number> => Number(/rchar: (\d+)/.exec(await readFile("/proc/self/io", "utf8"))?.[1]);

const processed = () => home.database.db.query((sql) => sql`update images set status = 'processed' where status = 'pending'`);

describe("outcomes: a file that is skipped", () => {
  beforeEach(async () => {
    home = await watchedHome({ timings: quick });
    jpeg = await picture();
    await mkdir(join(home.root, "front"));
    await writeFile(front("first.jpg"), numbered(jpeg, 7_000));
    await home.watcher.start();
    await home.entries(1);
  });
  afterEach(() => home.close());

  it("empty: after a while, and processed when it has content", async () => {
    await writeFile(front("a.jpg"), "");
    await sleep(150);
    expect(await home.ledger()).toHaveLength(1);
    expect(await outcomeOf("a.jpg")).toMatchObject({ status: "skipped", reason: "empty", size_bytes: 0 });
    await writeFile(front("a.jpg"), jpeg);
    await until(async () => (await outcomeOf("a.jpg")).status === "pending");
    // the row exists a moment before the watcher knows
    await until(() => home.watcher.state().pending === 0);
    expect(home.watcher.state().stuck).toEqual([]);
  });

  it("incomplete: listed as stuck first, and processed when the rest arrives", async () => {
    await writeFile(front("a.jpg"), jpeg.subarray(0, 30_000));
    const [stuck] = await until(() => home.watcher.state().stuck.length > 0 && home.watcher.state().stuck);
    expect(stuck).toMatchObject({ path: front("a.jpg"), reason: "the end marker of the JPEG is missing" });
    expect(await home.ledger()).toHaveLength(1);
    const outcome = await outcomeOf("a.jpg");
    expect(outcome).toMatchObject({ status: "skipped", reason: "incomplete" });
    expect(outcome.detail).toContain("processes the file when it is complete");
    expect(home.watcher.state().stuck).toEqual([]);
    await writeFile(front("a.jpg"), jpeg);
    await until(async () => (await outcomeOf("a.jpg")).status === "pending");
    await truncate(front("a.jpg"), 20_000);
    expect((await home.watcher.state()).running).toBe(true);
  });

  it("incomplete: recorded at once after a restart if it is old enough", async () => {
    await writeFile(front("a.jpg"), jpeg.subarray(0, 30_000));
    await home.watcher.stop();
    await sleep(900);
    home.watcher = home.renew();
    await home.watcher.start();
    expect(await outcomeOf("a.jpg", 500)).toMatchObject({ status: "skipped", reason: "incomplete" });
  });

  it("not_an_image: text with the name of a picture", async () => {
    await home.watcher.stop();
    home.watcher = home.renew({ timings: {} });
    await home.watcher.start();
    await writeFile(front("page.jpg"), "<html>530 Login incorrect</html>");
    const outcome = await outcomeOf("page.jpg");
    expect(outcome).toMatchObject({ status: "skipped", reason: "not_an_image", media_type: null });
    expect(outcome.detail).toContain("Check what uploads");
  });

  it("unsupported: a GIF, by name or by content", async () => {
    const gif = await sharp(jpeg).resize(64, 48).gif().toBuffer();
    await writeFile(front("a.gif"), gif);
    await writeFile(front("b.jpg"), gif);
    for (const name of ["a.gif", "b.jpg"]) {
      expect(await outcomeOf(name)).toMatchObject({ status: "skipped", reason: "unsupported", media_type: "image/gif" });
    }
  });

  it("too_large: more than 50 megapixels", async () => {
    const large = await sharp({ create: { width: 8_000, height: 6_300, channels: 3, background: "grey" } })
      .png()
      .toBuffer();
    await writeFile(front("a.png"), large);
    const outcome = await outcomeOf("a.png");
    expect(outcome).toMatchObject({ status: "skipped", reason: "too_large", media_type: "image/png" });
    expect(outcome.detail).toContain("8000 x 6300");
  });

  it("outside_root: a link out of the allowed folders; a link that stays inside is followed", async () => {
    await writeFile(join(home.outside, "secret.jpg"), jpeg);
    await symlink(join(home.outside, "secret.jpg"), front("out.jpg"));
    await writeFile(front("real.jpg"), numbered(jpeg, 1));
    await symlink(front("real.jpg"), front("in.jpg"));
    await symlink(join(home.root, "nothing.jpg"), front("dangling.jpg"));
    const outcome = await outcomeOf("out.jpg");
    expect(outcome).toMatchObject({ status: "skipped", reason: "outside_root", width: null });
    expect(outcome.detail).toContain("CAMERA_EXTRA_ROOTS");
    expect(await outcomeOf("in.jpg")).toMatchObject({ status: "pending", size_bytes: jpeg.length + 8 });
    expect(await outcomeOf("dangling.jpg")).toMatchObject({ status: "skipped", reason: "unreadable" });
  });

  it("a link to a folder is not followed", async () => {
    await writeFile(join(home.outside, "secret.jpg"), jpeg);
    await symlink(home.outside, front("out"));
    await symlink(front(""), front("loop"));
    await writeFile(front("real.jpg"), numbered(jpeg, 1));
    await outcomeOf("real.jpg");
    await sleep(500);
    expect((await home.ledger()).map((entry) => entry.path)).toEqual(["front/first.jpg", "front/real.jpg"]);
  });

  it("reupload: the same file under the same name again", async () => {
    await writeFile(front("a.jpg"), jpeg);
    await outcomeOf("a.jpg");
    await processed();
    await utimes(front("a.jpg"), new Date(), new Date(Date.now() - 60_000));
    await until(async () => (await home.ledger()).length === 3);
    expect(await outcomeOf("a.jpg")).toMatchObject({ status: "skipped", reason: "reupload" });
    // while the first still waits, its entry is about to become "overwritten": the second must be inspected
    await writeFile(front("b.jpg"), numbered(jpeg, 1));
    await outcomeOf("b.jpg");
    await utimes(front("b.jpg"), new Date(), new Date(Date.now() - 60_000));
    await until(async () => (await home.ledger()).length === 5);
    expect(await outcomeOf("b.jpg")).toMatchObject({ status: "pending" });
  });

  it("moved: a file that was processed under another name; a copy is processed and linked", async () => {
    await writeFile(front("a.jpg"), jpeg);
    const original = await outcomeOf("a.jpg");
    await processed();
    await copyFile(front("a.jpg"), front("copy.jpg"));
    expect(await outcomeOf("copy.jpg")).toMatchObject({ status: "pending", same_content_as: original.image_id });
    await processed();
    await mkdir(front("archive"));
    await rename(front("a.jpg"), front("archive/a.jpg"));
    const outcome = await outcomeOf("archive/a.jpg");
    expect(outcome).toMatchObject({ status: "skipped", reason: "moved" });
    expect(outcome.detail).toContain(front("a.jpg"));
  });

  it.skipIf(!ffmpeg)("no_ffmpeg: a video without ffmpeg, processed once ffmpeg is installed", async () => {
    await home.watcher.stop();
    home.watcher = home.renew({ ffmpeg: "/nonexistent/ffmpeg" });
    await home.watcher.start();
    await writeFile(front("a.mp4"), await readFile(await makeVideo(home.outside, "mp4", 3)));
    const outcome = await outcomeOf("a.mp4");
    expect(outcome).toMatchObject({ status: "skipped", reason: "no_ffmpeg", media_type: "video/mp4" });
    expect(outcome.detail).toContain("Install it");
    await home.watcher.stop();
    home.watcher = home.renew();
    await home.watcher.start();
    await until(async () => (await outcomeOf("a.mp4")).status === "pending");
    expect(await home.jobs()).toHaveLength(2);
  });

  it.skipIf(process.platform !== "linux")("no_ffmpeg: a video is not read repeatedly while ffmpeg is missing", async () => {
    await home.watcher.stop();
    home.watcher = home.renew({ ffmpeg: "/nonexistent/ffmpeg", timings: { ...quick, fullRescanMs: 500 } });
    const boxes = Buffer.from("000000186674797069736f6d000000000000000000000000000000086d6f6f76027fffe06d646174", "hex");
    await writeFile(front("a.mp4"), boxes);
    await truncate(front("a.mp4"), 40 * 1024 * 1024);
    await home.watcher.start();
    expect(await outcomeOf("a.mp4")).toMatchObject({ status: "skipped", reason: "no_ffmpeg" });
    const before = await bytesRead();
    await sleep(3_500);
    expect((await bytesRead()) - before).toBeLessThan(20 * 1024 * 1024);
  });

  it.skipIf(!ffmpeg)("a video is registered when other daemons process it, with or without ffmpeg here", async () => {
    await home.watcher.stop();
    home.watcher = home.renew({ detects: false, ffmpeg: "/nonexistent/ffmpeg" });
    await home.watcher.start();
    await writeFile(front("a.mp4"), await readFile(await makeVideo(home.outside, "mp4", 3)));
    expect(await outcomeOf("a.mp4")).toMatchObject({ status: "pending", media_type: "video/mp4" });
  });

  it("a JPEG with the name of a PNG, and a WebP, are pictures", async () => {
    await writeFile(front("a.png"), jpeg);
    await writeFile(front("b.webp"), await sharp(jpeg).webp().toBuffer());
    expect(await outcomeOf("a.png")).toMatchObject({ status: "pending", media_type: "image/jpeg" });
    expect(await outcomeOf("b.webp")).toMatchObject({ status: "pending", media_type: "image/webp", width: 768, height: 576 });
  });

  it("a time beyond the range of the ledger affects neither its file nor the neighbours", async () => {
    // times as shares and cameras without a clock give them; not every disk stores both
    const times: Readonly<Record<string, Date>> = {
      "early.jpg": new Date("1601-01-01T00:00:00Z"),
      "late.jpg": new Date("2300-01-01T00:00:00Z"),
    };
    const put = async (folder: string, from: number): Promise<void> => {
      await mkdir(front(folder));
      for (const [at, name] of ["now.jpg", ...Object.keys(times)].entries()) {
        const time = times[name] ?? new Date();
        await writeFile(join(home.outside, name), numbered(jpeg, from + at));
        await utimes(join(home.outside, name), time, time);
        await rename(join(home.outside, name), front(`${folder}/${name}`));
      }
    };
    await put("live", 100);
    await home.entries(4);
    await home.watcher.stop();
    await put("backlog", 200);
    home.watcher = home.renew();
    await home.watcher.start();
    expect((await home.entries(7)).map(({ status }) => status)).toEqual(Array.from({ length: 7 }, () => "pending"));
    // they are known from then on
    await home.watcher.stop();
    home.watcher = home.renew();
    await home.watcher.start();
    await writeFile(front("last.jpg"), numbered(jpeg, 300));
    await outcomeOf("last.jpg");
    await sleep(500);
    expect(await home.ledger()).toHaveLength(8);
    expect(home.warnings).toEqual([]);
  });

  it("a file with details that a damaged disk does not return delays no other file, and is processed when they return", async () => {
    await home.watcher.stop();
    for (const [at, name] of ["a.jpg", "b.jpg", "c.jpg"].entries()) await writeFile(front(name), numbered(jpeg, at));
    const faults = fileFaults(home.root);
    try {
      faults.failAt(front("b.jpg"));
      home.watcher = home.renew();
      await home.watcher.start();
      expect(await outcomeOf("a.jpg")).toMatchObject({ status: "pending" });
      expect(await outcomeOf("c.jpg")).toMatchObject({ status: "pending" });
      await writeFile(front("d.jpg"), numbered(jpeg, 3));
      expect(await outcomeOf("d.jpg")).toMatchObject({ status: "pending" });
      await sleep(700);
      expect(home.warnings).toEqual([expect.stringContaining("b.jpg")]);
    } finally {
      faults.undo();
    }
    await writeFile(front("e.jpg"), numbered(jpeg, 4));
    expect(await outcomeOf("b.jpg")).toMatchObject({ status: "pending" });
  });

  it.skipIf(process.platform !== "linux")(
    "unreadable: a name that is not UTF-8, found live or by a scan, until the file is gone",
    async () => {
      const latin1 = (name: string): Buffer => Buffer.concat([Buffer.from(`${front("")}/`), Buffer.from(name, "latin1")]);
      const theEntries = async (count: number) => {
        const all = await home.entries(count + 1);
        expect(all.slice(1).map(({ path, reason }) => [path, reason])).toEqual(Array(count).fill(["front/S\ufffdd.jpg", "unreadable"]));
        return all.at(-1);
      };
      await writeFile(latin1("Süd.jpg"), jpeg);
      await writeFile(latin1("Nöchster.jpg"), jpeg);
      await until(() => home.watcher.state().pending === 2);
      await rm(latin1("Nöchster.jpg"));
      expect(await theEntries(1)).toMatchObject({
        status: "skipped",
        size_bytes: jpeg.length,
        detail: expect.stringContaining("Rename it"),
      });
      await until(() => home.watcher.state().pending === 0);
      await home.watcher.stop();
      await writeFile(latin1("Süd.jpg"), numbered(jpeg, 1));
      await mkdir(latin1("Höf"));
      home.watcher = home.renew();
      await home.watcher.start();
      await theEntries(2);
      await until(() => home.warnings.find((warning) => warning.includes("the name of a folder is not valid UTF-8")));
      await rename(latin1("Süd.jpg"), front("Sued.jpg"));
      expect(await outcomeOf("Sued.jpg")).toMatchObject({ status: "pending" });
    },
  );

  it("other files and folders with odd names cause no trouble", async () => {
    await mkdir(front("folder.jpg"));
    await writeFile(front("folder.jpg/a.jpg"), numbered(jpeg, 5));
    await writeFile(front("log.txt"), "x");
    await mkdir(front("@eaDir"));
    await writeFile(front("@eaDir/thumb.jpg"), numbered(jpeg, 6));
    expect(await outcomeOf("folder.jpg/a.jpg")).toMatchObject({ status: "pending" });
    await sleep(500);
    expect(await home.ledger()).toHaveLength(2);
  });
});

describe("outcomes: a camera's folder", () => {
  beforeEach(async () => {
    home = await watchedHome({ timings: quick });
    jpeg = await picture();
  });
  afterEach(() => home.close());

  it("outside of the allowed folders is never read", async () => {
    await home.database.db.query(
      (sql) => sql`insert into cameras (camera_id, name, folder_path, status) values ('out', 'Out', ${home.outside}, 'error')`,
    );
    await writeFile(join(home.outside, "a.jpg"), jpeg);
    await home.watcher.start();
    await until(() => home.problems.get("out"));
    await sleep(400);
    expect(home.problems.get("out")).toContain("CAMERA_EXTRA_ROOTS");
    expect(await home.ledger()).toEqual([]);
  });

  it("inside the folder of another camera keeps its own pictures", async () => {
    await mkdir(join(home.root, "house", "door"), { recursive: true });
    await home.database.db.query(
      (sql) => sql`insert into cameras (camera_id, name, folder_path) values
        ('house', 'House', ${join(home.root, "house")}), ('door', 'Door', ${join(home.root, "house", "door")})`,
    );
    await home.watcher.start();
    await writeFile(join(home.root, "house", "a.jpg"), jpeg);
    await writeFile(join(home.root, "house", "door", "b.jpg"), numbered(jpeg, 1));
    const ledger = await home.entries(2);
    expect(new Map(ledger.map((entry) => [entry.path, entry.camera]))).toEqual(
      new Map([
        ["house/a.jpg", "house"],
        ["house/door/b.jpg", "door"],
      ]),
    );
  });

  it("inside the folder of another camera that appears later, such as a mounted disk, keeps its pictures", async () => {
    await mkdir(join(home.root, "house"));
    await home.database.db.query(
      (sql) => sql`insert into cameras (camera_id, name, folder_path) values
        ('house', 'House', ${join(home.root, "house")}), ('door', 'Door', ${join(home.root, "house", "door")})`,
    );
    await home.watcher.start();
    await until(() => home.problems.get("door"));
    await mkdir(join(home.outside, "door"));
    await writeFile(join(home.outside, "door", "b.jpg"), jpeg);
    await rename(join(home.outside, "door"), join(home.root, "house", "door"));
    const [entry] = await home.entries(1);
    expect([entry?.path, entry?.camera]).toEqual(["house/door/b.jpg", "door"]);
  });

  it("unreadable: a file without read permission, processed when it gets the permission", async () => {
    const isRoot = process.geteuid?.() === 0;
    // root can read everything, so another user runs this
    await chmod(join(home.root, ".."), 0o755);
    await mkdir(join(home.root, "front"));
    await writeFile(join(home.root, "front", "a.jpg"), jpeg, { mode: 0o000 });
    if (isRoot) process.seteuid?.(65_534);
    try {
      await home.watcher.start();
      const outcome = await outcomeOf("a.jpg");
      expect(outcome).toMatchObject({ status: "skipped", reason: "unreadable" });
      expect(outcome.detail).toContain("Grant read permission");
      if (isRoot) process.seteuid?.(0);
      await chmod(join(home.root, "front", "a.jpg"), 0o644);
      if (isRoot) process.seteuid?.(65_534);
      await until(async () => (await outcomeOf("a.jpg")).status === "pending");
      expect(await home.ledger()).toHaveLength(1);
      expect(await home.jobs()).toHaveLength(1);
    } finally {
      if (isRoot) process.seteuid?.(0);
    }
  });
});
