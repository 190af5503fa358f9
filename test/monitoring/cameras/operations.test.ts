import { access, chmod, mkdir, rm, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { markCameraError } from "../../../src/monitoring/cameras/status.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { eventually } from "../../support/eventually.ts";
import { type Desk, openDesk, type Wire } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "cameras, journal"));
  desk.at("2026-03-01T12:00:00Z");
});

const create = (body: unknown) => desk.ask("createCamera", { body });
const of = (cameraId: string) => ({ params: { camera_id: cameraId } });
const invalidFolder = { kind: "invalid", items: [{ loc: ["body", "folder_path"], type: "value_error" }] };

describe("create", () => {
  it("derives id and folder from the name, creates the folder and announces the camera", async () => {
    const camera = await create({ name: "Front Door" });
    expect(camera).toEqual({
      camera_id: "front_door",
      name: "Front Door",
      folder_path: join(desk.cameraRoot, "front_door"),
      status: "unknown",
      last_seen_at: null,
      file_pattern: null,
      time_zone: null,
      time_template: "auto",
      clock_offset_seconds: null,
      created_at: "2026-03-01T12:00:00.000Z",
      updated_at: "2026-03-01T12:00:00.000Z",
      deleted_at: null,
    });
    await access(camera.folder_path);
    expect(await desk.journal("camera_status")).toMatchObject([{ camera_id: "front_door", status: "unknown", previous_status: null }]);
    expect(await desk.ask("getCamera", of("front_door"))).toEqual({ ...camera, preview_url: null, blur_hash: null });
  });

  it("accepts a custom id and folder, relative to CAMERA_ROOT or absolute", async () => {
    await mkdir(join(desk.cameraRoot, "site/yard"), { recursive: true });
    expect(await create({ name: "Yard", camera_id: "y-1", folder_path: "site/yard" })).toMatchObject({
      camera_id: "y-1",
      folder_path: join(desk.cameraRoot, "site/yard"),
      status: "unknown",
    });
    expect(await create({ name: "Barn", folder_path: `${desk.cameraRoot}/site/` })).toMatchObject({
      folder_path: join(desk.cameraRoot, "site"),
      status: "unknown",
    });
  });

  it.each([
    ["id", { name: "Other", camera_id: "front_door" }, /front_door.*"Front Door".*the id front_door.*another camera_id/],
    ["slug", { name: "front-door?", camera_id: undefined }, undefined],
    ["name", { name: "Front Door", camera_id: "fd2" }, /the name "Front Door".*another name/],
    ["folder", { name: "Other", folder_path: "front_door" }, /the folder .*\/front_door .*another folder_path/],
    ["folder with detours", { name: "Other", folder_path: "./front_door//" }, /the folder .*\/front_door /],
  ])("refuses the %s of another camera", async (_, body, message) => {
    await create({ name: "Front Door" });
    if (message) await expect(create(body)).rejects.toMatchObject({ kind: "conflict", message: expect.stringMatching(message) });
    else expect(await create(body)).toMatchObject({ camera_id: "front-door" });
  });

  it("refuses the folder of another camera under another path", async () => {
    await create({ name: "Front Door" });
    await symlink(join(desk.cameraRoot, "front_door"), join(desk.cameraRoot, "alias"));
    await expect(create({ name: "Alias" })).rejects.toMatchObject({ kind: "conflict", message: expect.stringContaining("front_door") });
    await rm(join(desk.cameraRoot, "alias"));
  });

  it("names restore when the other camera is deleted", async () => {
    await create({ name: "Front Door" });
    await desk.ask("deleteCamera", of("front_door"));
    for (const body of [{ name: "Front Door" }, { name: "X", camera_id: "front_door" }, { name: "X", folder_path: "front_door" }]) {
      await expect(create(body)).rejects.toMatchObject({
        kind: "conflict",
        message: expect.stringMatching(/POST \/api\/cameras\/front_door\/restore or `homesec cameras restore front_door`/),
      });
    }
  });

  it.each([" ", "../elsewhere", "a/../b", "/etc/../tmp", "..", "../"])("refuses the folder %j", async (folder_path) => {
    await expect(create({ name: "A", folder_path })).rejects.toMatchObject(invalidFolder);
  });

  it("refuses NUL, fields that it does not know, and names that are too long", async () => {
    await expect(create({ name: "A", folder_path: "a\0b" })).rejects.toMatchObject({ kind: "invalid" });
    await expect(create({ name: "A", folder_path: "" })).rejects.toMatchObject({ items: [{ type: "string_too_short" }] });
    await expect(create({ name: "A\0" })).rejects.toMatchObject({ kind: "invalid" });
    await expect(create({ name: "A", colour: "red" })).rejects.toMatchObject({ items: [{ type: "extra_forbidden" }] });
    await expect(create({ name: "x".repeat(256) })).rejects.toMatchObject({ items: [{ type: "string_too_long" }] });
    await expect(create({ name: "" })).rejects.toMatchObject({ items: [{ type: "string_too_short" }] });
    await expect(create({ name: "A", camera_id: "Not A Slug" })).rejects.toMatchObject({ items: [{ type: "string_pattern_mismatch" }] });
    expect(await create({ name: "x".repeat(255) })).toMatchObject({ camera_id: "x".repeat(64) });
  });

  it("accepts a folder outside of the roots with status error, also one that leads out by a link", async () => {
    await mkdir(join(desk.outside, "linked"));
    await symlink(join(desk.outside, "linked"), join(desk.cameraRoot, "way-out"));
    const outright = await create({ name: "Outside", folder_path: desk.outside });
    const linked = await create({ name: "Linked", folder_path: "way-out" });
    const absent = await create({ name: "Absent", folder_path: "/nowhere/at/all" });
    expect([outright.status, linked.status, absent.status]).toEqual(["error", "error", "error"]);
    const { invalid_cameras } = await desk.ask("validateCameraPaths");
    expect(invalid_cameras.map((camera) => camera.issues[0])).toEqual(Array(3).fill(expect.stringContaining("outside of CAMERA_ROOT")));
    await rm(join(desk.cameraRoot, "way-out"));
  });

  it("accepts a folder in an extra root", async () => {
    const other = await openDesk({ CAMERA_EXTRA_ROOTS: desk.outside });
    expect(await other.ask("createCamera", { body: { name: "FTP", folder_path: desk.outside } })).toMatchObject({ status: "unknown" });
    await other.close();
  });

  it("answers two at once with one camera and one conflict", async () => {
    const bodies = [{ name: "Twin" }, { name: "Twin" }, { name: "twin" }, { name: "Third", folder_path: "twin" }];
    const answers = await Promise.allSettled(bodies.map(create));
    expect(answers.filter((answer) => answer.status === "fulfilled")).toHaveLength(1);
    for (const answer of answers) if (answer.status === "rejected") expect(answer.reason).toMatchObject({ kind: "conflict" });
  });
});

describe("update", () => {
  it("changes name, folder and status, ignores read-only fields, and announces the change", async () => {
    const camera = await create({ name: "Gate" });
    await mkdir(join(desk.cameraRoot, "moved"), { recursive: true });
    desk.at("2026-03-01T13:00:00Z");
    const updated = await desk.ask("updateCamera", {
      ...of("gate"),
      body: { ...camera, name: "Big Gate", folder_path: "moved", status: "ONLINE", created_at: "never" },
    });
    expect(updated).toEqual({
      ...camera,
      name: "Big Gate",
      folder_path: join(desk.cameraRoot, "moved"),
      status: "online",
      updated_at: "2026-03-01T13:00:00.000Z",
    });
    expect((await desk.journal("camera_status")).at(-1)).toMatchObject({ name: "Big Gate", status: "online", previous_status: "unknown" });
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { status: "offline" } })).toMatchObject({
      name: "Big Gate",
      status: "offline",
    });
  });

  it("takes only online and offline as a status, and keeps error while the folder is not well", async () => {
    await create({ name: "Gate", folder_path: desk.outside });
    await expect(desk.ask("updateCamera", { ...of("gate"), body: { status: "error" } })).rejects.toMatchObject({
      items: [{ type: "enum" }],
    });
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { status: "online" } })).toMatchObject({ status: "error" });
    await mkdir(join(desk.cameraRoot, "well"), { recursive: true });
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { folder_path: "well" } })).toMatchObject({ status: "unknown" });
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { folder_path: "gone" } })).toMatchObject({ status: "error" });
  });

  it.each([
    ["name", { name: "Big Gate" }, { name: "Big Gate", status: "unknown" }],
    ["status", { status: "online" }, { name: "Gate", status: "error" }],
  ])("of the %s keeps a folder that another client changed meanwhile, and checks it", async (_, body, expected) => {
    await create({ name: "Gate" });
    const folder_path = join(desk.cameraRoot, "moved-meanwhile");
    const waiting = async () =>
      (
        await desk.db.query(
          (sql) => sql`select from pg_stat_activity a where a.datname = current_database() and a.wait_event_type = 'Lock'`,
        )
      ).length > 0;
    let update: Promise<unknown> | undefined;
    await desk.db.transaction(async (sql) => {
      await sql`update cameras set folder_path = ${folder_path} where camera_id = 'gate'`;
      update = desk.ask("updateCamera", { ...of("gate"), body });
      await eventually(waiting);
    });
    expect(await update).toMatchObject({ ...expected, folder_path });
  });

  it("refuses what another camera has, and the folders that create refuses; its own name is its own", async () => {
    await create({ name: "A" });
    await create({ name: "B" });
    const update = (body: unknown) => desk.ask("updateCamera", { ...of("b"), body });
    await expect(update({ name: "A" })).rejects.toMatchObject({ kind: "conflict", message: expect.stringContaining("the name") });
    await expect(update({ folder_path: "a" })).rejects.toMatchObject({ kind: "conflict", message: expect.stringContaining("the folder") });
    await expect(update({ folder_path: "../a" })).rejects.toMatchObject(invalidFolder);
    expect(await update({ name: "B", folder_path: "b" })).toMatchObject({ name: "B" });
  });
});

describe("delete and restore", () => {
  it("moves a camera into the deleted set and back", async () => {
    const camera = await create({ name: "Gate" });
    expect(await desk.ask("deleteCamera", of("gate"))).toBeUndefined();
    await expect(desk.ask("getCamera", of("gate"))).rejects.toMatchObject({
      kind: "not_found",
      message: expect.stringContaining("restore"),
    });
    await expect(desk.ask("updateCamera", { ...of("gate"), body: { name: "X" } })).rejects.toMatchObject({ kind: "not_found" });
    await expect(desk.ask("deleteCamera", of("gate"))).rejects.toMatchObject({ kind: "conflict" });
    await expect(desk.askBytes("getCameraSnapshot", of("gate"))).rejects.toMatchObject({ kind: "not_found" });
    expect((await desk.ask("listCameras")).count).toBe(0);
    expect((await desk.ask("listDeletedCameras")).items).toMatchObject([{ camera_id: "gate", deleted_at: "2026-03-01T12:00:00.000Z" }]);
    expect(await desk.ask("restoreCamera", of("gate"))).toEqual(camera);
    await expect(desk.ask("restoreCamera", of("gate"))).rejects.toMatchObject({ kind: "conflict" });
    expect((await desk.journal("camera_status")).map((data) => data.deleted_at !== null)).toEqual([false, true, false]);
  });

  it("lets one of two deletions at once win", async () => {
    await create({ name: "Gate" });
    const answers = await Promise.allSettled([desk.ask("deleteCamera", of("gate")), desk.ask("deleteCamera", of("gate"))]);
    expect(answers.map((answer) => answer.status).sort()).toEqual(["fulfilled", "rejected"]);
  });

  it.each(["nobody", "Größe", "a/b", "x".repeat(100), "' or 1=1 --"])("knows no camera %j", async (id) => {
    for (const operation of ["getCamera", "deleteCamera", "restoreCamera"] as const) {
      await expect(desk.ask(operation, of(id))).rejects.toMatchObject({
        kind: "not_found",
        message: expect.stringContaining(id.slice(0, 20)),
      });
    }
  });
});

describe("lists", () => {
  it("filters by status in either case", async () => {
    await create({ name: "A" });
    await create({ name: "B", folder_path: desk.outside });
    const { cameras, count, pagination } = await desk.ask("listCameras", { query: "status=ERROR" });
    expect(cameras.map((camera) => camera.camera_id)).toEqual(["b"]);
    expect([count, pagination.total]).toEqual([1, 1]);
  });

  it("shows each camera that was there exactly once while others come and go", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uniqueArray(fc.stringMatching(/^[a-z0-9_-]{1,12}$/), { minLength: 1, maxLength: 12 }),
        fc.array(fc.stringMatching(/^[a-z0-9_-]{1,12}$/), { maxLength: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (there, coming, limit) => {
          await desk.db.query((sql) => emptyTables(sql, "cameras"));
          const insert = (id: string) =>
            desk.db.query(
              (sql) => sql`insert into cameras (camera_id, name, folder_path) values (${id}, ${id}, ${id}) on conflict do nothing`,
            );
          for (const id of there) await insert(id);
          const seen: string[] = [];
          let cursor: string | null = "";
          while (cursor !== null) {
            const page: Wire<"listCameras"> = await desk.ask("listCameras", { query: `limit=${limit}${cursor && `&cursor=${cursor}`}` });
            seen.push(...page.cameras.map((camera) => camera.camera_id));
            cursor = page.pagination.next_cursor;
            const next = coming.shift();
            if (next) await insert(next);
          }
          expect(new Set(seen).size).toBe(seen.length);
          expect(seen).toEqual(expect.arrayContaining(there));
        },
      ),
      { numRuns: 30 },
    );
  });

  it("walks the deleted cameras, last deleted first", async () => {
    for (const [index, name] of ["A", "B", "C", "D", "E"].entries()) {
      await create({ name });
      desk.at(new Date(Date.UTC(2026, 2, 2, 0, 0, index >> 1)));
      await desk.ask("deleteCamera", of(name.toLowerCase()));
    }
    const ids: string[] = [];
    let cursor = "";
    for (;;) {
      const { items, pagination } = await desk.ask("listDeletedCameras", { query: `limit=2${cursor}` });
      expect(pagination.total).toBe(5);
      ids.push(...items.map((camera) => camera.camera_id));
      if (!pagination.has_more) break;
      cursor = `&cursor=${pagination.next_cursor}`;
    }
    expect(ids).toEqual(["e", "d", "c", "b", "a"]);
  });

  it("refuses the cursor of another list and warns of an offset", async () => {
    for (const name of ["A", "B"]) await create({ name });
    const { pagination } = await desk.ask("listCameras", { query: "limit=1" });
    await expect(desk.ask("listDeletedCameras", { query: `cursor=${pagination.next_cursor}` })).rejects.toMatchObject({
      items: [{ loc: ["query", "cursor"] }],
    });
    const second = await desk.ask("listCameras", { query: "limit=1&offset=1" });
    expect(second.cameras).toMatchObject([{ camera_id: "b" }]);
    expect(second.deprecation_warning).toContain("cursor");
    expect((await desk.ask("listCameras", { query: "offset=1000000000" })).cameras).toEqual([]);
  });
});

describe("snapshot", () => {
  const picture = async (path: string, takenAt: string, status = "processed", mediaType = "image/jpeg", reason: string | null = null) => {
    await desk.db.query(
      (sql) => sql`
        insert into images (camera_id, path, size_bytes, modified_ns, media_type, found_by, found_at, taken_at, status, reason)
        values ('gate', ${path}, 1, 1, ${mediaType}, 'watch', ${takenAt}, ${takenAt}, ${status}, ${reason})
      `,
    );
    return path;
  };
  const snapshot = () => desk.askBytes("getCameraSnapshot", of("gate"));

  it("is the newest picture that is still there and lies in the roots", async () => {
    const { folder_path } = await create({ name: "Gate" });
    await expect(snapshot()).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining("no picture yet") });
    const old = await picture(join(folder_path, "old.png"), "2026-01-01T00:00:00Z", "processed", "image/png");
    const gone = await picture(join(folder_path, "gone.jpg"), "2026-01-02T00:00:00Z");
    await expect(snapshot()).rejects.toMatchObject({ kind: "not_found", message: expect.stringContaining(gone) });
    await writeFile(old, "old");
    expect(await snapshot()).toEqual({ mediaType: "image/png", content: { file: old, isReal: true } });
    await writeFile(gone, "back");
    expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: gone, isReal: true } });
    await writeFile(join(desk.outside, "secret.jpg"), "secret");
    await symlink(join(desk.outside, "secret.jpg"), await picture(join(folder_path, "link.jpg"), "2026-01-03T00:00:00Z"));
    await writeFile(await picture(join(desk.outside, "else.jpg"), "2026-01-04T00:00:00Z"), "elsewhere");
    await writeFile(await picture(join(folder_path, "film.mp4"), "2026-01-05T00:00:00Z", "processed", "video/mp4"), "film");
    await writeFile(await picture(join(folder_path, "bad.jpg"), "2026-01-06T00:00:00Z", "skipped"), "bad");
    expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: gone, isReal: true } });
  });

  it("exists before detection, and without a detector", async () => {
    const { folder_path } = await create({ name: "Gate" });
    for (const [day, status, reason] of [
      ["01", "skipped", "refused"],
      ["02", "pending", null],
      ["03", "failed", null],
      ["04", "skipped", "reupload"],
    ] as const) {
      const path = await picture(join(folder_path, `${day}.jpg`), `2026-01-${day}T00:00:00Z`, status, "image/jpeg", reason);
      await writeFile(path, day);
      expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: path, isReal: true } });
    }
  });

  it("is no picture of a time that the clock has left while there is another one", async () => {
    const { folder_path } = await create({ name: "Gate" });
    const future = await picture(join(folder_path, "future.jpg"), "2026-06-01T00:00:00Z");
    await writeFile(future, "future");
    desk.at(new Date("2026-03-01T12:00:00Z"));
    expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: future, isReal: true } });
    const now = await picture(join(folder_path, "now.jpg"), "2026-03-01T11:59:00Z");
    await writeFile(now, "now");
    expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: now, isReal: true } });
    // another machine's clock may be slightly ahead
    const ahead = await picture(join(folder_path, "ahead.jpg"), "2026-03-01T12:00:05Z");
    await writeFile(ahead, "ahead");
    expect(await snapshot()).toEqual({ mediaType: "image/jpeg", content: { file: ahead, isReal: true } });
  });
});

describe("validation of paths", () => {
  it("reports the problem of each folder", async () => {
    await create({ name: "Well" });
    await create({ name: "Missing", folder_path: "missing" });
    await writeFile(join(desk.cameraRoot, "a-file"), "");
    await create({ name: "File", folder_path: "a-file" });
    await create({ name: "Gone" });
    await desk.ask("deleteCamera", of("gone"));
    const reply = await desk.ask("validateCameraPaths");
    expect(reply).toMatchObject({ base_path: desk.cameraRoot, total_cameras: 3, valid_count: 1, invalid_count: 2 });
    expect(reply.valid_cameras).toEqual([
      {
        camera_id: "well",
        name: "Well",
        folder_path: join(desk.cameraRoot, "well"),
        resolved_path: join(desk.cameraRoot, "well"),
        issues: [],
      },
    ]);
    expect(reply.invalid_cameras).toMatchObject([
      { camera_id: "file", issues: [expect.stringContaining("not a folder")] },
      { camera_id: "missing", resolved_path: null, issues: [expect.stringContaining("does not exist")] },
    ]);
  });

  it.skipIf(process.getuid?.() === 0)("reports a folder without read permission (root may read everything)", async () => {
    const { folder_path } = await create({ name: "Locked" });
    await chmod(folder_path, 0o000);
    expect((await desk.ask("validateCameraPaths")).invalid_cameras).toMatchObject([{ issues: [expect.stringContaining("EACCES")] }]);
    await chmod(folder_path, 0o755);
  });

  it("takes error from a camera whose folder is corrected", async () => {
    await create({ name: "Gate" });
    await desk.db.transaction((sql) => markCameraError(sql, "gate", "unplugged", new Date("2026-03-01T12:00:01Z")));
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { name: "The Gate" } })).toMatchObject({ status: "error" });
    expect(await desk.ask("updateCamera", { ...of("gate"), body: { folder_path: "gate" } })).toMatchObject({ status: "unknown" });
  });
});
