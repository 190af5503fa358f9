import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import sharp from "sharp";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Clock } from "../../../src/base/clock/clock.ts";
import { cli } from "../../support/cli.ts";
import { type TestDaemon, testDaemon } from "../../support/daemon.ts";
import { type TestDatabase, testDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";
import { renameIn, uniqueJpeg } from "../../support/pictures.ts";
import { detectorStandIn, onePerson, type StandIn } from "../../support/upstream.ts";

/*
 * A daemon and four cameras. Each sends a picture a minute: porch states the right time in EXIF, yard one that is two hours behind in its
 * file names, shed one in the future, and cabin sends pictures that it kept during an outage.
 */

let database: TestDatabase;
let detector: StandIn;
let daemon: TestDaemon;
let ahead = 0;
const clock: Clock = { now: () => new Date(Date.now() + ahead), monotonic: () => performance.now() + ahead };
const hourMs = 3_600_000;

// biome-ignore lint/suspicious/noExplicitAny: answers are looked into freely in tests
const get = async (path: string): Promise<any> => await (await fetch(`${daemon.url}/api/${path}`)).json();
const run = (...args: string[]) => cli(args, { env: { HOMESEC_URL: daemon.url, DATABASE_URL: database.url, DATA_DIR: daemon.dataDir } });
const offsetOf = async (camera: string): Promise<number | null> => (await get(`cameras/${camera}`)).clock_offset_seconds;

/** `2025:03:14 09:30:15`, in UTC. */
const exifText = (at: Date): string => at.toISOString().slice(0, 19).replaceAll("-", ":").replace("T", " ");
const digits = (at: Date): string => at.toISOString().slice(0, 19).replace(/\D/g, "");

async function withExif(at: Date): Promise<Buffer> {
  const fields = { DateTimeOriginal: exifText(at), OffsetTimeOriginal: "+00:00" };
  return await sharp(await uniqueJpeg())
    .withExif({ IFD2: fields })
    .jpeg()
    .toBuffer();
}

let sent = 0;
const send = async (camera: string, name: string, bytes: Buffer): Promise<void> => {
  sent += 1;
  await renameIn(join(daemon.cameraRoot, camera, name), bytes);
};
let rounds = 0;
async function round(): Promise<void> {
  const n = rounds;
  rounds += 1;
  const now = clock.now();
  const kept = new Date(now.getTime() - 5 * hourMs + n * 600_000);
  await Promise.all([
    send("porch", `${n}.jpg`, await withExif(now)),
    send("yard", `Yard_01_${digits(new Date(now.getTime() - 2 * hourMs))}.jpg`, await uniqueJpeg()),
    send("shed", `${n}.jpg`, await withExif(new Date(now.getTime() + 3 * hourMs + 400_000))),
    send("cabin", `Cabin_01_${digits(kept)}.jpg`, await uniqueJpeg()),
  ]);
  await eventually(async () => (await get("images")).pagination.total === sent);
  ahead += 61_000;
}

beforeAll(async () => {
  process.env["TZ"] = "UTC";
  [database, detector] = await Promise.all([testDatabase(), detectorStandIn({ answer: () => onePerson() })]);
  const env = { DATABASE_URL: database.url, DETECTOR_URL: detector.url, CAMERA_CHECK_SECONDS: "1", BATCH_IDLE_TIMEOUT_SECONDS: "1" };
  daemon = await testDaemon({ env, clock });
  const areKnown = async () => (await offsetOf("yard")) !== null && (await offsetOf("shed")) !== null;
  while (rounds < 6) await round();
  // On a busy machine, a scan may find pictures before the watch does, which gives them the time of the file: further ones outvote them
  while (rounds < 16 && !(await areKnown())) {
    await round();
    await sleep(1_500);
  }
  await eventually(areKnown, { what: "the clocks of yard and shed" });
});
afterAll(async () => {
  await daemon.stop();
  await Promise.all([database.close(), detector.close()]);
});

test("camera times: pictures and detections state the camera's time beside arrival, and events go by arrival", async () => {
  for (const [camera, ms] of [
    ["porch", 0],
    ["yard", -2 * hourMs],
    ["shed", 3 * hourMs + 400_000],
  ] as const) {
    const { items } = await get(`images?camera_id=${camera}`);
    expect(items).toHaveLength(rounds);
    // a scan goes by the file's own time, which the test's clock does not move
    const watched = items.filter(({ found_by }: { found_by: string }) => found_by === "watch");
    expect(watched.length).toBeGreaterThan(0);
    for (const { captured_at, taken_at } of watched)
      expect(Math.abs(Date.parse(captured_at) - Date.parse(taken_at) - ms)).toBeLessThan(5_000);
    const { items: detections } = await get(`detections?camera_id=${camera}`);
    expect(detections[0].captured_at).toBe(items.find(({ path }: { path: string }) => path === detections[0].file_path).captured_at);
  }
  await eventually(async () => (await get("events?camera_id=shed")).items.length > 0);
  for (const { ended_at } of (await get("events?camera_id=shed")).items)
    expect(Date.parse(ended_at)).toBeLessThanOrEqual(clock.now().getTime());
});

test("camera times: explain names the camera's time and its distance from arrival", async () => {
  const [{ path, captured_at }] = (await get("images?camera_id=yard&limit=1")).items;
  const { out } = await run("explain", "image", path);
  expect(out.replace(/\s+/g, " ")).toContain(
    `The camera's clock says ${captured_at.slice(0, 19).replace("T", " ")}, 2 h before its arrival.`,
  );
});

test("camera times: a wrong clock is a finding of doctor and health, a right one and a backlog are none", async () => {
  expect(Math.abs((await offsetOf("porch")) ?? 99)).toBeLessThan(5);
  expect(await offsetOf("cabin")).toBeNull();
  const doctor = await run("doctor", "--only", "camera-clocks");
  expect(doctor.code).toBe(7);
  const text = `${doctor.out}${doctor.err}`.replace(/\s+/g, " ");
  expect(text).toContain("shed: the clock is 3 h 7 min ahead; yard: the clock is 2 h behind");
  expect(text).toContain("Set a time server (NTP) in the camera");
  const health = await run("health");
  expect(health.code).toBe(7);
  expect(health.err).toMatch(/camera yard: the clock is 2 h behind\. Set a time server .* homesec cameras update yard --time-zone ZONE/);
  expect(health.err).not.toContain("camera porch");
});

test("health: names a camera that was moved after its zones were drawn, until someone keeps them", async () => {
  expect((await run("cameras", "zones", "add", "porch", "path", "0.1,0.4", "0.5,0.4", "0.5,1")).code).toBe(0);
  expect((await run("health")).err).not.toContain("camera porch");
  await database.db.query((sql) => sql`update camera_zones set doubtful_since = now()`);
  const health = await run("health");
  expect(health.code).toBe(7);
  expect(health.err).toContain("camera porch was moved, so its zones and ignored spots may lie elsewhere");
  expect((await run("cameras", "zones", "confirm", "porch")).code).toBe(0);
  expect((await run("health")).err).not.toContain("camera porch");
});

test("camera times: once the zone is set, the finding goes and new pictures have the right time", async () => {
  // two hours behind UTC all year
  expect((await run("cameras", "update", "yard", "--time-zone", "America/Noronha")).code).toBe(0);
  expect(await offsetOf("yard")).toBeNull();
  const isRight = async () => Math.abs((await offsetOf("yard")) ?? 99) < 5;
  for (let more = 0; more < 6 || (more < 16 && !(await isRight())); more += 1) await round();
  await eventually(isRight);
  expect((await run("cameras", "show", "yard")).out).toMatch(/auto, America\/Noronha; the clock is right/);
  const [{ captured_at, taken_at }] = (await get("images?camera_id=yard&limit=1")).items;
  expect(Math.abs(Date.parse(captured_at) - Date.parse(taken_at))).toBeLessThan(5_000);
  expect((await run("cameras", "test-name", "Yard_01_20250314093015.jpg", "--camera", "yard", "-o", "json")).out).toContain(
    '"captured_at": "2025-03-14T11:30:15.000Z"',
  );
});
