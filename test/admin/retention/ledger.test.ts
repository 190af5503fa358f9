import { existsSync } from "node:fs";
import { lstat, mkdir, rename, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cleanLedger } from "../../../src/admin/retention/ledger.ts";
import { uniformRetention } from "../../../src/admin/retention/retention.ts";
import { unknownVersions } from "../../../src/monitoring/images/images-repository.ts";
import type { Desk } from "../../support/operations.ts";
import { cleanUpAt, pastDesks } from "./stored-past.ts";

const open = pastDesks();

describe("ledger", () => {
  const known = (desk: Desk, path: string, bytes: number, time: Date) =>
    desk.db.query((sql) => unknownVersions(sql, ["yard"], [{ path, sizeBytes: bytes, modifiedNs: BigInt(time.getTime()) * 1_000_000n }]));

  it("ledger: keeps an entry as long as its file exists, so that the picture is not processed again", async () => {
    const { desk, past } = await open();
    const picture = await past.picture(31);
    await past.detection(31, { imageId: picture.id });
    const gone = await past.picture(31);
    await rm(gone.path);
    expect(await cleanUpAt(desk)).toMatchObject({ detections_deleted: 1, images_deleted: 0 });
    expect(existsSync(picture.path)).toBe(true);
    expect(await known(desk, picture.path, 100, past.ago(31))).toEqual([]);
    expect(await past.count("images")).toBe(1);
    expect((await desk.ask("getStorage")).images).toEqual({ file_count: 1, size_bytes: 100 });
  });

  it("ledger: forgets overwritten versions of a picture, but not the last one", async () => {
    const { desk, past } = await open();
    const versions = [await past.picture(33, { name: "snapshot.jpg" }), await past.picture(32, { name: "snapshot.jpg" })];
    const last = await past.picture(31, { name: "snapshot.jpg" });
    expect(versions.map(({ path }) => path)).toEqual([last.path, last.path]);
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 0 });
    expect(await past.count("images")).toBe(1);
    expect(await known(desk, last.path, 100, past.ago(31))).toEqual([]);
    expect(existsSync(last.path)).toBe(true);
  });

  it("ledger: forgets earlier targets of a link, but not its current or an unknown target", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const link = join(desk.cameraRoot, "yard", "lastsnap.jpg");
    const [first, second, away] = [await past.picture(33), await past.picture(29, { bytes: 200 }), join(desk.outside, "away.jpg")];
    await past.picture(33, { name: "lastsnap.jpg", file: false });
    await symlink(first.path, link);
    const paths = async (): Promise<readonly string[]> =>
      (await desk.db.query((sql) => sql<{ path: string }[]>`select i.path from images i order by i.image_id`)).map(({ path }) => path);
    await desk.db.query((sql) => sql`update images set status = 'pending' where path = ${first.path}`);
    await cleanUpAt(desk);
    expect(await paths()).toEqual([first.path, second.path, link]);
    // Its disk is unmounted.
    await rm(link);
    await symlink(away, link);
    await cleanUpAt(desk);
    expect(await paths()).toEqual([first.path, second.path, link]);
    await rm(link);
    await symlink(second.path, link);
    await cleanUpAt(desk);
    expect(await paths()).toEqual([first.path, second.path]);
    expect(existsSync(second.path)).toBe(true);
  });

  it("ledger: keeps the entry of a link that could not be followed", async () => {
    const { desk, past } = await open();
    const link = join(desk.cameraRoot, "yard", "secret.jpg");
    await writeFile(join(desk.outside, "secret.jpg"), "");
    await symlink(join(desk.outside, "secret.jpg"), link);
    const { size, mtimeNs } = await lstat(link, { bigint: true });
    const entry = await past.picture(31, { name: "secret.jpg", file: false, status: "skipped" });
    await desk.db.query(
      (sql) =>
        sql`update images set size_bytes = ${Number(size)}, modified_ns = ${String(mtimeNs)}::text::bigint where image_id = ${entry.id}`,
    );
    await cleanUpAt(desk);
    expect(await past.count("images")).toBe(1);
  });

  it("ledger: forgets nothing while the picture disk is unmounted", async () => {
    const { desk, past } = await open();
    await past.picture(31);
    const folder = join(desk.cameraRoot, "yard");
    await rename(folder, `${folder}-away`);
    await cleanUpAt(desk);
    await mkdir(folder);
    await cleanUpAt(desk);
    expect(await past.count("images")).toBe(1);
  });

  it("ledger: forgets nothing of a disk unmounted inside the camera's folder, or of the disk that held the folder before", async () => {
    const { desk, past } = await open();
    const yard = join(desk.cameraRoot, "yard");
    const mountPoints = [join(yard, "empty"), join(desk.cameraRoot, "empty")] as const;
    for (const mountPoint of mountPoints) await mkdir(mountPoint, { recursive: true });
    const before = await past.picture(31, { name: "../old/a.jpg" });
    const [flat, dated] = [await past.picture(31, { name: "usb/a.jpg" }), await past.picture(31, { name: "usb/2026-01-29/a.jpg" })];
    await desk.db.query((sql) => sql`update images set found_at = now()`);
    const gone = await past.picture(31);
    await rm(gone.path);
    await rename(join(yard, "usb"), join(yard, "away"));
    await rename(mountPoints[0], join(yard, "usb"));
    await rename(join(desk.cameraRoot, "old"), join(desk.cameraRoot, "away"));
    await cleanUpAt(desk);
    await rename(mountPoints[1], join(desk.cameraRoot, "old"));
    await cleanUpAt(desk);
    expect(await past.count("images")).toBe(3);
    for (const { path } of [before, flat, dated]) expect(await known(desk, path, 100, past.ago(31))).toEqual([]);
  });

  it("ledger: forgets the pictures of date folders that were removed or emptied by hand", async () => {
    const { desk, past } = await open();
    const day = join(desk.cameraRoot, "yard", "2026-01-29");
    for (const name of ["2026-01-28/a.jpg", "2026-01-29/a.jpg", "2026-01-29/b.jpg"]) await past.picture(31, { name });
    await desk.db.query((sql) => sql`update images set found_at = now()`);
    await rm(join(desk.cameraRoot, "yard", "2026-01-28"), { recursive: true });
    await rm(join(day, "a.jpg"));
    await cleanUpAt(desk);
    expect(await past.count("images")).toBe(1);
    await rm(join(day, "b.jpg"));
    await cleanUpAt(desk);
    expect(await past.count("images")).toBe(0);
    expect(existsSync(day)).toBe(true);
  });

  it("ledger: an old picture that was found late keeps its file for the retention period from then on", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const picture = await past.picture(31);
    const foundAgo = (days: number) => desk.db.query((sql) => sql`update images set found_at = ${past.ago(days)}`);
    await foundAgo(29);
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 0 });
    expect(existsSync(picture.path)).toBe(true);
    await foundAgo(31);
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 1 });
    expect(existsSync(picture.path)).toBe(false);
  });

  it("ledger: keeps unprocessed pictures and pictures of data that stays", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    await past.picture(31, { status: "pending" });
    await past.picture(31, { status: "deferred" });
    const shown = await past.picture(31);
    await past.detection(29, { imageId: shown.id });
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 0 });
    expect(await past.count("images")).toBe(3);
  });

  it("ledger: keeps a picture whose detection expired during the run until the next run", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const picture = await past.picture(31);
    await past.detection(31, { imageId: picture.id });
    // The deletion of rows has finished, as when a backlog is processed meanwhile.
    expect(await cleanLedger(desk.context, { retention: uniformRetention(past.ago(30)), now: past.now }, false, undefined)).toEqual({
      files: 0,
      bytes: 0,
    });
    expect(existsSync(picture.path)).toBe(true);
    expect(await cleanUpAt(desk)).toMatchObject({ detections_deleted: 1, images_deleted: 1 });
    expect(existsSync(picture.path)).toBe(false);
  });

  it("ledger: deletes original pictures only with DELETE_IMAGES, each only if it is unchanged", async () => {
    const { desk, past } = await open({ DELETE_IMAGES: "true" });
    const old = await past.picture(31, { bytes: 1000 });
    const young = await past.picture(29);
    const overwritten = await past.picture(31);
    await writeFile(overwritten.path, "a new picture");
    const outside = join(desk.outside, "private.jpg");
    await writeFile(outside, Buffer.alloc(100));
    const linked = await past.picture(31);
    await rm(linked.path);
    await symlink(outside, linked.path);
    const elsewhere = await past.picture(31, { name: "../../../outside/private.jpg" });
    const expected = { images_deleted: 1, space_reclaimed: 1000 };
    expect(await cleanUpAt(desk, true)).toMatchObject(expected);
    expect(existsSync(old.path)).toBe(true);
    expect(await cleanUpAt(desk)).toMatchObject(expected);
    expect([old, young, overwritten, linked, elsewhere].map(({ path }) => existsSync(path))).toEqual([false, true, true, true, true]);
    expect(await cleanUpAt(desk)).toMatchObject({ images_deleted: 0, space_reclaimed: 0 });
  });
});
