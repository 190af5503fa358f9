import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeEach, expect, it } from "vitest";
import { cli } from "../../support/cli.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { temporaryFolder } from "../../support/temporary.ts";

const folder = temporaryFolder("another-home");
afterAll(() => folder.remove());
const old = join(folder.path, "old");
const backup = join(folder.path, "home.backup");
let from: TestDatabase;
let to: TestDatabase;

beforeEach(async () => {
  [from, to] = await Promise.all([testDatabase(), testDatabase()]);
  await from.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path, deleted_at)
      values ('yard', 'Yard', ${join(old, "yard")}, null), ('door', 'Front door', ${join(old, "Front door")}, null), ('gone', 'Gone', '/gone', now()),
        ('roof', 'Roof', ${join(old, "east/cam")}, null), ('shed', 'Shed', ${join(old, "west/cam")}, null)
    `,
  );
});
afterEach(async () => {
  await Promise.all([from.close(), to.close()]);
});

const home = (database: TestDatabase, cameraRoot: string, ...args: string[]) =>
  cli(args, { env: { DATABASE_URL: database.url, DATA_DIR: join(folder.path, "data"), CAMERA_ROOT: cameraRoot }, cwd: folder.path });

it("restore: if the cameras' folders differ, it prints the command for each, and those commands work", async () => {
  expect(await home(from, old, "db", "backup", backup)).toMatchObject({ code: 0 });
  const root = join(folder.path, "new");
  mkdirSync(join(root, "yard"), { recursive: true });
  for (const name of ["Front door", "roof", "shed"]) mkdirSync(join(root, name));
  const { code, err } = await home(to, root, "db", "restore", backup);
  expect(code, err).toBe(0);
  expect(err).toContain("4 cameras had folders outside CAMERA_ROOT");
  expect(err).not.toContain("go into");
  const commands = [...err.matchAll(/^ {2}homesec --direct (cameras update \w+ --folder-path) ('?)(.+?)\2 {5}# was (.+)$/gm)];
  expect(commands.map(([, , , , was]) => was)).toEqual(["Front door", "east/cam", "west/cam", "yard"].map((name) => join(old, name)));
  for (const [, command = "", , path = ""] of commands) await home(to, root, "--direct", ...command.split(" "), path);
  expect(await home(to, root, "--direct", "cameras", "validate")).toMatchObject({ code: 0 });
});

it("restore: if all cameras are in the camera root, it says where to put the pictures", async () => {
  await home(from, old, "db", "backup", "--yes", backup);
  const { err } = await home(to, old, "db", "restore", backup);
  expect(err).toContain(`Copy yours to ${old}; homesec recreates the thumbnails`);
  expect(err).not.toContain("--folder-path");
});
