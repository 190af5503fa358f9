import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "cameras, journal"));
  for (const name of ["Yard", "Garden"]) await desk.ask("createCamera", { body: { name } });
});

const of = (camera_id: string) => ({ params: { camera_id } });
const commands: Readonly<Record<string, (id: string, folder_path: string | undefined) => Promise<unknown>>> = {
  update: (id, folder_path) => desk.ask("updateCamera", { ...of(id), body: { folder_path } }),
  remove: (id) => desk.ask("deleteCamera", of(id)),
  restore: (id) => desk.ask("restoreCamera", of(id)),
};

it.each([
  ["another", false],
  ["a deleted", true],
])("the refusal of the folder of %s camera names commands, and these lead to it", async (_, isDeleted) => {
  if (isDeleted) await commands.remove?.("garden", undefined);
  const folder = join(desk.cameraRoot, "garden");
  const refusal = await commands.update?.("yard", folder).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ kind: "conflict", message: expect.stringContaining("stop homesec and have yard take it over") });
  const named = (refusal as Error).message.matchAll(/`homesec --direct cameras (\w+) (\S+?)(?: --folder-path (\S+?))?`/g);
  for (const [, command = "", id = "", folderPath] of named) await commands[command]?.(id, folderPath);
  expect(await desk.ask("getCamera", of("yard"))).toMatchObject({ folder_path: folder });
  expect((await desk.ask("listCameras")).count).toBe(1);
});

it("creating a camera gives no hint about taking over a folder", async () => {
  const refusal = desk.ask("createCamera", { body: { name: "New", folder_path: "garden" } });
  await expect(refusal).rejects.toMatchObject({
    message: expect.stringMatching(/already; give another folder_path, or a file_pattern of its own$/),
  });
});
