import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { imageView } from "../../commands/trigger/follow.ts";
import { Image } from "../../src/contract/routes/images.ts";
import type { ObjectType } from "../../src/monitoring/detector-model/class-names.ts";
import { matchObjects } from "../../src/monitoring/upstream/compare-detectors.ts";
import { cli } from "../support/cli.ts";
import { type TestDaemon, testDaemon } from "../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../support/database.ts";
import { picturePath, uniqueJpeg } from "../support/pictures.ts";
import { detectorStandIn, languageModelStandIn, onePerson, type StandIn } from "../support/upstream.ts";

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

it("detector compare: lists the pictures in which two detectors differ, and the totals of each class", async () => {
  await writeFile(join(daemon.dataDir, "visitor.jpg"), await uniqueJpeg());
  expect((await homesec("trigger", "visitor.jpg", "--camera", "yard")).code).toBe(0);
  const [person] = (onePerson() as { detections: object[] }).detections;
  const car = { class: "car", confidence: 0.7, bbox: { x: 400, y: 300, width: 200, height: 100 } };
  const unsure = { class: "dog", confidence: 0.2, bbox: { x: 10, y: 300, width: 60, height: 40 } };
  const other = await detectorStandIn({ answer: () => ({ ...onePerson(), detections: [car, person, unsure] }) });
  try {
    const { code, out, err } = await homesec("detector", "compare", "current", other.url, "--last", "1", "-o", "json");
    expect(code, err).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      ...{ pictures: 1, gone: 0 },
      classes: expect.arrayContaining([
        { object_type: "person", both: 1, only_a: 0, only_b: 0 },
        { object_type: "car", both: 0, only_a: 0, only_b: 1 },
      ]),
      differences: [{ camera_id: "yard", only_a: [], only_b: ["car 70 %"] }],
    });
    const people = await homesec("detector", "compare", "current", other.url, "--confidence", "0.1", "--cameras", "yard");
    expect(people.out).toMatch(/ONLY A +ONLY B\n.* yard +- +car 70 %, dog 20 %/);
    expect(people.err).toMatch(/A: current, \d+ ms per picture \(median\)\nB: http:.*\n\d pictures? compared\n/);
  } finally {
    await other.close();
  }
  const away = await homesec("detector", "compare", "current", other.url, "--last", "1");
  expect(away.code).toBe(1);
  expect(away.err).toContain("did not process 1 picture");
});

it("detector compare: pairs each object once, with the one that it overlaps most", () => {
  const at = (x: number, objectType: ObjectType = "person") => ({ objectType, confidence: 0.9, box: { x, y: 0, width: 100, height: 100 } });
  const paired = matchObjects([at(0), at(300), at(900, "car")], [at(310), at(20), at(30), at(900)]);
  expect(paired).toEqual({ both: [at(0), at(300)], only_a: [at(900, "car")], only_b: [at(30), at(900)] });
  const noBox = { ...at(0), box: null };
  expect(matchObjects([noBox], [at(500), at(600)]).both).toEqual([noBox]);
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
