import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { ensureCameraForFolder } from "../../../src/monitoring/cameras/registration.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "cameras, journal"));
});

const ensure = async (folderName: string) => {
  await mkdir(join(desk.cameraRoot, folderName), { recursive: true });
  return await ensureCameraForFolder(desk.db, folderName, { cameraRoot: desk.cameraRoot, now: new Date("2026-03-01T12:00:00Z") });
};

describe("a picture in an unknown folder", () => {
  it("registers the camera under the name of the folder and announces it", async () => {
    const { camera, created } = await ensure("Front Door");
    expect(created).toBe(true);
    expect(camera).toMatchObject({
      camera_id: "front_door",
      name: "Front Door",
      folder_path: join(desk.cameraRoot, "Front Door"),
      status: "unknown",
    });
    expect(await ensure("Front Door")).toEqual({ camera, created: false });
    expect(await desk.journal("camera_status")).toMatchObject([{ camera_id: "front_door", previous_status: null }]);
  });

  it("gives folders with similar names distinct ids and names", async () => {
    await desk.ask("createCamera", { body: { name: "Größe", camera_id: "elsewhere" } });
    const long = "n".repeat(200);
    const cameras = [];
    for (const name of ["front door", "Front Door", "front_door", "Größe", "🚪", "庭", long, `${long}2`])
      cameras.push((await ensure(name)).camera);
    expect(cameras.map((camera) => [camera.camera_id, camera.name])).toEqual([
      ["front_door", "front door"],
      ["front_door_2", "Front Door (2)"],
      ["front_door_3", "front_door (3)"],
      ["grosse_2", "Größe (2)"],
      [expect.stringMatching(/^camera_/), "🚪"],
      [expect.stringMatching(/^camera_/), "庭"],
      ["n".repeat(64), long],
      [`${"n".repeat(62)}_2`, `${long}2 (2)`],
    ]);
  });

  it("finds the camera that was created for the folder, also under another path", async () => {
    const made = await desk.ask("createCamera", { body: { name: "Gate", folder_path: "Gate Folder" } });
    expect((await ensure("Gate Folder")).camera.camera_id).toBe(made.camera_id);
    await symlink(join(desk.cameraRoot, "Gate Folder"), join(desk.cameraRoot, "gate-link"));
    expect((await ensure("gate-link")).camera.camera_id).toBe(made.camera_id);
  });

  it("returns the deleted camera of the folder as deleted", async () => {
    await ensure("gate");
    await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
    const { camera, created } = await ensure("gate");
    expect([camera.camera_id, camera.deleted_at !== null, created]).toEqual(["gate", true, false]);
  });

  it("registers one camera when asked many times at once", async () => {
    const answers = await Promise.all(["a b", "A B", "a b", "A B", "a b", "A-B"].map(ensure));
    expect(answers.filter((answer) => answer.created)).toHaveLength(3);
    expect(new Set(answers.map((answer) => answer.camera.camera_id)).size).toBe(3);
    expect(await desk.journal("camera_status")).toHaveLength(3);
  });
});
