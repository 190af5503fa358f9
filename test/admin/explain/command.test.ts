import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { cli } from "../../support/cli.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, languageModelStandIn, type StandIn } from "../../support/upstream.ts";

let database: TestDatabase;
let detector: StandIn;
let model: StandIn;
let daemon: TestDaemon;
let env: Record<string, string>;
let picture: string;

beforeAll(async () => {
  [database, detector, model] = await Promise.all([testDatabase(), detectorStandIn(), languageModelStandIn()]);
  const upstreams = { DATABASE_URL: database.url, DETECTOR_URL: detector.url, LANGUAGE_MODEL_URL: model.url };
  daemon = await testDaemon({ env: { ...upstreams, BATCH_IDLE_TIMEOUT_SECONDS: "1" } });
  env = { HOMESEC_URL: daemon.url, DATABASE_URL: database.url, DATA_DIR: daemon.dataDir };
  picture = join(daemon.cameraRoot, "yard", "a.jpg");
  await renameIn(picture, await uniqueJpeg());
  await eventually(async () => {
    const { items } = (await (await fetch(`${daemon.url}/api/events`)).json()) as { items: { risk_score: number | null }[] };
    return items[0]?.risk_score === 42;
  });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([detector.close(), model.close(), database.close()]);
});

const explain = (...args: string[]) => cli(["explain", ...args], { env, cwd: daemon.cameraRoot });

test.each([[[]], [["--direct"]]])("explain: follows a real picture from its file to its event %j", async (how) => {
  const { code, out, err } = await explain("image", "yard/a.jpg", ...how);
  expect([code, err]).toEqual([0, ""]);
  expect(out).toContain("The picture is part of event 1. Event 1 raised no alert: there is no alert rule.");
  for (const part of [
    "camera yard",
    "person 90 %",
    "closed because no more detections came",
    "read as score 42",
    "risk score 42 (medium)",
  ]) {
    expect(out).toContain(part);
  }
  expect(out).toMatch(/^\d\d:\d\d:\d\d\.\d{3} \+ {2}a\.jpg/m);
  expect((await explain("event", "1", ...how)).code).toBe(0);
});

test("explain: -o json prints the body of the API", async () => {
  const { out } = await explain("event", "1", "-o", "json");
  const body = (await (await fetch(`${daemon.url}/api/events/1/explain`)).json()) as { steps: { step: string; at: string }[] };
  expect(JSON.parse(out)).toEqual(body);
  const times = body.steps.flatMap(({ at }) => (at === null ? [] : [Date.parse(at)]));
  expect(times).toEqual(times.toSorted((a, b) => a - b));
});

test("explain: --camera and --at show what happened, or why nothing did", async () => {
  expect(await explain("--camera", "yard", "--at", "now")).toMatchObject({ code: 0, out: expect.stringContaining("1 picture, 1 event") });
  const nothing = await explain("--camera", "yard", "--at", "-2h");
  expect([nothing.code, nothing.err]).toEqual([3, ""]);
  expect(nothing.out).toContain("Nearest picture before: none; after:");
});

test("explain: exits with 3 for an unknown subject, and with 2 for wrong usage", async () => {
  await writeFile(join(daemon.cameraRoot, "yard", "notes.txt"), "x");
  const unknown = await explain("image", "yard/notes.txt");
  expect([unknown.code, unknown.out.includes("not that of a picture or a video")]).toEqual([3, true]);
  for (const args of [
    ["event", "99"],
    ["alert", "nothing"],
    ["image", "99"],
    ["--camera", "nobody", "--at", "now"],
  ]) {
    expect([args, (await explain(...args)).code]).toEqual([args, 3]);
  }
  for (const args of [[], ["event"], ["event", "x"], ["camera", "yard"], ["--camera", "yard"], ["event", "1", "--at", "now"]]) {
    expect([args, (await explain(...args)).code]).toEqual([args, 2]);
  }
});
