import { rename } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { offlineSilentCameras } from "../../../src/monitoring/cameras/silence.ts";
import { clearCameraError, markCameraError, markCameraSeen } from "../../../src/monitoring/cameras/status.ts";
import { emptyTables } from "../../support/empty-tables.ts";
import { type Desk, openDesk } from "../../support/operations.ts";

let desk: Desk;
beforeAll(async () => {
  desk = await openDesk();
});
afterAll(() => desk.close());
beforeEach(async () => {
  await desk.db.query((sql) => emptyTables(sql, "cameras, journal"));
  desk.at(time(0));
  await desk.ask("createCamera", { body: { name: "gate" } });
  await desk.db.query((sql) => emptyTables(sql, "journal"));
});

const time = (minutes: number) => new Date(Date.UTC(2026, 2, 1, 12, minutes));
const seen = (minutes: number) => desk.db.transaction((sql) => markCameraSeen(sql, "gate", time(minutes), time(minutes)));
const sweep = (minutes: number) => offlineSilentCameras(desk.db, { now: time(minutes), offlineAfterSeconds: 3600 });
const gate = () => desk.ask("getCamera", { params: { camera_id: "gate" } });
const told = async () => (await desk.journal("camera_status")).map((data) => `${data.previous_status} -> ${data.status}`);

describe("the status of a camera", () => {
  it("goes from unknown to online to offline and back, and reports each change once", async () => {
    expect(await seen(1)).toBe(true);
    expect(await seen(2)).toBe(false);
    expect(await gate()).toMatchObject({ status: "online", last_seen_at: time(2).toISOString() });
    expect(await sweep(62)).toBe(0);
    expect(await sweep(63)).toBe(1);
    expect(await sweep(64)).toBe(0);
    expect(await gate()).toMatchObject({ status: "offline", last_seen_at: time(2).toISOString() });
    expect(await seen(65)).toBe(true);
    expect(await gate()).toMatchObject({ status: "online" });
    expect(await told()).toEqual(["unknown -> online", "online -> offline", "offline -> online"]);
    expect((await desk.journal("camera_status"))[1]?.["reason"]).toBe("No picture for 1 h");
  });

  it("stays online without silence detection, however long no picture comes", async () => {
    await seen(1);
    const watchedElsewhere = (folder: string): boolean => folder.endsWith("/gate");
    expect(await offlineSilentCameras(desk.db, { now: time(600), offlineAfterSeconds: 3600, watchedElsewhere })).toBe(0);
    expect(await sweep(600)).toBe(1);
  });

  it("goes offline although clients repeat its name and folder; only setting it online resets the silence", async () => {
    await seen(1);
    const { name, folder_path } = await gate();
    for (const minute of [20, 40, 60]) {
      desk.at(time(minute));
      await desk.ask("updateCamera", { params: { camera_id: "gate" }, body: { name, folder_path } });
    }
    expect(await told()).toEqual(["unknown -> online"]);
    expect(await sweep(62)).toBe(1);
    await seen(63);
    desk.at(time(80));
    await desk.ask("updateCamera", { params: { camera_id: "gate" }, body: { status: "online" } });
    expect(await sweep(124)).toBe(0);
  });

  it("does not go back in time for an older picture", async () => {
    await seen(10);
    await seen(5);
    expect(await gate()).toMatchObject({ last_seen_at: time(10).toISOString() });
  });

  it("stays offline while a backlog from before is worked off", async () => {
    await seen(1);
    await sweep(120);
    for (const minute of [20, 40, 60]) expect(await seen(minute)).toBe(false);
    expect(await gate()).toMatchObject({ status: "offline", last_seen_at: time(60).toISOString() });
    expect(await seen(121)).toBe(true);
  });

  it("stays unknown without a picture however long it lasts", async () => {
    expect(await sweep(10_000)).toBe(0);
    expect(await gate()).toMatchObject({ status: "unknown" });
  });

  it("is error with a reason, is reported again only if the reason changes, and ends when its folder works or a picture comes", async () => {
    const fail = (reason: string, minutes: number) => desk.db.transaction((sql) => markCameraError(sql, "gate", reason, time(minutes)));
    const clear = (minutes: number) => desk.db.transaction((sql) => clearCameraError(sql, "gate", time(minutes)));
    expect([await fail("missing", 1), await fail("missing", 2), await fail("unreadable", 3)]).toEqual([true, false, true]);
    expect((await desk.journal("camera_status")).map((data) => data.reason)).toEqual(["missing", "unreadable"]);
    expect([await clear(4), await clear(5)]).toEqual([true, false]);
    expect(await gate()).toMatchObject({ status: "unknown" });
    await fail("missing", 6);
    await seen(7);
    expect(await gate()).toMatchObject({ status: "online" });
    await fail("missing", 8);
    await clear(9);
    expect(await told()).toEqual([
      "unknown -> error",
      "error -> error",
      "error -> unknown",
      "unknown -> error",
      "error -> online",
      "online -> error",
      "error -> online",
    ]);
  });

  it("is unknown after a restore until a picture comes, and silence counts from there however old that picture is", async () => {
    await seen(1);
    await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
    const weeksLater = 21 * 24 * 60;
    desk.at(time(weeksLater));
    expect(await desk.ask("restoreCamera", { params: { camera_id: "gate" } })).toMatchObject({
      status: "unknown",
      last_seen_at: time(1).toISOString(),
    });
    expect(await sweep(weeksLater + 1)).toBe(0);
    await seen(weeksLater - 180);
    expect(await gate()).toMatchObject({ status: "online" });
    expect(await sweep(weeksLater + 59)).toBe(0);
    expect(await sweep(weeksLater + 61)).toBe(1);
  });

  it("is error after a restore to a folder that cannot be read", async () => {
    await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
    await rename(join(desk.cameraRoot, "gate"), join(desk.cameraRoot, "away"));
    expect(await desk.ask("restoreCamera", { params: { camera_id: "gate" } })).toMatchObject({ status: "error" });
    expect((await desk.journal("camera_status")).at(-1)?.["reason"]).toContain("does not exist");
  });

  it("counts no silence while its folder could not be read", async () => {
    await seen(1);
    await desk.db.transaction((sql) => markCameraError(sql, "gate", "missing", time(2)));
    await desk.db.transaction((sql) => clearCameraError(sql, "gate", time(200)));
    expect(await sweep(259)).toBe(0);
    expect(await sweep(261)).toBe(1);
  });

  it("is reported once when many pictures come at once", async () => {
    await Promise.all(Array.from({ length: 20 }, (_, index) => seen(index)));
    expect(await told()).toEqual(["unknown -> online"]);
    expect(await gate()).toMatchObject({ last_seen_at: time(19).toISOString() });
  });

  it("ignores deleted cameras", async () => {
    await seen(1);
    await desk.ask("deleteCamera", { params: { camera_id: "gate" } });
    expect(await sweep(1000)).toBe(0);
    expect(await seen(1001)).toBe(false);
  });
});
