import { mkdir, rm, symlink } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(() => desk.db.query((sql) => emptyTables(sql, "cameras, journal")));

const of = (cameraId: string) => ({ params: { camera_id: cameraId } });
const invalidFolder = { kind: "invalid", items: [{ loc: ["body", "folder_path"], type: "value_error" }] };

describe("a folder that would take the pictures of other cameras", () => {
  it("cameras: is refused with the fix when it is the camera root, a link to it, contains it, or holds homesec's own files", async () => {
    const { cameraRoot, dataDir } = desk;
    const other = await openDesk({ CAMERA_ROOT: cameraRoot, CAMERA_EXTRA_ROOTS: dirname(dataDir), DATA_DIR: dataDir });
    const link = join(desk.outside, "round");
    await symlink(cameraRoot, link);
    await mkdir(join(dataDir, "thumbnails"), { recursive: true });
    const refusals = {
      [cameraRoot]: "is CAMERA_ROOT itself",
      ".": "is CAMERA_ROOT itself",
      [link]: "is CAMERA_ROOT itself",
      [dataDir]: "contains CAMERA_ROOT",
      [dirname(dataDir)]: "contains CAMERA_ROOT",
      [join(dataDir, "thumbnails")]: "holds files of homesec itself",
      [join(dataDir, "thumbnails", "yard")]: "holds files of homesec itself",
    };
    try {
      await other.ask("createCamera", { body: { name: "Yard" } });
      for (const [folder_path, why] of Object.entries(refusals)) {
        const refusal = { ...invalidFolder, message: expect.stringContaining(`The folder ${why}`) };
        await expect(other.ask("createCamera", { body: { name: "All", folder_path } }), folder_path).rejects.toMatchObject(refusal);
        await expect(other.ask("updateCamera", { ...of("yard"), body: { folder_path } }), folder_path).rejects.toMatchObject(refusal);
        await expect(other.ask("createCamera", { body: { name: "All", folder_path } })).rejects.toThrow(`such as ${cameraRoot}/yard`);
      }
      expect((await other.ask("listCameras")).count).toBe(1);
    } finally {
      await other.close();
      await rm(link);
    }
  });

  it("cameras: is listed by the validation of paths when an earlier version accepted it, and its camera can be given another", async () => {
    const { cameraRoot } = desk;
    await desk.db.query((sql) => sql`insert into cameras (camera_id, name, folder_path) values ('all', 'All', ${cameraRoot})`);
    expect(await desk.ask("validateCameraPaths")).toMatchObject({
      invalid_count: 1,
      invalid_cameras: [{ camera_id: "all", issues: [expect.stringContaining("The folder is CAMERA_ROOT itself")] }],
    });
    expect(await desk.ask("updateCamera", { ...of("all"), body: { name: "Everything" } })).toMatchObject({ name: "Everything" });
    expect(await desk.ask("updateCamera", { ...of("all"), body: { folder_path: "site" } })).toMatchObject({
      folder_path: join(cameraRoot, "site"),
    });
  });
});
