import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { imageView } from "../../commands/trigger/follow.ts";
import { Image } from "../../src/contract/routes/images.ts";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { picturePath, uniqueJpeg } from "../support/pictures.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../support/upstream.ts";

let database: TestDatabase;
let services: readonly StandIn[];
let daemon: TestDaemon;

beforeAll(async () => {
  database = await testDatabase();
  const [detector, model] = await Promise.all([detectorStandIn(), languageModelStandIn()]);
  services = [detector, model];
  daemon = await testDaemon({ env: { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url } });
  await homesec("cameras", "add", "Yard");
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all(services.map((service) => service.close()));
  await database.close();
});

const homesec = (...args: string[]) => cli(args, { env: { HOMESEC_URL: daemon.url }, cwd: daemon.dataDir });

it("trigger: processes a picture and prints the result", async () => {
  await writeFile(join(daemon.dataDir, "visitor.jpg"), await uniqueJpeg());
  const { code, out, err } = await homesec("trigger", "visitor.jpg", "--camera", "yard", "-o", "json");
  expect(code, err).toBe(0);
  expect(err).toMatch(/^copied to \/.*\/yard\/trigger-\S+-visitor\.jpg\n$/);
  expect(JSON.parse(out)).toMatchObject({ camera_id: "yard", status: "processed", detection_count: 1 });
  // any number of times: each copy is a separate picture
  expect((await homesec("trigger", "visitor.jpg", "--camera", "yard")).out).toMatch(/status +processed\ndetections +1\n/);
  expect((await readdir(join(daemon.cameraRoot, "yard"))).filter((name) => name.startsWith("."))).toEqual([]);
});

it.each([
  [["nothing.jpg", "--camera", "yard"], 2, "not a readable file"],
  [[picturePath(), "--camera", "moon"], 3, "moon"],
  [[picturePath()], 2, "--camera"],
  [["notes.txt", "--camera", "yard"], 2, "has an unsupported type"],
  [[picturePath(), "--camera", "yard", "--direct"], 2, "needs a daemon"],
])("trigger: rejects %j", async (args, code, reason) => {
  await writeFile(join(daemon.dataDir, "notes.txt"), "x");
  expect(await homesec("trigger", ...args)).toMatchObject({ code, out: "", err: expect.stringContaining(reason) });
});

it("trigger: says that it needs the daemon's machine, and stops waiting after --wait", async () => {
  await database.db.query(
    (sql) => sql`
      insert into cameras (camera_id, name, folder_path)
      values ('far', 'Far', '/nowhere/far'), ('unread', 'Unread', ${join(daemon.dataDir, "unread")})
    `,
  );
  await mkdir(join(daemon.dataDir, "unread"));
  const far = await homesec("trigger", picturePath(), "--camera", "far");
  expect(far).toMatchObject({ code: 2, err: expect.stringContaining("not on this machine; run trigger where the daemon runs") });
  const unread = await homesec("trigger", picturePath(), "--camera", "unread", "--wait", "1s");
  expect(unread).toMatchObject({ code: 1, err: expect.stringContaining("not processed within 1 s; `homesec explain image") });
});

it("trigger: the view has every field of the ledger", async () => {
  expect(await imageView.fields()).toEqual(Object.keys(Image.shape));
});
